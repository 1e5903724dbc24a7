package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/tools/rules"
)

// allow ends every question for consent.
const allow = "allow? [y]es, [a]lways, [n]o "

// reply is what a person said to a question.
type reply struct {
	decision string // as Session.Resolve takes it; "view" to see the whole of it
	note     string // a word for the model
	all      bool   // it is for all calls that wait
}

// parseReply reads a line: y, a or n, or the words, and all behind it; behind a
// no may stand a word for the model. Anything else, and nothing, is no answer.
func parseReply(text string) (reply, bool) {
	word, note, _ := strings.Cut(strings.TrimSpace(text), " ")
	note = strings.TrimSpace(note)
	all := note == "all" || strings.HasPrefix(note, "all,") || strings.HasPrefix(note, "all:")
	if all {
		note = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(note, "all"), ",:"))
	}
	switch strings.ToLower(strings.TrimRight(word, ",:")) {
	case "y", "yes":
		return reply{"allow", "", all}, note == ""
	case "a", "always":
		return reply{"allow_always", "", all}, note == ""
	case "n", "no":
		return reply{"deny", note, all}, true
	case "v", "view":
		return reply{"view", "", all}, note == ""
	default:
		return reply{}, false
	}
}

const (
	// Beyond these a command is shown by its head and tail.
	questionLines = 40
	questionChars = 4000
)

// question shows what a call wants to do, whole if asked to or unless it is very
// long: what a file would look like, or else, also once ctx has ended, what the
// call says. What cannot be seen is made visible; allow is to follow.
func (h *house) question(ctx context.Context, q pipeline.ApprovalRequested, whole, color bool) string {
	diff, ok, err := h.work.Preview(ctx, q.Name, q.Arguments)
	if !ok || strings.HasPrefix(diff, "(") { // it cannot be shown
		text := question(q, rules.Show(wanted(q)), whole, false)
		if err != nil && ctx.Err() == nil {
			text += "  it would fail: " + rules.ShowLine(err.Error()) + "\n"
		}
		return text
	}
	if diff == "" {
		diff = string(q.Arguments) + "\n(the file is so already)"
	}
	return question(q, rules.Show(strings.TrimSuffix(diff, "\n")), whole, color)
}

// question puts what a call wants, which is harmless, into a question.
func question(q pipeline.ApprovalRequested, shown string, whole, color bool) string {
	var b strings.Builder
	if !whole {
		shown = excerpt(shown)
	}
	fmt.Fprintf(&b, "◇ %s wants to run", rules.ShowLine(q.Name))
	if q.Reason != "" {
		fmt.Fprintf(&b, ": %s", render.Line(q.Reason, 0)) // what it quotes is shown already
	}
	b.WriteString("\n" + render.Diff(strings.Split(shown, "\n"), color))
	if q.RuleSuggestion != "" {
		fmt.Fprintf(&b, "  always would add the rule %s for this session\n", rules.ShowLine(q.RuleSuggestion))
	}
	return b.String()
}

// wanted is the command of a shell call, with its other arguments as they were
// sent, and the arguments of any other call.
func wanted(q pipeline.ApprovalRequested) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(q.Arguments, &args) != nil {
		return string(q.Arguments)
	}
	var line string
	if q.Name == remember && json.Unmarshal(args["line"], &line) == nil {
		if kept := workspace.MemoryLine(line); kept != "" {
			return kept
		}
	}
	var command string
	if json.Unmarshal(args["command"], &command) != nil || command == "" {
		return string(q.Arguments)
	}
	if len(args) == 1 {
		return command
	}
	return command + "\n{" + strings.Join(members(q.Arguments, "command"), ",") + "}"
}

// members returns the members of a valid JSON object but one, byte for byte.
func members(object json.RawMessage, but string) []string {
	var all []string
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // {
	for d.More() {
		from := d.InputOffset()
		name, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value) // it was decoded before
		if name != but {
			all = append(all, strings.TrimLeft(string(object[from:d.InputOffset()]), ", \t\r\n"))
		}
	}
	return all
}

// excerpt returns text, or its head and tail with a line that says what is hidden.
func excerpt(text string) string {
	runes, lines := []rune(text), strings.Count(text, "\n")+1
	if lines <= questionLines && len(runes) <= questionChars {
		return text
	}
	head := headOf(runes)
	rest := slices.Clone(runes[len(head):])
	slices.Reverse(rest)
	tail := slices.Clone(headOf(rest))
	slices.Reverse(tail)
	first, last := strings.TrimSuffix(string(head), "\n"), strings.TrimPrefix(string(tail), "\n")
	gone := max(lines-strings.Count(first, "\n")-strings.Count(last, "\n")-2, 0)
	return fmt.Sprintf("%s\n… %d lines, %d characters hidden (press v) …\n%s", first, gone, len(runes)-len(head)-len(tail), last)
}

// headOf returns the start of text: half of what a question shows.
func headOf(text []rune) []rune {
	lines := 0
	for i, r := range text {
		if i == questionChars/2 {
			return text[:i]
		}
		if r == '\n' {
			if lines++; lines == questionLines/2 {
				return text[:i+1]
			}
		}
	}
	return text
}
