package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weir-agents/weir/pipeline"
)

const (
	// previewLines of a result are shown.
	previewLines = 3
	// lineRunes is how much of a line is shown of a summary or a result.
	lineRunes = 200
	// noOutput stands for a result without a word.
	noOutput = "(no output)"
)

// result says how a call ended, with the first lines of what it found.
func (s *Screen) result(dst []byte, e pipeline.ToolFinished) []byte {
	if s.Style.Quiet {
		return dst
	}
	name := Line(e.Name, 80)
	if !e.OK {
		why, said := reason(e)
		text := name + ": " + Line(why, lineRunes)
		if said != "" {
			text += "\n  " + preview(said)
		}
		return s.line(dst, sgrRed, "✘ ", text)
	}
	if dst, ok := s.edited(dst, e); ok {
		return dst
	}
	return s.line(dst, sgrGreen, "✔ ", name+" -> "+preview(e.Text)+" "+Duration(e.DurationMS))
}

// endings begin the line in which a command's result says how it ended, below what
// the command said.
var endings = []string{"exit ", "timed out after ", "canceled"}

// reason says why a call failed, and what a command had said by then.
func reason(e pipeline.ToolFinished) (why, said string) {
	text := strings.TrimSpace(e.Text)
	if e.Name == "bash" {
		lines := strings.Split(text, "\n")
		for i := len(lines) - 1; i > 0; i-- {
			if slices.ContainsFunc(endings, func(begin string) bool { return strings.HasPrefix(lines[i], begin) }) {
				return strings.Join(lines[i:], "; "), strings.TrimPrefix(strings.Join(lines[:i], "\n"), noOutput)
			}
		}
	}
	why, _, _ = strings.Cut(text, "\n")
	why = strings.TrimPrefix(why, e.Name+": ")
	switch {
	case why == "":
		why = e.ErrorKind
	case e.ErrorKind == "denied" && !strings.Contains(why, "denied"):
		why = "denied: " + why
	}
	return why, ""
}

// preview returns the first lines of text and how many follow.
func preview(text string) string {
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return noOutput
	}
	more := strings.Count(text, "\n") + 1 - previewLines
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, Line(strings.TrimSuffix(line, "\r"), lineRunes))
		if len(lines) == previewLines {
			break
		}
	}
	shown := strings.Join(lines, "\n  ")
	if more > 0 {
		shown += fmt.Sprintf(" …(+%d lines)", more)
	}
	return shown
}

// Duration writes a number of milliseconds as a person would: 12ms, 1.8s, 2m05s.
func Duration(ms int64) string {
	switch {
	case ms < 1000:
		return fmt.Sprintf("%dms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1fs", float64(ms)/1000)
	default:
		return fmt.Sprintf("%dm%02ds", ms/60_000, ms/1000%60)
	}
}

// failure puts the parts of an error together, the vendor's words last.
func failure(kind string, status int, message string) string {
	text := kind
	if status >= 400 && !strings.Contains(message, fmt.Sprint(status)) {
		text += fmt.Sprintf(" %d", status)
	}
	if message == "" {
		return text
	}
	return text + ": " + message
}

// limitText says which limit ended a turn, and what a person can do.
func limitText(e pipeline.TurnEnded) string {
	switch e.Limit {
	case "steps":
		return fmt.Sprintf("limit: %d steps were not enough; raise --max-steps or send another prompt to go on", e.Steps)
	case "time":
		return "limit: the time was up (--timeout)"
	case "tokens":
		return fmt.Sprintf("limit: %d tokens were used (--max-tokens-total)", e.Usage.Input+e.Usage.Output)
	case "cost":
		return "limit: the cost was reached (--max-cost)"
	case "repeats":
		return "limit: the model asked for the same calls again and again"
	case "failures":
		return "limit: too many steps in a row had only failing calls"
	case "length":
		return "limit: the answer was cut at the model's longest"
	case "empty":
		return "limit: the model answered with nothing"
	default:
		return "limit: " + e.Limit
	}
}

// cost says what a turn took.
func cost(e pipeline.TurnEnded) string {
	text := fmt.Sprintf("%s in %s: %d steps, %d tokens in, %d out", e.Outcome, Duration(e.DurationMS), e.Steps, e.Usage.Input, e.Usage.Output)
	if e.TTFTMS != nil {
		text += ", first token after " + Duration(*e.TTFTMS)
	}
	return text
}
