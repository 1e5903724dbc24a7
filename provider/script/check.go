package script

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-agents/weir/provider"
)

// Check returns an error that names the first impossible value in s.
func (s Script) Check() error {
	if err := checkSelect(s.Select); err != nil {
		return fmt.Errorf("script: %w", err)
	}
	switch s.Loop {
	case "", LoopLast, LoopAll:
	default:
		return fmt.Errorf("script: loop %q: say %q or %q", s.Loop, LoopLast, LoopAll)
	}
	if s.IdleTimeout < 0 {
		return errors.New("script: a negative idle timeout")
	}
	for i, step := range s.Steps {
		if err := step.check(fmt.Sprintf("%d", i+1)); err != nil {
			return err
		}
	}
	return nil
}

// check finds fault with s, which name tells apart.
func (s Step) check(name string) error {
	err := s.problem()
	if err != nil {
		return fmt.Errorf("script: step %s: %w", name, err)
	}
	for i, a := range s.Attempts {
		if len(a.Attempts) > 0 {
			return fmt.Errorf("script: step %s, attempt %d: an attempt has no attempts of its own", name, i+1)
		}
		if err := a.problem(); err != nil {
			return fmt.Errorf("script: step %s, attempt %d: %w", name, i+1, err)
		}
	}
	return nil
}

func (s Step) problem() error {
	if s.Split < Whole {
		return fmt.Errorf("split %d: say how many characters a piece has", s.Split)
	}
	if err := checkStop(s.Stop); err != nil {
		return err
	}
	if len(s.Attempts) > 0 && (len(s.Blocks) > 0 || s.Func != nil) {
		return errors.New("a step has either blocks or attempts")
	}
	if s.Func != nil && len(s.Blocks) > 0 {
		return errors.New("a step has either blocks or a func")
	}
	began := false
	for i, b := range s.Blocks {
		if err := checkBlock(b, began); err != nil {
			return fmt.Errorf("block %d: %w", i+1, err)
		}
		began = began || !between(b)
	}
	return nil
}

// between reports whether b stands between blocks and is none itself.
func between(b Block) bool {
	switch b.(type) {
	case Gate, Wait, Fault:
		return true
	default:
		return false
	}
}

func checkSelect(s Select) error {
	switch s {
	case "", ByHistory, BySequence:
		return nil
	default:
		return fmt.Errorf("select %q: say %q or %q", s, ByHistory, BySequence)
	}
}

func checkStop(s provider.StopReason) error {
	switch s {
	case "", provider.StopEnd, provider.StopToolCalls, provider.StopLength,
		provider.StopContentFilter, provider.StopRefusal, provider.StopPause:
		return nil
	default:
		return fmt.Errorf("stop %q: say stop, tool_calls, length, content_filter, refusal or pause", s)
	}
}

func checkBlock(b Block, began bool) error {
	switch b := b.(type) {
	case Text:
		return checkText(b.Text, b.Pieces)
	case Thinking:
		if b.Redacted != "" && (b.Text != "" || b.Pieces != nil || b.Signature != "") {
			return errors.New("redacted thinking has no text and no signature")
		}
		return checkText(b.Text, b.Pieces)
	case Call:
		if b.NoID && b.ID != "" {
			return errors.New("a call has either an id or none")
		}
		return checkText(b.Arguments, b.Pieces)
	case Opaque:
		var object map[string]json.RawMessage
		if json.Unmarshal(b.Raw, &object) != nil || object == nil {
			return errors.New("an opaque block is a JSON object")
		}
	case Interleave:
		for _, in := range b {
			switch in.(type) {
			case Text, Thinking, Call:
			default:
				return fmt.Errorf("interleave holds text, thinking and calls, not %T", in)
			}
			if err := checkBlock(in, true); err != nil {
				return err
			}
		}
	case Gate:
		return checkGate(b)
	case Wait:
		return checkWait(b)
	case Fault:
		return b.check(began)
	default:
		return fmt.Errorf("a block cannot be %T", b)
	}
	return nil
}

func checkText(text string, pieces []Piece) error {
	if text != "" && pieces != nil {
		return errors.New("a block has either text or pieces")
	}
	for i, p := range pieces {
		if err := checkPiece(p); err != nil {
			return fmt.Errorf("piece %d: %w", i+1, err)
		}
	}
	return nil
}

func checkPiece(p Piece) error {
	switch p := p.(type) {
	case Say:
		if p == "" {
			return errors.New("a piece is not empty")
		}
	case Repeat:
		if p.Text == "" || p.Bytes <= 0 {
			return errors.New("repeat needs a text and a number of bytes above 0")
		}
	case Gate:
		return checkGate(p)
	case Wait:
		return checkWait(p)
	case Fault:
		return p.check(true)
	default:
		return fmt.Errorf("a piece cannot be %T", p)
	}
	return nil
}

func checkGate(g Gate) error {
	if g == "" {
		return errors.New("a gate needs a name")
	}
	return nil
}

func checkWait(w Wait) error {
	if w <= 0 {
		return errors.New("a wait is longer than 0")
	}
	return nil
}

// check finds fault with f. began says that it comes after a block.
func (f Fault) check(began bool) error {
	switch f.Kind {
	case Cut, Reset, Errored, Panic, BadJSON:
	case Stall:
		if f.Duration < 0 {
			return errors.New("a stall lasts 0 (for ever) or longer")
		}
	case HTTP:
		if f.Status < 300 || f.Status > 599 {
			return fmt.Errorf("status %d: say one from 300 to 599", f.Status)
		}
		if began {
			return errors.New("an http fault comes before any text, thinking or call")
		}
	case HTML:
		if began {
			return errors.New("an html fault comes before any text, thinking or call")
		}
	default:
		return fmt.Errorf("fault %q: say cut, reset, stall, error, panic, http, bad_json or html", f.Kind)
	}
	if f.RetryAfterMS < 0 {
		return errors.New("a negative retry_after_ms")
	}
	return nil
}
