package actors

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// simStream is the goroutine of one try, one delta an action.
type simStream struct {
	w             *world
	b             *batcher
	script        []provider.Delta
	err           error
	closed, ended bool
}

// sentText is a piece of text or thinking that was handed over.
type sentText struct {
	block int
	text  string
}

func (w *world) streamer(in any) {
	switch in := in.(type) {
	case OpenStream:
		if w.closed.take(in.Ref) {
			return
		}
		if t := w.turns.turn; t.state == Ended && t.ref.Turn == in.Ref.Turn || w.out.last == in.Ref.Turn {
			w.failf("try %v is asked after its turn has ended", in.Ref)
		}
		for _, tool := range w.running {
			w.failf("try %v begins while call %s of %v runs", in.Ref, tool.call.ID, tool.ref)
		}
		w.stream = &simStream{w: w, b: newBatcher(in.Ref, w.l)}
		w.stream.script, w.stream.err = w.answer(in)
		w.refs = append(w.refs, in.Ref)
	case Grant:
		if s := w.stream; s != nil && s.b.ref == in.Ref {
			s.b.out.Grant(in.Batches, in.Bytes)
			s.flush()
		}
	case CloseStream:
		s := w.stream
		switch {
		case s == nil || s.b.ref != in.Ref:
			w.closed.add(in.Ref)
			w.post(Assembler, StreamEnded{Ref: in.Ref, Err: errClosed})
		case s.ended:
			w.post(Assembler, StreamEnded{Ref: in.Ref, Err: errClosed})
		default:
			s.closed = true
		}
	case Tick:
	}
}

// answer makes what the model says.
func (w *world) answer(in OpenStream) ([]provider.Delta, error) {
	r := w.rand
	var ds []provider.Delta
	blocks, calls := r.IntN(4), 0
	for b := range blocks {
		switch kind := r.IntN(5); {
		case kind < 2, calls == w.l.CallsMax:
			for range r.IntN(5) + 1 {
				ds = append(ds, provider.Delta{Kind: provider.TextDelta, Block: b, Text: w.words(), More: w.chance(2)})
			}
		case kind == 2:
			ds = append(ds, provider.Delta{Kind: provider.ThinkingDelta, Block: b, Text: w.words()})
		default:
			calls++
			names := []string{"read", "read", "read", "write", "run", "ask_read", "ask_write", "deny", "nonsense"}
			id := fmt.Sprintf("%s_b%d", in.Request.IDPrefix, b)
			if w.chance(4) {
				id = "same" // a vendor's mistake
			}
			c := provider.ToolCall{ID: id, Name: names[r.IntN(len(names))], Arguments: []byte(`{}`), Raw: w.words()}
			ds = append(ds,
				provider.Delta{Kind: provider.ToolCallDelta, Block: b, ID: c.ID, Name: c.Name, Text: c.Raw},
				provider.Delta{Kind: provider.BlockDelta, Block: b, Done: c})
		}
	}
	if r.IntN(10) < w.plan.failing {
		kinds := []provider.ErrorKind{provider.HTTPError, provider.TruncatedStream, provider.EmptyResponse, provider.BadJSON}
		err := &provider.Error{Kind: kinds[r.IntN(len(kinds))], Message: "broke", Retryable: !w.chance(4)}
		if w.chance(4) {
			err.RetryAfter = time.Duration(r.IntN(80)) * time.Second
		}
		return ds[:r.IntN(len(ds)+1)], err
	}
	return append(ds, provider.Delta{Kind: provider.FinishDelta, Stop: w.stop(in.Ref, calls), Usage: &provider.Usage{Input: 3, Output: 2}}), nil
}

func (w *world) stop(r Ref, calls int) provider.StopReason {
	switch {
	case w.chance(6):
		return []provider.StopReason{provider.StopLength, provider.StopPause, provider.StopContentFilter, provider.StopRefusal, provider.StopEnd}[w.rand.IntN(5)]
	case calls > 0:
		return provider.StopToolCalls
	default:
		return provider.StopEnd
	}
}

func (w *world) words() string {
	return strings.Repeat([]string{"a", "é", "漢", "🜁", "xyz"}[w.rand.IntN(5)], 1+w.rand.IntN(1+w.rand.IntN(60)))
}

// ready reports whether the goroutine would not block.
func (s *simStream) ready() bool {
	switch {
	case s.ended:
		return false
	case s.closed:
		return true
	case len(s.script) > 0:
		return !s.b.Full() || s.b.out.Open()
	default:
		return len(s.b.pending) == 0 || s.b.out.Open()
	}
}

// step does what streamer.go's deliver and finish do between two waits.
func (s *simStream) step() {
	switch {
	case s.closed:
		if batch, ok := s.b.TakeFree(); ok {
			s.w.post(Assembler, batch)
		}
		s.end(errClosed)
	case len(s.script) > 0:
		s.deliver()
	default:
		s.flush()
		s.end(s.err)
	}
}

func (s *simStream) deliver() {
	if s.b.Full() {
		s.flush()
	}
	d := s.script[0]
	piece := d
	piece.Text, s.script[0].Text = cut(d.Text, s.b.most)
	piece.More = d.More || s.script[0].Text != ""
	if s.script[0].Text == "" {
		s.script = s.script[1:]
	}
	if d.Kind == provider.TextDelta || d.Kind == provider.ThinkingDelta {
		s.w.sent[s.b.ref] = append(s.w.sent[s.b.ref], sentText{piece.Block, piece.Text})
	}
	s.b.Add(piece)
	if !piece.More || s.b.Full() {
		s.flush()
	}
}

func (s *simStream) flush() {
	if batch, ok := s.b.Take(); ok {
		s.w.post(Assembler, batch)
	}
}

func (s *simStream) end(err error) {
	s.ended = true
	s.w.post(Assembler, StreamEnded{Ref: s.b.ref, Err: err})
}

// simTool is a call that runs.
type simTool struct {
	w       *world
	ref     Ref
	index   int
	call    provider.ToolCall
	class   tools.Class
	began   time.Time
	live    *live
	stopped bool
}

// callRun is a call that has run.
type callRun struct {
	ref Ref
	id  string
}

// start begins a call and checks the gate: only reading calls overlap.
func (w *world) start(in startCall) {
	tool := &simTool{w: w, ref: in.Ref, index: in.Index, call: in.Call, class: in.Spec.Class, began: w.now}
	tool.live = &live{ref: in.Ref, limit: w.l.LiveBytes, send: func(text string) {
		w.post(Executor, CallOutput{Ref: in.Ref, Index: in.Index, Text: text})
	}}
	for _, other := range w.running {
		if other.class != tools.ReadOnly || tool.class != tools.ReadOnly {
			w.failf("calls %s and %s overlap", other.call.ID, tool.call.ID)
		}
	}
	if len(w.running) >= w.l.ParallelCalls {
		w.failf("more than %d calls run side by side", w.l.ParallelCalls)
	}
	if w.l.ReaderWindow == 1 && !w.reader.tookMessage(in.Ref) {
		w.failf("in lockstep call %s started before the reader had taken its message", in.Call.ID)
	}
	if w.ran[callRun{in.Ref, in.Call.ID}] && in.Call.ID != "same" {
		w.failf("call %s of %v runs twice", in.Call.ID, in.Ref)
	}
	w.ran[callRun{in.Ref, in.Call.ID}] = true
	w.running = append(w.running, tool)
}

func (s *simTool) step() {
	if !s.stopped && s.w.chance(2) {
		s.live.put(s.w.words())
		return
	}
	for i, other := range s.w.running {
		if other == s {
			s.w.running = append(s.w.running[:i], s.w.running[i+1:]...)
			break
		}
	}
	r := tools.Result{Text: s.w.words()}
	if s.stopped || s.w.chance(5) {
		r.Kind = tools.Failed
	}
	s.live.close()
	s.w.post(Executor, CallDone{Ref: s.ref, Index: s.index, Result: r, StartedAt: s.began, Stopped: s.stopped})
}

// simReader is the controlling reader. It grants what it has taken whenever
// chance says so; a lazy one also rests for long.
type simReader struct {
	w      *world
	events []Event // all it got
	taken  int     // how many of them it has granted back
	rests  time.Time
	frozen bool
}

// Take implements Reader.
func (r *simReader) Take(b Batch) {
	r.events = append(r.events, b.Events...)
	if out := len(r.events) - r.taken; out > r.w.l.ReaderWindow {
		r.w.failf("the reader was given %d events, its window is %d", out, r.w.l.ReaderWindow)
	}
}

func (r *simReader) actions() []func() {
	if r.freezes() || r.taken == len(r.events) || r.rests.After(r.w.now) {
		return nil
	}
	return []func(){func() {
		if r.w.plan.lazyReader && r.w.chance(20) {
			r.rests = r.w.now.Add(time.Duration(r.w.rand.IntN(3000)) * time.Millisecond)
			return
		}
		n := 1 + r.w.rand.IntN(len(r.events)-r.taken)
		for _, e := range r.events[r.taken : r.taken+n] {
			r.w.user.sees(e)
		}
		r.taken += n
		r.w.post(Supervising, Grant{From: Reporter, Batches: n})
	}}
}

func (r *simReader) tookMessage(ref Ref) bool {
	for _, e := range r.events[:r.taken] {
		if m, ok := e.(MessageCompleted); ok && m.Ref() == ref {
			return true
		}
	}
	return false
}

func (r *simReader) story() string {
	var all strings.Builder
	for _, e := range r.events {
		line, err := AppendEvent(nil, e)
		if err != nil {
			return err.Error()
		}
		all.Write(line[:min(len(line), 240)])
		all.WriteByte('\n')
	}
	return all.String()
}

// simUser posts prompts, cancels, and answers what asks for consent.
type simUser struct {
	w                *world
	prompts, cancels int
	made             int
	asked            []string
	fate             map[string]int // of accepted prompts: how many events told it
	open             int            // cancels that are not answered
}

func (u *simUser) actions() []func() {
	var acts []func()
	if u.prompts > 0 && (u.w.chance(3) || u.w.session.turn == "") {
		acts = append(acts, u.post)
	}
	if u.cancels > 0 && u.w.chance(12) {
		acts = append(acts, u.cancel)
	}
	if len(u.asked) > 0 {
		acts = append(acts, u.resolve)
	}
	return acts
}

func (u *simUser) post() {
	u.prompts--
	u.made++
	id := fmt.Sprintf("q%d", u.made)
	u.w.post(Supervising, Prompt{ID: id, Text: "do " + id, Reply: func(err error) {
		if err == nil {
			u.fate[id] += 0
		} else if !errors.Is(err, ErrBusy) {
			u.w.failf("prompt %s: %v", id, err)
		}
	}})
}

func (u *simUser) cancel() {
	u.cancels--
	mode := CancelMode(u.w.rand.IntN(2))
	if u.w.reader.frozen {
		mode = CancelNow // a step that is to end first waits for the reader
	}
	u.stop(mode)
}

func (u *simUser) stop(mode CancelMode) {
	u.open++
	u.w.post(Supervising, Cancel{Mode: mode, Ended: func(Outcome) { u.open-- }})
}

func (u *simUser) resolve() {
	call := u.asked[0]
	u.asked = u.asked[1:]
	decision := []string{"allow", "allow", "allow_always", "deny", "perhaps"}[u.w.rand.IntN(5)]
	u.w.post(Supervising, Resolve{Call: call, Decision: decision, Note: "ok"})
}

func (u *simUser) sees(e Event) {
	switch e := e.(type) {
	case ApprovalRequested:
		if u.w.l.ApprovalWait == 0 || !u.w.chance(3) { // else nobody answers in time
			u.asked = append(u.asked, e.Call)
		}
	case TurnStarted:
		u.fate[e.PromptID]++
	case PromptJoined:
		u.fate[e.PromptID]++
	case PromptDropped:
		u.fate[e.PromptID]++
	}
}
