package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/pipeline"
)

// progress says what a turn is doing, from its events. It is pure: the time
// is an argument.
type progress struct {
	began   time.Time
	step    int
	in, out int       // tokens of the completed messages
	used    int       // of the model's window; 0 if that is not known
	window  int       // tokens the model takes
	runes   int       // streamed of the message on its way
	first   time.Time // when its first delta came
	doing   string
	args    int      // bytes of the call whose arguments stream
	asking  []string // calls that wait for the person
}

// runesPerToken is a rough guess, for what no usage has told yet.
const runesPerToken = 4

func (p *progress) see(e pipeline.Event, now time.Time) {
	switch e := e.(type) {
	case pipeline.TurnStarted:
		p.begin(now, "starting")
	case pipeline.StepStarted:
		p.step, p.doing, p.runes, p.first, p.args = e.Step, "waiting for the model", 0, time.Time{}, 0
	case pipeline.ThinkingDelta:
		p.stream(e.Text, "thinking", now)
	case pipeline.TextDelta:
		p.stream(e.Text, "writing", now)
	case pipeline.ToolCallDelta:
		p.args += len(e.Arguments)
		p.stream(e.Arguments, fmt.Sprintf("%s(… %s", render.Line(e.Name, 40), bytesText(p.args)), now)
	case pipeline.MessageCompleted:
		p.runes, p.args = 0, 0
		if e.Usage != nil {
			p.in, p.out, p.used = p.in+e.Usage.Input, p.out+e.Usage.Output, e.Usage.Input+e.Usage.Output
		}
	case pipeline.Notice:
		if e.Code == "compacted" { // what is left, the next answer tells
			p.used = 0
		}
	case pipeline.ApprovalRequested:
		p.asking = append(p.asking, e.Call)
		p.asks()
	case pipeline.ApprovalResolved:
		p.doing = "going on"
		p.asking = slices.DeleteFunc(p.asking, func(call string) bool { return call == e.Call })
		p.asks()
	case pipeline.ToolStarted:
		p.doing = "running " + render.Line(e.Name, 40)
	case pipeline.ToolOutput:
		if last := lastLine(e.Text); last != "" {
			p.doing = "running: " + render.Line(last, 80)
		}
	case pipeline.RetryScheduled:
		p.doing = "waiting to ask again"
	default:
	}
}

// asks says what waits for the person.
func (p *progress) asks() {
	switch n := len(p.asking); n {
	case 0:
	case 1:
		p.doing = "waiting for you"
	default:
		p.doing = fmt.Sprintf("%d calls wait for you", n)
	}
}

// begin begins anew with something else in the same window.
func (p *progress) begin(now time.Time, doing string) {
	*p = progress{began: now, doing: doing, used: p.used, window: p.window}
}

func (p *progress) stream(text, doing string, now time.Time) {
	if p.first.IsZero() {
		p.first = now
	}
	p.runes += utf8.RuneCountInString(text)
	p.doing = doing
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// text is the status line.
func (p *progress) text(now time.Time) string {
	parts := []string{render.Duration(now.Sub(p.began).Truncate(time.Second).Milliseconds())}
	if elapsed := now.Sub(p.began); elapsed < time.Minute {
		parts[0] = fmt.Sprintf("%ds", int(elapsed.Seconds()))
	}
	if p.step > 0 {
		parts = append(parts, fmt.Sprintf("step %d", p.step))
	}
	if p.in > 0 {
		parts = append(parts, countText(p.in)+" in")
	}
	guess := p.runes / runesPerToken
	if p.out+guess > 0 {
		parts = append(parts, countText(p.out+guess)+" out")
	}
	if took := now.Sub(p.first); guess > 0 && took >= time.Second {
		parts = append(parts, fmt.Sprintf("%.0f tokens/s", float64(guess)/took.Seconds()))
	}
	if p.used > 0 && p.window > 0 {
		parts = append(parts, fmt.Sprintf("window %d %%", 100*p.used/p.window))
	}
	return "  " + strings.Join(append(parts, p.doing), " · ")
}

func countText(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

func bytesText(n int) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}
