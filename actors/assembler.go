package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"errors"
	"fmt"

	"github.com/weir-agents/weir/provider"
)

// assembler is the machine that puts the deltas of a try together and passes
// them on under the reporter's credit.
type assembler struct {
	limits Limits
	out    Window // toward the reporter; the session's (I12)
	ref    Ref
	on     bool // a try is open
	shown  bool // text or thinking of this try was passed on
	calls  map[int]bool
	sum    provider.Assembly
	in     Refill // toward the streamer; for one try
	held   []held // waits for credit, in order
	after  []Send // goes when nothing is held any more (I11)
	err    *provider.Error
	strict func(provider.ToolCall) *provider.Error
	sends  []Send
}

// errClosed ends a StreamEnded that answers a CloseStream.
var errClosed = errors.New("closed")

// held is one post that waits for credit.
type held struct {
	in    any // a DeltaBatch, which goes on as it came, or a Post
	bytes int
	owed  bool // to be granted back to the streamer once passed on
}

// newAssembler returns the machine; strict, if not nil, is asked about every
// call of a message and fails the try with its error.
func newAssembler(l Limits, strict func(provider.ToolCall) *provider.Error) *assembler {
	return &assembler{limits: l, out: newWindow(l.hopBatches(), l.HopBytes), strict: strict}
}

// Handle takes one input and returns its effects. The slice is good until the
// next call.
func (a *assembler) Handle(msg any) []Send {
	a.sends = a.sends[:0]
	switch in := msg.(type) {
	case OpenStream: // from the turn, before the streamer has it
		a.open(in.Ref)
	case DeltaBatch:
		a.batch(in, msg)
	case StreamEnded:
		a.end(in)
	case Grant:
		a.out.Grant(in.Batches, in.Bytes)
		a.flush()
	default:
		panic(fmt.Sprintf("actors: assembler: no such input %T", in))
	}
	return a.sends
}

// Stalled reports whether something waits for credit.
func (a *assembler) Stalled() bool { return len(a.held) > 0 && !a.out.Open() }

func (a *assembler) open(r Ref) {
	a.ref, a.on, a.shown, a.err = r, true, false, nil
	a.sum, a.calls, a.held, a.after = provider.Assembly{}, nil, nil, nil
	a.in = newRefill(a.limits.HopBatches, a.limits.HopBytes)
}

// batch takes b, and passes it on as the message that it came in: a copy would
// cost every token an allocation.
func (a *assembler) batch(b DeltaBatch, msg any) {
	if !a.on || b.Ref != a.ref || a.err != nil { // I12: stale; or too large, and closing
		return
	}
	for i := range b.Deltas {
		a.take(&b.Deltas[i])
	}
	if b.Free { // it was on the way here; from here on it spends credit
		msg = Post{From: Assembler, Ref: b.Ref, Deltas: b.Deltas, Bytes: b.Bytes}
	}
	a.pass(held{in: msg, bytes: b.Bytes, owed: !b.Free})
}

// take adds one delta to the message, up to the caps.
func (a *assembler) take(d *provider.Delta) {
	if a.err != nil {
		return
	}
	a.sum.Add(*d)
	switch {
	case d.Kind == provider.TextDelta, d.Kind == provider.ThinkingDelta:
		a.shown = true
	case d.Kind == provider.BlockDelta:
		call, ok := d.Done.(provider.ToolCall)
		if !ok {
			break
		}
		if a.calls == nil {
			a.calls = map[int]bool{}
		}
		a.calls[d.Block] = true
		if a.limits.Eager {
			a.send(Executor, CallReady{Ref: a.ref, Block: d.Block, Call: call})
		}
	}
	switch {
	case a.sum.Bytes() > a.limits.MessageBytes:
		a.tooLarge(fmt.Sprintf("the answer is larger than %d bytes", a.limits.MessageBytes))
	case len(a.calls) > a.limits.CallsMax:
		a.tooLarge(fmt.Sprintf("the answer asks for more than %d tool calls", a.limits.CallsMax))
	}
}

// tooLarge ends the try for good: what comes after is dropped, the streamer is told.
func (a *assembler) tooLarge(what string) {
	a.err = &provider.Error{Kind: provider.TooLarge, Message: what + "; ask for less at a time"}
	a.sum = provider.Assembly{}
	a.send(Streamer, CloseStream{Ref: a.ref})
}

// pass sends h now if there is credit and nothing waits before it.
func (a *assembler) pass(h held) {
	a.held = append(a.held, h)
	a.flush()
}

func (a *assembler) flush() {
	n := 0
	for _, h := range a.held {
		if !a.out.Spend(h.bytes) {
			break
		}
		a.posted(h)
		n++
	}
	a.held = append(a.held[:0], a.held[n:]...)
	a.release()
}

// release lets go of what waited for the last held post. In lockstep it waits
// until the reader has taken that post (DESIGN §3).
func (a *assembler) release() {
	if len(a.held) > 0 || len(a.after) == 0 || a.limits.ReaderWindow == 1 && !a.out.Full() {
		return
	}
	a.sends = append(a.sends, a.after...)
	a.after, a.on = nil, false
}

// posted passes h on and grants its credit back: only now, so that what waits
// here counts against the streamer (I2).
func (a *assembler) posted(h held) {
	a.send(Reporter, h.in)
	if !h.owed {
		return
	}
	if n, bytes := a.in.Passed(h.bytes); n > 0 {
		a.send(Streamer, Grant{From: Streamer, Ref: a.ref, Batches: n, Bytes: bytes})
	}
}

// end closes the try. What tells the turn waits until all events of the try are
// with the reporter, but a close hands everything over at once (I11).
func (a *assembler) end(in StreamEnded) {
	if in.Ref != a.ref { // a close of a try that this assembler never saw
		if in.Err == errClosed {
			a.send(Turning, StreamClosed{Ref: in.Ref})
		}
		return
	}
	switch {
	case in.Err == errClosed:
		a.close(in.Ref)
	case !a.on || len(a.after) > 0: // ended before
	case a.err != nil: // told when the streamer has closed, in close
	case in.Err != nil:
		a.fail(provider.AsError(in.Err))
	default:
		a.complete()
	}
}

// complete makes the message and posts its event.
func (a *assembler) complete() {
	stop, usage, m := a.sum.Stop(), a.sum.Usage(), a.sum.Message()
	a.sum = provider.Assembly{}
	a.uniqueIDs(m)
	if a.strict != nil {
		for _, c := range m.Calls() {
			if err := a.strict(c); err != nil {
				a.fail(err)
				return
			}
		}
	}
	a.after = []Send{{Turning, MessageAssembled{Ref: a.ref, Message: m, Stop: stop, Usage: usage}}}
	if m.Empty() { // never in the history, so no event says it is (EVENTS rule 9)
		a.release()
		return
	}
	post := Post{From: Assembler, Ref: a.ref, Events: a.told(m, stop, usage)}
	a.pass(held{in: post})
}

// uniqueIDs gives a made id to a call that has none or one of an earlier call,
// so that results can be matched, whatever a provider lets through.
func (a *assembler) uniqueIDs(m provider.Message) {
	seen := map[string]bool{"": true}
	for i, b := range m.Blocks {
		c, ok := b.(provider.ToolCall)
		if !ok {
			continue
		}
		if seen[c.ID] {
			c.ID = fmt.Sprintf("%s_s%da%d_b%d", a.ref.Turn, a.ref.Step, a.ref.Attempt, i)
			m.Blocks[i] = c
		}
		seen[c.ID] = true
	}
}

// told returns the events of a complete message.
func (a *assembler) told(m provider.Message, stop provider.StopReason, usage *provider.Usage) []Event {
	var events []Event
	for _, b := range m.Blocks {
		if o, ok := b.(provider.Opaque); ok && o.Unknown {
			events = append(events, Notice{
				Level: "warn", Code: "unknown_block",
				Text: "the model sent a block of a kind this version does not know; it is kept and sent back as it came",
			})
		}
	}
	return append(events, MessageCompleted{Role: m.Role, Blocks: m.Blocks, Stop: stop, Usage: usage})
}

func (a *assembler) fail(err *provider.Error) {
	a.sum = provider.Assembly{}
	a.after = []Send{{Turning, StreamBroke{Ref: a.ref, Err: err, Shown: a.shown}}}
	a.release()
}

// close hands over all that is held in one post without credit and answers.
func (a *assembler) close(r Ref) {
	if a.on {
		free := Post{From: Assembler, Ref: r, Free: true}
		for _, h := range a.held {
			switch in := h.in.(type) {
			case DeltaBatch:
				free.Deltas = append(free.Deltas, in.Deltas...)
			case Post:
				free.Deltas = append(free.Deltas, in.Deltas...)
				free.Events = append(free.Events, in.Events...)
			}
			free.Bytes += h.bytes
		}
		if len(a.held) > 0 {
			a.send(Reporter, free)
		}
		a.held = nil
		if a.err != nil {
			a.after = []Send{{Turning, StreamBroke{Ref: r, Err: a.err, Shown: a.shown}}}
		}
		a.sends = append(a.sends, a.after...)
		a.after, a.on = nil, false
		a.sum = provider.Assembly{}
	}
	a.send(Turning, StreamClosed{Ref: r})
}

func (a *assembler) send(to Stage, in any) { a.sends = append(a.sends, Send{to, in}) }
