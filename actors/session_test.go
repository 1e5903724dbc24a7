package actors

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// sessionTest tells a story to the session's machine. Effects are named in a
// few words each; replies and ends of cancels are called and noted.
type sessionTest struct {
	t   *testing.T
	m   *session
	got []string
	raw []Send
}

func newSessionTest(t *testing.T, edit func(*Limits)) *sessionTest {
	l := Limits{Prompts: 2, PromptBytes: 20}.Default()
	if edit != nil {
		edit(&l)
	}
	return &sessionTest{t: t, m: newTestSession(l, false)}
}

func (k *sessionTest) in(inputs ...any) {
	k.t.Helper()
	for _, in := range inputs {
		sends := append([]Send(nil), k.m.Handle(in)...)
		k.raw = append(k.raw, sends...)
		for _, s := range sends {
			k.note(s)
		}
	}
}

func (k *sessionTest) say(format string, args ...any) {
	k.got = append(k.got, fmt.Sprintf(format, args...))
}

func (k *sessionTest) note(s Send) {
	switch in := s.In.(type) {
	case Commit:
		for _, f := range in.Facts {
			k.say("fact %s", name(f))
		}
		for _, then := range in.Then {
			k.note(then)
		}
	case Post:
		for _, e := range in.Events {
			k.say("event %s", eventLine(e))
		}
	case StartTurn:
		k.say("turn: start %s with %s", in.Turn, in.Prompt.ID)
	case StepPrepared:
		k.say("turn: step %d, %d messages, joined%s", in.Ref.Step, len(in.Request.Messages), ids(in.Joined))
	case CancelTurn:
		k.say("turn: cancel %s", in.Turn)
	case reply:
		in.to(in.err)
	case ended:
		for _, to := range in.to {
			to(in.outcome)
		}
	case shutDown:
		k.say("shut down")
		for _, done := range in.done {
			done()
		}
	case stopHook, turnOver: // for the host
	default:
		k.say("%v: %s", s.To, name(in))
	}
}

func eventLine(e Event) string {
	switch e := e.(type) {
	case PromptQueued:
		return "queued " + e.PromptID
	case PromptDropped:
		return "dropped " + e.PromptID
	case TurnEnded:
		return "turn_ended " + string(e.Outcome)
	case TurnStarted:
		return "turn_started " + e.PromptID
	case ToolFinished:
		return "tool_finished " + strings.TrimSpace(e.Call+" "+e.ErrorKind)
	default:
		return e.Type()
	}
}

func ids(prompts []Prompt) string {
	all := ""
	for _, p := range prompts {
		all += " " + p.ID
	}
	return all
}

func (k *sessionTest) want(effects ...string) {
	k.t.Helper()
	if diff := cmp.Diff(effects, k.got); diff != "" {
		k.t.Errorf("effects (-want +got):\n%s", diff)
	}
	k.pass()
}

func (k *sessionTest) pass() { k.got, k.raw = nil, nil }

// prompt is one whose fate is noted.
func (k *sessionTest) prompt(id string) Prompt {
	return Prompt{ID: id, Text: "do " + id, Reply: func(err error) {
		if err == nil {
			k.say("%s accepted", id)
		} else {
			k.say("%s: %v", id, err)
		}
	}}
}

func (k *sessionTest) canceler() Cancel {
	return Cancel{Ended: func(o Outcome) { k.say("cancel: %q", o) }}
}

func turnDone(turn string, o Outcome) TurnDone {
	return TurnDone{Turn: turn, Outcome: o, Ended: TurnEnded{Outcome: o}}
}

func TestAPromptStartsATurnAndFurtherOnesWait(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"))
	k.want("fact PromptAccepted", "p1 accepted", "turn: start t1 with p1")
	k.in(asks(1))
	k.want("turn: step 1, 1 messages, joined")
	k.in(k.prompt("p2"), k.prompt("p3"), k.prompt("p4"))
	k.want("fact PromptAccepted", "p2 accepted", "event queued p2", "fact PromptAccepted", "p3 accepted", "event queued p3",
		"p4: the session's prompt queue is full; wait for a turn to end")
	k.in(turnDone("t1", Completed))
	k.want("turn: start t2 with p2")
}

func TestPromptsThatCannotBeAccepted(t *testing.T) {
	k := newSessionTest(t, nil)
	empty, large := k.prompt("empty"), k.prompt("large")
	empty.Text, large.Text = " \n", strings.Repeat("x", 15)
	large.Attach = []provider.Block{provider.Image{Data: make([]byte, 6)}}
	k.in(empty, large)
	k.want("empty: the prompt is empty", "large: the prompt has 21 bytes, more than the limit of 20")
	image := k.prompt("image")
	image.Text, image.Attach = "", []provider.Block{provider.Image{Data: []byte{1}}}
	k.in(image)
	k.want("fact PromptAccepted", "image accepted", "turn: start t1 with image")
	k.in(Stop{}, k.prompt("late"))
	k.want("fact CancelAsked", "turn: cancel t1", "late: the session is closed")
}

func TestAPromptWithoutAnIDGetsOne(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(Prompt{Text: "x"})
	k.want("fact PromptAccepted", "turn: start t1 with p1")
}

func TestPromptsJoinTheNextStep(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), asks(1), k.prompt("p2"))
	k.pass()
	k.in(asks(2))
	k.want("turn: step 2, 2 messages, joined p2")
	// Until the turn says that it joined it is the session's, and counts.
	k.in(k.prompt("p3"), k.prompt("p4"))
	k.want("fact PromptAccepted", "p3 accepted", "event queued p3", "p4: the session's prompt queue is full; wait for a turn to end")
	k.in(Commit{Facts: []any{PromptsJoined{[]Prompt{{ID: "p2", Text: "do p2"}}}}}, asks(3))
	k.want("turn: step 3, 3 messages, joined p3")
}

// Every accepted prompt gets an event: a step that its prompts were to join may
// never come.
func TestPromptsOfAStepThatNeverCame(t *testing.T) {
	for outcome, want := range map[Outcome][]string{
		Failed:    {"turn: start t2 with p2"}, // a hook's error, a limit, a crash
		Completed: {"turn: start t2 with p2"},
	} {
		k := newSessionTest(t, nil)
		k.in(k.prompt("p1"), k.prompt("p2"), asks(2))
		k.pass()
		k.in(turnDone("t1", outcome))
		k.want(want...)
	}
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), k.prompt("p2"), asks(2))
	k.pass()
	k.in(k.canceler(), turnDone("t1", Canceled))
	k.want("fact CancelAsked", "turn: cancel t1", "event dropped p2", `cancel: "canceled"`)
}

// A cancel voids the prompts accepted before it, not those after, even if the
// turn asks for a step meanwhile.
func TestACancelVoidsWhatWasAcceptedBeforeIt(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), k.prompt("p2"))
	k.pass()
	k.in(k.canceler(), k.prompt("p3"))
	k.want("fact CancelAsked", "event dropped p2", "turn: cancel t1", "fact PromptAccepted", "p3 accepted", "event queued p3")
	k.in(asks(2))
	k.want("turn: step 2, 0 messages, joined")
	k.in(turnDone("t1", Canceled))
	k.want(`cancel: "canceled"`, "turn: start t2 with p3")
	k.in(turnDone("t1", Canceled)) // I12: late
	k.want()
}

func TestACancelOfNothingIsAnsweredAtOnce(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.canceler())
	k.want(`cancel: ""`)
	k.in(k.prompt("p1"))
	k.pass()
	k.in(Cancel{Turn: "t0", Ended: func(o Outcome) { k.say("cancel: %q", o) }})
	k.want(`cancel: ""`)
}

func TestStopCancelsAndShutsDownAfterTheTurn(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), k.prompt("p2"))
	k.pass()
	k.in(Stop{Done: func() { k.say("one") }}, Stop{Done: func() { k.say("two") }})
	k.want("fact CancelAsked", "event dropped p2", "turn: cancel t1")
	k.in(turnDone("t1", Canceled))
	k.want("shut down", "one", "two")
}

func TestStopOfAnIdleSession(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(Stop{Done: func() { k.say("done") }})
	k.want("shut down", "done")
}

// ---- crash

func crash() Crashed { return Crashed{Stage: Assembler, Reason: "boom"} }

// toolStep brings t1 to where two calls are open and one has its result.
func (k *sessionTest) toolStep() {
	k.in(k.prompt("p1"))
	k.in(Commit{Facts: []any{MessageKept{Ref: ref(1, 1), Message: message(provider.Text{Text: "I look"}, reads(0), reads(1)), Usage: usage}}},
		Commit{Facts: []any{CallEnded{Ref: ref(1, 1), Result: provider.ToolResult{Call: "a"}, Event: ToolFinished{Call: "a", OK: true}}}})
	k.pass()
}

func TestACrashEndsTheTurnAndAnswersItsCalls(t *testing.T) {
	k := newSessionTest(t, nil)
	k.toolStep()
	k.in(crash())
	k.want()
	k.in(rebuilt{crash(), shown{turn: "t1", open: []provider.ToolCall{reads(0), reads(1)}}})
	k.want("event tool_finished a", "event tool_finished b interrupted", "event turn_ended failed")
	p := k.m.history.messages
	if err := provider.CheckHistory(p); err != nil {
		t.Error(err)
	}
	if k.m.turn != "" {
		t.Error("the turn runs on")
	}
}

// The reporter may not have seen the start, or may have seen the end.
func TestACrashTellsWhatNoReaderHasSeen(t *testing.T) {
	k := newSessionTest(t, nil)
	k.toolStep()
	k.in(crash(), rebuilt{crash(), shown{last: "t0"}})
	k.want("event turn_started p1", "event turn_ended failed")

	k = newSessionTest(t, nil)
	k.in(k.prompt("p1"), crash(), k.canceler(), turnDone("t1", Completed))
	k.pass()
	k.in(rebuilt{crash(), shown{last: "t1"}}) // it had ended: nothing is left to tell
	k.want(`cancel: "completed"`)

	k = newSessionTest(t, nil)
	k.in(k.prompt("p1"), crash(), turnDone("t1", Completed))
	k.pass()
	k.in(rebuilt{crash(), shown{turn: "t1"}}) // its end was lost on the way
	k.want("event turn_ended failed")
}

func TestTheErrorOfACrashNamesTheStage(t *testing.T) {
	k := newSessionTest(t, nil)
	k.toolStep()
	k.in(crash())
	k.in(rebuilt{crash(), shown{turn: "t1"}})
	post := k.raw[0].In.(Post)
	want := []Event{TurnEnded{
		Outcome: Failed, Text: "I look", Steps: 1, Usage: *usage, Error: &TurnError{"panic", "the assembler panicked: boom"},
	}}
	if diff := cmp.Diff(want, post.Events); diff != "" || post.Ref != ref(1, 1) || !post.Free {
		t.Errorf("%+v\n%s", post, diff)
	}
}

func TestWhatComesDuringACrashWaits(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(Attach{}, Grant{Batches: 4}, crash(), k.prompt("p1"), Grant{Batches: 2}, Grant{Batches: 3}, Stop{})
	k.want("reporter: Attach", "reporter: Grant", "fact PromptAccepted", "p1 accepted")
	// Of the 4 granted before, 3 had come when the reporter died.
	k.in(rebuilt{crash(), shown{attaches: 1, granted: 3}})
	sends := k.raw
	k.want("reporter: Grant", "event queued p1", "event dropped p1", "shut down")
	if got := sends[0].In; got != (Grant{From: Reporter, Batches: 6}) {
		t.Errorf("%v, want the grants that were lost or waited, in one", got)
	}
}

func TestAReaderThatCameDuringACrashIsAttached(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(Attach{}, Grant{Batches: 4}, crash(), Attach{}, Grant{Batches: 2})
	k.pass()
	k.in(rebuilt{crash(), shown{attaches: 1, granted: 4}})
	sends := k.raw
	k.want("reporter: Attach", "reporter: Grant")
	if got := sends[1].In; got != (Grant{From: Reporter, Batches: 2}) {
		t.Errorf("%v, want what the new reader granted", got)
	}
}

func TestThePromptAfterACrashStartsATurn(t *testing.T) {
	k := newSessionTest(t, nil)
	k.in(k.prompt("p1"), k.prompt("p2"), crash())
	k.pass()
	k.in(rebuilt{crash(), shown{turn: "t1"}})
	k.want("event turn_ended failed", "turn: start t2 with p2")
}

func TestTheErrorsOfTheDoorAreTold(t *testing.T) {
	k := newSessionTest(t, func(l *Limits) { l.Prompts = 1 })
	var got []error
	for range 3 {
		k.in(Prompt{Text: "x", Reply: func(err error) { got = append(got, err) }})
	}
	if !errors.Is(got[2], ErrBusy) || got[0] != nil || got[1] != nil {
		t.Error(got)
	}
}

// ---- history

func TestHistoryKeepsResultsInCallOrder(t *testing.T) {
	var h history
	h.prompt(Prompt{Text: "x"})
	h.keep(message(reads(0), reads(1)))
	view := h.view()
	h.result(provider.ToolResult{Call: "b", Text: "2"})
	h.result(provider.ToolResult{Call: "b", Text: "again"})
	h.result(provider.ToolResult{Call: "z", Text: "of no call"})
	if got := h.unanswered(); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("unanswered: %v", got)
	}
	h.result(provider.ToolResult{Call: "a", Text: "1"})
	want := provider.Message{Role: provider.Tool, Blocks: []provider.Block{provider.ToolResult{Call: "a", Text: "1"}, provider.ToolResult{Call: "b", Text: "2"}}}
	if diff := cmp.Diff(want, h.messages[2]); diff != "" {
		t.Error(diff)
	}
	h.result(provider.ToolResult{Call: "a", Text: "late"})
	if len(h.messages) != 3 || len(view) != 2 {
		t.Errorf("%d messages, view of %d", len(h.messages), len(view))
	}
	// A request may append to its view: the history and other requests do not see it.
	_ = append(h.view(), provider.Message{Role: provider.User})
	h.prompt(Prompt{Text: "y"})
	if h.messages[3].Text() != "y" {
		t.Error("a request wrote into the history")
	}
}

func asks(step int) PrepareStep { return PrepareStep{Ref: ref(step, 1)} }

func newTestSession(l Limits, hooked bool) *session {
	return newSession(l, provider.Request{Model: "m"}, hooked)
}
