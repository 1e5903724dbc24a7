package actors

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// callsTest tells a story to the executor's machine. Effects are named in a
// few words each, so that a story fits a screen; events keep their own test.
type callsTest struct {
	t   *testing.T
	m   *calls
	now time.Time
	ref Ref
	got []string
	raw []Send
}

// newCallsTest returns one that was asked to run calls a, b, … with the names given.
func newCallsTest(t *testing.T, edit func(*Limits), names ...string) *callsTest {
	l := Limits{}.Default()
	if edit != nil {
		edit(&l)
	}
	k := &callsTest{t: t, m: newCalls(l), now: noon, ref: ref(1, 1)}
	k.in(RunCalls{Ref: k.ref, Calls: named(names...)})
	k.pass()
	return k
}

func named(names ...string) []provider.ToolCall {
	var list []provider.ToolCall
	for i, n := range names {
		c := reads(i)
		c.Name = n
		list = append(list, c)
	}
	return list
}

func (k *callsTest) in(inputs ...any) {
	k.t.Helper()
	for _, in := range inputs {
		for _, s := range k.m.Handle(in, k.now) {
			k.raw = append(k.raw, s)
			k.got = append(k.got, words(s)...)
		}
	}
}

// words says an effect shortly.
func words(s Send) []string {
	switch in := s.In.(type) {
	case Post:
		return eventWords(in)
	case Commit:
		var all []string
		for _, f := range in.Facts {
			switch f := f.(type) {
			case CallStarted:
				all = append(all, "fact: "+f.Call+" starts")
			case CallApproved:
				all = append(all, strings.TrimSpace("fact: "+f.Call+" approved "+f.Rule))
			case CallEnded:
				all = append(all, "fact: "+f.Result.Call+" ended")
			}
		}
		for _, then := range in.Then {
			all = append(all, words(then)...)
		}
		return all
	case startCall:
		return []string{"start " + in.Call.ID}
	case stopCall:
		return []string{"stop " + string(rune('a'+in.Index))}
	case checkCalls:
		ids := ""
		for _, c := range in.Calls {
			ids += " " + c.call.ID
		}
		return []string{"check" + ids}
	case CallFinished:
		return []string{"turn: " + in.Result.Call + " finished"}
	case ApprovalWaiting:
		return []string{map[bool]string{true: "turn: waits for consent", false: "turn: waits no more"}[in.Waiting]}
	case CallsClosed:
		return []string{"turn: closed"}
	case endScope:
		return []string{"end scope"}
	case rememberRule:
		return []string{"remember " + in.Rule}
	case SetTimer:
		if in.At.IsZero() {
			return []string{"timer off"}
		}
		return []string{"timer " + in.At.Sub(noon).String()}
	default:
		return []string{"?"}
	}
}

func eventWords(p Post) []string {
	free := ""
	if p.Free {
		free = "free "
	}
	var all []string
	for _, e := range p.Events {
		switch e := e.(type) {
		case ToolStarted:
			all = append(all, free+"show "+e.Call+" started")
		case ToolOutput:
			all = append(all, free+"show "+e.Call+" says "+e.Text)
		case ToolFinished:
			all = append(all, strings.TrimSpace(free+"show "+e.Call+" finished "+e.ErrorKind))
		case ApprovalRequested:
			all = append(all, free+"show "+e.Call+" asks")
		case ApprovalResolved:
			all = append(all, free+"show "+e.Call+" "+e.Decision+" by "+e.By)
		}
	}
	return all
}

func (k *callsTest) want(effects ...string) {
	k.t.Helper()
	if diff := cmp.Diff(effects, k.got); diff != "" {
		k.t.Errorf("effects (-want +got):\n%s", diff)
	}
	k.pass()
}

func (k *callsTest) pass() { k.got, k.raw = nil, nil }

// looked says what the registry and the policy think of call i, by its tool.
func (k *callsTest) looked(indexes ...int) {
	k.t.Helper()
	for _, i := range indexes {
		c := CallChecked{Ref: k.ref, Index: i, Verdict: tools.Verdict{Decision: tools.Allow, By: "mode"}}
		switch name := k.m.list[i].Name; name {
		case "write":
			c.Spec.Class = tools.Mutating
		case "run":
			c.Spec.Class = tools.Exec
		case "ask":
			c.Spec.Class = tools.Mutating
			c.Verdict = tools.Verdict{Decision: tools.Ask, By: "mode", Reason: "it writes", Suggestion: "ask(*)"}
		case "deny":
			c.Verdict = tools.Verdict{Decision: tools.Deny, By: "rule", Reason: "no"}
		case "unknown":
			c.Refused = &tools.Result{Kind: tools.UnknownTool, Text: "there is no such tool"}
		}
		k.in(c)
	}
}

func (k *callsTest) done(indexes ...int) {
	k.t.Helper()
	for _, i := range indexes {
		k.in(CallDone{Ref: k.ref, Index: i, Result: tools.Result{Text: "done"}, StartedAt: k.now})
	}
}

func TestCallsAreCheckedStartedShownAndTold(t *testing.T) {
	k := newCallsTest(t, nil)
	k.in(RunCalls{Ref: k.ref, Calls: named("read")})
	k.want("check a")
	k.looked(0)
	k.want("show a started", "fact: a starts", "start a")
	k.in(CallOutput{Ref: k.ref, Index: 0, Text: "half"})
	k.want("show a says half")
	k.done(0)
	k.want("fact: a ended", "show a finished", "turn: a finished")
}

func TestReadingCallsRunSideBySideUpToTheirLimit(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.ParallelCalls = 2 }, "read", "read", "read")
	k.looked(0, 1, 2)
	k.want("show a started", "fact: a starts", "start a", "fact: b starts", "start b")
	k.done(1) // b is first, but a stands before it
	k.want("fact: b ended", "fact: c starts", "start c")
	k.done(0)
	k.want("fact: a ended", "show a finished", "show b started", "show b finished", "show c started", "turn: a finished", "turn: b finished")
}

func TestAnythingElseRunsAloneAndInOrder(t *testing.T) {
	k := newCallsTest(t, nil, "read", "write", "read", "run", "read")
	k.looked(4, 3, 2, 1, 0) // whatever order the checks come in
	k.want("show a started", "fact: a starts", "start a")
	k.done(0)
	k.want("fact: a ended", "show a finished", "show b started", "fact: b starts", "start b", "turn: a finished")
	k.done(1)
	k.want("fact: b ended", "show b finished", "show c started", "fact: c starts", "start c", "turn: b finished")
	k.done(2)
	k.want("fact: c ended", "show c finished", "show d started", "fact: d starts", "start d", "turn: c finished")
	k.done(3)
	k.want("fact: d ended", "show d finished", "show e started", "fact: e starts", "start e", "turn: d finished")
}

func TestACallThatCannotRunIsAnswered(t *testing.T) {
	k := newCallsTest(t, nil, "unknown", "deny")
	k.looked(0)
	k.want("fact: a ended", "show a finished unknown_tool", "turn: a finished")
	k.looked(1)
	k.want("fact: b ended", "show b deny by rule", "show b finished denied", "turn: b finished")
}

func TestRefusedCallsAllGetThatResult(t *testing.T) {
	k := newCallsTest(t, nil)
	k.in(RunCalls{Ref: k.ref, Calls: named("read", "write"), Refuse: &Refusal{tools.NotRun, "cut"}})
	k.want("fact: a ended", "fact: b ended", "show a finished not_run", "show b finished not_run", "turn: a finished", "turn: b finished")
}

// The whole values once: what the event, the result and the fact of a call say.
func TestAFinishedCallSaysAllOfItself(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.OutputBytes = 64 }, "read")
	k.looked(0)
	k.pass()
	began := noon.Add(2 * time.Second)
	text := strings.Repeat("x", 40) + "\xff" + strings.Repeat("y", 40)
	k.in(CallDone{
		Ref: k.ref, Index: 0, StartedAt: began, Duration: 1500 * time.Millisecond, Stack: "s",
		Result: tools.Result{Text: text, Kind: tools.Failed, Background: []int{7}, Images: []tools.Image{{MediaType: "image/png", Data: []byte{1}}}},
	})
	said := strings.Repeat("x", 12) + "\n… 59 bytes cut …\n" + strings.Repeat("y", 12)
	e := ToolFinished{
		Call: "a", Name: "read", Text: said, Truncated: true, StartedAt: &began, WaitMS: 2000, DurationMS: 1500, ErrorKind: "failed", Background: []int{7},
	}
	r := provider.ToolResult{Call: "a", Name: "read", Text: said, IsError: true, Images: []provider.Image{{MediaType: "image/png", Data: []byte{1}}}}
	want := []Send{
		{Supervising, Commit{Facts: []any{CallEnded{Ref: k.ref, Result: r, Event: e, Stack: "s"}}}},
		{Reporter, Post{From: Executor, Ref: k.ref, Events: []Event{e}, Bytes: len(said)}},
		{Turning, CallFinished{Ref: k.ref, Result: r, Event: e}},
	}
	if diff := cmp.Diff(want, k.raw); diff != "" {
		t.Error(diff)
	}
	if len(said) > 64 {
		t.Errorf("%d bytes, more than OutputBytes", len(said))
	}
}

func TestInLockstepACallStartsOnlyWhenTheReaderHasTheEventBefore(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.ReaderWindow = 1 }, "read", "read")
	k.looked(0, 1)
	k.want("show a started", "fact: a starts", "start a")
	k.in(taken(k)...)
	k.want("fact: b starts", "start b")
	k.done(0)
	k.want("fact: a ended", "show a finished")
	k.in(taken(k)...)
	k.want("show b started")
	k.in(taken(k)...)
	k.want("turn: a finished")
	k.done(1)
	k.want("fact: b ended", "show b finished")
	k.in(taken(k)...)
	k.want("turn: b finished")
}

// taken is the reporter's grant once the reader has taken what is out.
func taken(k *callsTest) []any {
	w := k.m.out
	return []any{Grant{From: Executor, Batches: w.batchesMax - w.batches, Bytes: w.bytesMax - w.bytes}}
}

func TestWhatIsShownWaitsForCreditButTheCallsGoOn(t *testing.T) {
	k := newCallsTest(t, func(l *Limits) { l.HopBatches = 1 }, "write", "write")
	k.looked(0, 1)
	k.want("show a started", "fact: a starts", "start a")
	k.done(0)
	k.want("fact: a ended", "fact: b starts", "start b")
	if !k.m.Stalled() {
		t.Error("it does not say that it waits")
	}
	k.done(1)
	k.want("fact: b ended")
	k.in(taken(k)...)
	k.want("show a finished", "show b started", "show b finished", "turn: a finished", "turn: b finished")
}

// Late and stale news of calls change nothing (I12).
func TestStaleNewsOfCallsChangeNothing(t *testing.T) {
	k := newCallsTest(t, nil, "read")
	old := ref(1, 0)
	k.in(CallChecked{Ref: old}, CallOutput{Ref: old, Text: "x"}, CallDone{Ref: old}, Tick{Epoch: 9}, ScopeEnded{old},
		Resolve{Call: "a", Decision: "allow"})
	k.want()
	k.looked(0)
	k.done(0)
	k.pass()
	k.done(0)
	k.looked(0)
	k.in(CallOutput{Ref: k.ref, Text: "x"})
	k.want()
}

func TestAnUnknownInputOfTheExecutorPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "actors: executor: no such input string" {
			t.Errorf("panic %v", got)
		}
	}()
	newCallsTest(t, nil).in("nonsense")
}
