package openai

import (
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// fold turns the chunks of one Chat Completions response into deltas.
type fold struct {
	prefix string // of ids made up
	chunk  chunk

	blocks    int // how many have begun
	textBlock int // -1 until it begins
	thinkAt   int // likewise the block of the thinking

	textHalf  wire.Half
	thinkHalf wire.Half
	split     splitter
	scratch   []byte

	details details
	slots   []*slot
	strings interned
	finish  string
	refused bool
	usage   usage
}

func newFold(prefix string) *fold {
	return &fold{prefix: idPrefix(prefix), textBlock: -1, thinkAt: -1}
}

// block begins a block and returns its index.
func (f *fold) block() int {
	f.blocks++
	return f.blocks - 1
}

// Frame takes one chunk.
func (f *fold) Frame(frame provider.Frame, out *wire.Out) (bool, error) {
	if !f.chunk.scan(frame.Data) {
		if err := f.chunk.parse(frame.Data, false); err != nil {
			return false, err
		}
	}
	return false, f.take(out)
}

// Whole takes a response that was not streamed.
func (f *fold) Whole(object []byte, out *wire.Out) error {
	if err := f.chunk.parse(object, true); err != nil {
		return err
	}
	return f.take(out)
}

// take takes what f.chunk holds. An error in it beats the rest, which is
// given out all the same: it had been received.
func (f *fold) take(out *wire.Out) error {
	for _, raw := range f.chunk.usages {
		f.usage.add(raw)
	}
	if f.chunk.aside != nil {
		out.Aside(f.chunk.aside)
	}
	var failed error
	for i := range f.chunk.choices {
		if err := f.choice(&f.chunk.choices[i], out); err != nil {
			failed = err
		}
	}
	if f.chunk.fault != nil {
		return wire.FaultOf(f.chunk.fault).Error()
	}
	return failed
}

func (f *fold) choice(c *choice, out *wire.Out) error {
	if err := f.details.add(c.details, out); err != nil {
		return err
	}
	for _, lit := range c.thinking {
		f.think(lit, out)
	}
	for _, p := range c.text {
		if p.thinking {
			f.think(p.text, out)
		} else {
			f.text(p.text, out)
		}
	}
	if c.refusal != nil {
		f.refused = true
		f.split.flush(f.sink(out)) // it is the answer, also behind thinking that was not closed
		f.text(c.refusal, out)
	}
	for i := range c.calls {
		if err := f.entry(&c.calls[i], out); err != nil {
			return err
		}
	}
	if c.legacy != nil {
		f.function(c.legacy, out)
	}
	if c.finish != nil {
		f.finish = wire.Reason(f.strings.of(c.finish))
	}
	switch {
	case c.fault != nil:
		return wire.FaultOf(c.fault).Error()
	case f.finish == "error":
		return wire.Fault{Words: "the provider broke the answer off with the finish reason error"}.Error()
	}
	return nil
}

// text takes a piece of the answer's text, which may be thinking in tags.
func (f *fold) text(lit literal, out *wire.Out) {
	if f.split.state == plain {
		f.beginText(out)
		out.Text = f.textHalf.Append(out.Text, lit)
		return
	}
	f.scratch = f.textHalf.Append(f.scratch[:0], lit)
	f.split.add(f.scratch, f.thinkAt >= 0, f.sink(out))
}

func (f *fold) beginText(out *wire.Out) {
	if f.textBlock < 0 {
		f.textBlock = f.block()
	}
	out.Begin(provider.TextDelta, f.textBlock, "", "")
}

func (f *fold) beginThinking(out *wire.Out) {
	if f.thinkAt < 0 {
		f.thinkAt = f.block()
	}
	out.Begin(provider.ThinkingDelta, f.thinkAt, "", "")
}

func (f *fold) think(lit literal, out *wire.Out) {
	f.beginThinking(out)
	out.Text = f.thinkHalf.Append(out.Text, lit)
}

func (f *fold) sink(out *wire.Out) sink {
	return func(text []byte, thinking bool) {
		if thinking {
			f.beginThinking(out)
		} else {
			f.beginText(out)
		}
		out.Text = append(out.Text, text...)
	}
}

// Finished reports whether a finish reason has come.
func (f *fold) Finished() bool { return f.finish != "" }

// Usage returns the counts so far.
func (f *fold) Usage() *provider.Usage { return f.usage.get() }

// Flush gives out the text that was held back.
func (f *fold) Flush(out *wire.Out) {
	if f.thinkHalf != 0 {
		f.beginThinking(out)
		out.Text = f.thinkHalf.Flush(out.Text)
	}
	if half := f.textHalf.Flush(nil); half != nil {
		f.split.add(half, f.thinkAt >= 0, f.sink(out))
	}
	f.split.flush(f.sink(out))
}

// End gives out the calls and the finish. Without a finish reason the stream
// ended with [DONE]: the server says that it is through.
func (f *fold) End(out *wire.Out) error {
	n, usable, err := f.finishCalls(out)
	if err != nil {
		return err
	}
	nothing := n == 0 && f.textBlock < 0
	promised := f.finish == "tool_calls" || f.finish == "function_call"
	switch {
	case f.finish == "" && !usable:
		return &provider.Error{
			Kind:      provider.TruncatedStream,
			Message:   "the answer ended without a finish reason, inside the arguments of a call",
			Retryable: true,
		}
	case f.finish == "" && nothing && f.thinkAt < 0, promised && nothing:
		return &provider.Error{
			Kind:      provider.EmptyResponse,
			Message:   "the answer has neither text nor a call",
			Retryable: true,
		}
	}
	if sealed, ok := f.details.block(); ok && !nothing { // thinking alone answers nothing
		out.Done(f.block(), sealed)
	}
	f.chunk = chunk{} // it may hold a whole answer
	out.Finish(f.stop(n > 0), f.usage.get())
	return nil
}

// stop returns why the model stopped, which its calls decide more than its words.
func (f *fold) stop(calls bool) provider.StopReason {
	reason := provider.StopReason(f.finish)
	if f.refused {
		reason = provider.StopRefusal
	}
	switch reason {
	case provider.StopLength, provider.StopContentFilter, provider.StopRefusal, provider.StopPause:
		return reason
	}
	if calls {
		return provider.StopToolCalls
	}
	return provider.StopEnd
}
