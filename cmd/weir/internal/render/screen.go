package render

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// Style says how much is shown and how. Its zero value is plain text of
// everything but live tool output.
type Style struct {
	// Color adds SGR sequences; without them the words are the same.
	Color bool
	// Attempts is how many tries a step has in all, for the retry line; 0
	// leaves the number out.
	Attempts int
	// Quiet leaves thinking, calls and notices of level info out.
	Quiet bool
	// Verbose adds live tool output, steps and what a turn cost.
	Verbose bool
	// Markdown lays answers out, for whoever can draw [Screen.Open] again and
	// again. Otherwise they are shown as the model wrote them.
	Markdown bool
}

// Screen turns events into lines, live. The zero value is ready; it is used by
// one goroutine. Its memory does not grow with the text.
type Screen struct {
	Style Style
	open  kind // of the line that may still grow
	wet   bool // the cursor is not at the start of a line
	esc   Escaper
	shown bool   // something of the message on its way is on the screen
	wrote bool   // text of the message on its way came as deltas
	fault string // how the last try failed, with its status
	said  bool   // that a line for the fault is on the screen
	cause string // the last notice of this turn that says why it fails

	asked map[string]bool // calls of this turn that a person has allowed

	columns, rows int      // of the terminal; 80 and 24 if nobody says
	page          *answers // lays the open answer out; nil if there is none
}

// kind is what a line holds.
type kind uint8

const (
	nothing kind = iota
	answer
	thinking
	output
)

// The SGR sequences that a Screen writes. They are the only escapes it writes.
const (
	sgrOff   = "\x1b[0m"
	sgrDim   = "\x1b[2m"
	sgrGreen = "\x1b[32m"
	sgrRed   = "\x1b[31m"
	sgrBlue  = "\x1b[34m"
	sgrWarn  = "\x1b[33m"
	sgrCyan  = "\x1b[36m"
)

// Append appends what e shows to dst.
func (s *Screen) Append(dst []byte, e pipeline.Event) []byte {
	switch e := e.(type) {
	case pipeline.TextDelta:
		s.wrote = true
		return s.flow(dst, answer, e.Text)
	case pipeline.ThinkingDelta:
		return s.flow(dst, thinking, e.Text)
	case pipeline.MessageCompleted:
		return s.completed(dst, e)
	case pipeline.StreamFailed:
		s.fault = failure(string(e.Kind), e.Status, e.Message)
		return s.interrupted(dst, s.fault)
	case pipeline.RetryScheduled:
		return s.retry(dst, e)
	case pipeline.ApprovalResolved:
		if e.By == "user" {
			if s.asked == nil {
				s.asked = map[string]bool{}
			}
			s.asked[e.Call] = true
		}
	case pipeline.ToolStarted:
		return s.call(dst, e.Name, e.Summary, e.Arguments)
	case pipeline.ToolOutput:
		if s.Style.Verbose {
			return s.flow(dst, output, e.Text)
		}
	case pipeline.ToolFinished:
		return s.result(dst, e)
	case pipeline.Notice:
		return s.notice(dst, e)
	case pipeline.PromptQueued:
		return s.info(dst, "queued: "+e.Text)
	case pipeline.PromptJoined:
		return s.info(dst, "joined: "+e.Text)
	case pipeline.PromptDropped:
		return s.Notice(dst, "dropped: "+e.Text+" ("+e.Reason+")", true)
	case pipeline.StepStarted:
		s.shown, s.wrote = false, false
		if s.Style.Verbose {
			return s.info(dst, fmt.Sprintf("step %d", e.Step))
		}
	case pipeline.TurnEnded:
		return s.ended(dst, e)
	default: // events of no words: starts, questions (asked elsewhere), kinds to come
	}
	return dst
}

// Notice appends a line of the program's own. It is cut nowhere. An answer that
// is being laid out goes on under it.
func (s *Screen) Notice(dst []byte, text string, warn bool) []byte {
	color := sgrDim
	if warn {
		color = sgrWarn
	}
	return s.line(dst, color, "◇ ", Line(text, 0))
}

// Block appends lines of the program's own: a notice, and more under it.
func (s *Screen) Block(dst []byte, text string, warn bool) []byte {
	first, more, _ := strings.Cut(text, "\n")
	dst = s.Notice(dst, first, warn)
	return append(dst, s.under(more, false)...)
}

// Under appends lines that belong under a notice of before.
func (s *Screen) Under(dst []byte, text string) []byte {
	if s.page == nil {
		dst = s.EndLine(dst)
	}
	return append(dst, s.under(text, false)...)
}

// Changes is Block where the lines under the notice are those of a diff.
func (s *Screen) Changes(dst []byte, text string) []byte {
	first, more, _ := strings.Cut(text, "\n")
	return append(s.Notice(dst, first, false), s.under(more, s.Style.Color)...)
}

// under are the lines under a notice.
func (s *Screen) under(text string, color bool) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, Line(strings.TrimSuffix(line, "\n"), 0))
	}
	return Diff(lines, color)
}

// EndLine closes the open line, so that whoever writes next starts on a new one.
func (s *Screen) EndLine(dst []byte) []byte {
	n := len(dst)
	if s.page != nil {
		dst = s.page.end(dst)
		s.page, s.open = nil, nothing
		return dst
	}
	dst = s.esc.Flush(dst)
	s.wet = s.wet || len(dst) > n
	if s.Style.Color && s.open != nothing {
		dst = append(dst, sgrOff...)
	}
	if s.wet {
		dst = append(dst, '\n')
	}
	s.open, s.wet = nothing, false
	return dst
}

// flow appends running text of a kind, on the open line if that is of the kind.
func (s *Screen) flow(dst []byte, k kind, text string) []byte {
	if k == thinking && s.Style.Quiet {
		return dst
	}
	if k == answer && s.Style.Markdown {
		s.shown = true
		return s.layOut(dst, text)
	}
	if s.open != k {
		dst = s.EndLine(dst)
		s.open = k
		if s.Style.Color {
			dst = append(dst, [...]string{answer: sgrOff, thinking: sgrDim, output: sgrDim}[k]...)
		}
		dst = append(dst, [...]string{answer: "● ", thinking: "✻ ", output: "  "}[k]...)
		s.wet = true
	}
	if k != output {
		s.shown = true
	}
	if k == output { // no line of it stands where ours begin (B028)
		for line := range strings.Lines(text) {
			if !s.wet {
				dst = append(dst, "  "...)
			}
			dst = s.escape(dst, line)
		}
		return dst
	}
	return s.escape(dst, text)
}

// escape appends running text made harmless.
func (s *Screen) escape(dst []byte, text string) []byte {
	n := len(dst)
	dst = s.esc.Append(dst, text)
	if len(dst) > n {
		s.wet = dst[len(dst)-1] != '\n'
	}
	return dst
}

// line appends one whole line. text is harmless already.
func (s *Screen) line(dst []byte, color, mark, text string) []byte {
	if s.page == nil {
		dst = s.EndLine(dst)
	}
	if s.Style.Color {
		dst = append(dst, color...)
	}
	dst = append(dst, mark...)
	dst = append(dst, text...)
	if s.Style.Color {
		dst = append(dst, sgrOff...)
	}
	return append(dst, '\n')
}

func (s *Screen) info(dst []byte, text string) []byte {
	if s.Style.Quiet {
		return dst
	}
	return s.Notice(dst, text, false)
}

// completed shows the text of a message that came without deltas.
func (s *Screen) completed(dst []byte, e pipeline.MessageCompleted) []byte {
	if !s.wrote {
		for _, b := range e.Blocks {
			switch b := b.(type) {
			case provider.Text:
				if b.Text != "" {
					dst = s.flow(dst, answer, b.Text)
				}
			case provider.Thinking:
				if b.Text != "" && !s.shown {
					dst = s.flow(dst, thinking, b.Text)
				}
			default: // calls show when they start
			}
		}
	}
	s.shown, s.wrote = false, false
	return s.EndLine(dst)
}

// interrupted says that what was shown of a message is all that will come.
func (s *Screen) interrupted(dst []byte, why string) []byte {
	if !s.shown {
		return dst
	}
	s.shown, s.wrote, s.said = false, false, true
	return s.Notice(s.EndLine(dst), "interrupted: "+why, true)
}

func (s *Screen) retry(dst []byte, e pipeline.RetryScheduled) []byte {
	text := fmt.Sprintf("retry %d", e.NextAttempt)
	if e.NextAttempt <= s.Style.Attempts { // beyond are those of a fallback
		text += fmt.Sprintf("/%d", s.Style.Attempts)
	}
	text += " in " + Duration(e.DelayMS) + ": " + Line(e.Reason, 0)
	if e.Discard {
		text += " (the text above is void)"
	}
	s.shown, s.wrote, s.fault, s.said = false, false, "", false
	return s.line(s.EndLine(dst), sgrWarn, "↻ ", text)
}

func (s *Screen) call(dst []byte, name, summary string, arguments json.RawMessage) []byte {
	if s.Style.Quiet {
		return dst
	}
	if summary == "" {
		summary = string(arguments)
	}
	return s.line(s.EndLine(dst), sgrBlue, "⏺ ", Line(name, 80)+"("+Line(summary, lineRunes)+")")
}

func (s *Screen) notice(dst []byte, e pipeline.Notice) []byte {
	if e.Code == "context" {
		s.cause = e.Text
	}
	if e.Level == "warn" {
		return s.Notice(dst, e.Text, true)
	}
	return s.info(dst, e.Text)
}

func (s *Screen) ended(dst []byte, e pipeline.TurnEnded) []byte {
	why := s.verdict(e)
	dst = s.EndLine(dst)
	switch {
	case why == "" || (s.said && why == s.fault) || (e.Error != nil && e.Error.Message == s.cause): // all is said
	case s.said && s.spent(e) != "":
		dst = s.Notice(dst, s.spent(e), true)
	case s.shown:
		dst = s.interrupted(dst, why)
	default:
		dst = s.Notice(dst, why, true)
	}
	if s.Style.Verbose {
		dst = s.info(dst, cost(e))
	}
	s.shown, s.wrote, s.fault, s.said, s.cause, s.asked = false, false, "", false, "", nil
	return dst
}

// spent is what the end of a turn adds to the failure that was told: how often
// the step was asked.
func (s *Screen) spent(e pipeline.TurnEnded) string {
	if e.Error == nil {
		return ""
	}
	i := strings.LastIndex(e.Error.Message, "; ")
	if i < 0 || !strings.HasSuffix(s.fault, e.Error.Message[:i]) {
		return ""
	}
	return e.Error.Message[i+2:]
}

// verdict says why a turn ended; nothing if it was completed by words.
func (s *Screen) verdict(e pipeline.TurnEnded) string {
	switch e.Outcome {
	case pipeline.Completed:
		if e.Text != "" && strings.TrimSpace(e.Text) == "" {
			return "the answer is blank"
		}
		return ""
	case pipeline.Limited:
		return limitText(e)
	case pipeline.Failed:
		if e.Error == nil {
			return "failed"
		}
		if why := failure(e.Error.Kind, 0, e.Error.Message); !strings.HasSuffix(s.fault, e.Error.Message) {
			return why
		}
		return s.fault
	default:
		return string(e.Outcome)
	}
}
