package actors

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// small are limits of which none comes to much; each test of the ceiling makes
// one of them large.
var small = Limits{
	LineBytes: 64 << 10, HopBatches: 4, HopBytes: 16 << 10, MessageBytes: 64 << 10,
	CallsMax: 8, OutputBytes: 1 << 10, LiveBytes: 1 << 10, ReaderWindow: 4, Prompts: 4, PromptBytes: 64 << 10,
}

// filling is how a session is filled up to one of its bounds.
type filling struct {
	set    func(l *Limits)
	model  func(l Limits, ctx context.Context, say func(provider.Delta) bool) error
	freeze string // the reader takes nothing from the first event of this type on
	kept   bool   // the message is in the history, which the ceiling leaves apart
	flood  bool   // with prompts, until the session is busy
}

// fresh returns n bytes of text that nothing else has.
func fresh(n int) string { return string(bytes.Repeat([]byte("x"), n)) }

// streams says n bytes of text in two blocks, of pieces that fit a hop.
func streams(n int, say func(provider.Delta) bool) {
	const piece = 4 << 10
	for at := 0; at < n; at += piece {
		say(text(2*at/n, fresh(piece)))
	}
}

const large = 8 << 20

var fillings = map[string]filling{
	"a line": {
		set: func(l *Limits) { l.LineBytes = large },
		model: func(_ Limits, _ context.Context, say func(provider.Delta) bool) error {
			line := bytes.Repeat([]byte("x"), large)
			say(text(0, string(line)))
			runtime.KeepAlive(line)
			return nil
		},
		freeze: "session_started",
	},
	"a message on its way": {
		set: func(l *Limits) { l.MessageBytes = large },
		model: func(l Limits, ctx context.Context, say func(provider.Delta) bool) error {
			streams(l.MessageBytes-64<<10, say)
			<-ctx.Done()
			return ctx.Err()
		},
	},
	"a message and the end of its turn": {
		set: func(l *Limits) { l.MessageBytes = large },
		model: func(l Limits, _ context.Context, say func(provider.Delta) bool) error {
			streams(l.MessageBytes-64<<10, say)
			say(finish(provider.StopEnd))
			return nil
		},
		freeze: "message_completed", kept: true,
	},
	"results": {
		set: func(l *Limits) { l.OutputBytes = large / l.CallsMax },
		model: func(l Limits, _ context.Context, say func(provider.Delta) bool) error {
			for i := range l.CallsMax {
				say(whole(i, provider.ToolCall{ID: "c" + strconv.Itoa(i), Name: "read", Arguments: []byte(`{}`), Raw: `{}`}))
			}
			say(finish(provider.StopToolCalls))
			return nil
		},
		freeze: "tool_started",
	},
	"prompts": {
		set: func(l *Limits) { l.PromptBytes = large / 4 },
		model: func(_ Limits, ctx context.Context, _ func(provider.Delta) bool) error {
			<-ctx.Done()
			return ctx.Err()
		},
		freeze: "turn_started", flood: true,
	},
}

// I3: whichever bound a session is filled up to, its heap stays below the
// ceiling; and the ceiling is no more than three times what it can be filled
// with, so that neither a term that is missing nor one that is made up passes.
func TestCeiling(t *testing.T) {
	for name, f := range fillings {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f.check(t) })
		})
	}
}

func (f filling) check(t *testing.T) {
	l := small
	f.set(&l)
	l = l.Default()
	k := newLiveTest(t, Config{
		Limits: l, Policy: allowAll{},
		Tools: registry(t, tool{"read", tools.ReadOnly, func(context.Context, tools.Call) tools.Result { return tools.Result{Text: fresh(l.OutputBytes)} }}),
		Provider: model(func(ctx context.Context, _ provider.Request, say func(provider.Delta) bool) error {
			return f.model(l, ctx, say)
		}),
	})
	frozen := false
	k.send(Attach{To: readerFunc(func(b Batch) {
		for _, e := range b.Events {
			frozen = frozen || e.Type() == f.freeze
		}
		if !frozen {
			k.send(Grant{From: Reporter, Batches: len(b.Events)})
		}
	})})
	synctest.Wait()
	before := heap()
	k.send(Prompt{Text: "go"})
	synctest.Wait()
	if f.flood {
		busy := false
		for !busy {
			k.send(Prompt{Text: fresh(l.PromptBytes), Reply: func(err error) { busy = err != nil }})
			synctest.Wait()
		}
	}
	held := heap() - before
	if f.kept {
		held -= l.MessageBytes - 64<<10
	}
	if most := l.Ceiling(); held > most || most > 3*held {
		t.Errorf("%d KiB are held, the ceiling is %d KiB", held>>10, most>>10)
	}
	if most := l.Ceiling() - l.MessageBytes; f.kept && held > most {
		t.Errorf("%d KiB are held beside the history, more than one text of the end: %d KiB", held>>10, most>>10)
	}
	k.send(Attach{})
	k.close()
	time.Sleep(time.Minute) // virtual: timers end
}

// heap returns how many bytes are in use.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
