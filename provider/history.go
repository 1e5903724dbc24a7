package provider

import (
	"errors"
	"fmt"
	"strings"
)

// CheckHistory returns an error that names the first message of a conversation
// which a strict vendor would refuse, nil if there is none: the first message
// is a user's; none is empty; a user sends text, images and files, an assistant
// text, thinking, calls and opaque blocks; every message with calls is followed
// by one Tool message that holds exactly one result for each, in their order,
// and such a message stands nowhere else. Messages of one role may follow each
// other, adapters join them; an empty conversation is valid. It costs one walk
// over the blocks.
func CheckHistory(messages []Message) error {
	var open []ToolCall
	for i, m := range messages {
		err := checkTurn(i, m, open)
		if err == nil {
			err = checkBlocks(m, open)
		}
		if err != nil {
			return fmt.Errorf("message %d (%s): %w", i, m.Role, err)
		}
		open = nil
		if m.Role == Assistant {
			open = m.Calls()
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("message %d (%s): the call %q has no result", len(messages)-1, Assistant, open[0].ID)
	}
	return nil
}

// checkTurn says whether a message of m's role may stand at place i.
func checkTurn(i int, m Message, open []ToolCall) error {
	switch {
	case m.Role != User && m.Role != Assistant && m.Role != Tool:
		return errors.New("there is no such role")
	case i == 0 && m.Role != User:
		return errors.New("a conversation begins with a user's message")
	case len(open) > 0 && m.Role != Tool:
		return fmt.Errorf("the call %q before it has no result", open[0].ID)
	case len(open) == 0 && m.Role == Tool:
		return errors.New("results without calls directly before them")
	default:
		return nil
	}
}

// checkBlocks says whether m holds what its role may, and enough of it.
func checkBlocks(m Message, open []ToolCall) error {
	switch m.Role {
	case User:
		return checkUser(m)
	case Assistant:
		return checkAssistant(m)
	default:
		return checkResults(m, open)
	}
}

func checkUser(m Message) error {
	full := false
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Text:
			full = full || strings.TrimSpace(b.Text) != ""
		case Image, File:
			full = true
		default:
			return fmt.Errorf("a user does not send a %T", b)
		}
	}
	if !full {
		return errors.New("it is empty")
	}
	return nil
}

func checkAssistant(m Message) error {
	if m.Empty() {
		return errors.New("it is empty")
	}
	seen := map[string]bool{}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Text, Thinking, Opaque:
		case ToolCall:
			switch {
			case b.ID == "":
				return fmt.Errorf("a call of %q has no id", b.Name)
			case b.Name == "":
				return fmt.Errorf("the call %q names no tool", b.ID)
			case seen[b.ID]:
				return fmt.Errorf("two calls have the id %q", b.ID)
			}
			seen[b.ID] = true
		default:
			return fmt.Errorf("an assistant does not send a %T", b)
		}
	}
	return nil
}

func checkResults(m Message, open []ToolCall) error {
	if len(m.Blocks) != len(open) {
		return fmt.Errorf("%d results for %d calls", len(m.Blocks), len(open))
	}
	for i, b := range m.Blocks {
		r, ok := b.(ToolResult)
		if !ok {
			return fmt.Errorf("a %T among results", b)
		}
		if r.Call != open[i].ID {
			return fmt.Errorf("result %d is of the call %q, not of %q", i, r.Call, open[i].ID)
		}
	}
	return nil
}
