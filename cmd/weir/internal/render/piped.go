package render

import (
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// Piped turns events into two streams for a program whose standard output is
// no terminal: the answers, each once its message is complete, so that a retry
// never doubles one, and the rest, live. The zero value is ready; it is used by
// one goroutine. It holds the text of the message on its way.
type Piped struct {
	Screen Screen // writes the rest
	held   []pipeline.TextDelta
}

// Append appends what e shows to the two streams.
func (p *Piped) Append(answers, rest []byte, e pipeline.Event) (newAnswers, newRest []byte) {
	switch e := e.(type) {
	case pipeline.TextDelta:
		p.held = append(p.held, e)
		return answers, rest
	case pipeline.MessageCompleted:
		p.held = nil
		p.Screen.shown, p.Screen.wrote = false, false
		return appendAnswer(answers, e.Blocks), p.Screen.EndLine(rest)
	case pipeline.StreamFailed, pipeline.TurnEnded:
		for _, d := range p.held {
			rest = p.Screen.Append(rest, d)
		}
		p.held = nil
	case pipeline.RetryScheduled: // its text has gone with the failure
		p.held = nil
	}
	return answers, p.Screen.Append(rest, e)
}

// appendAnswer appends the text of a message, ended by a line feed if there is any.
func appendAnswer(dst []byte, blocks []provider.Block) []byte {
	var esc Escaper
	begin, broken := len(dst), false
	for _, b := range blocks {
		t, ok := b.(provider.Text)
		if !ok || t.Text == "" {
			broken = true
			continue
		}
		if broken {
			dst = endLine(esc.Flush(dst), begin)
		}
		dst, broken = esc.Append(dst, t.Text), false
	}
	return endLine(esc.Flush(dst), begin)
}

func endLine(dst []byte, begin int) []byte {
	if len(dst) > begin && dst[len(dst)-1] != '\n' {
		dst = append(dst, '\n')
	}
	return dst
}
