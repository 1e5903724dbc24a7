package actors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outletTest gives an outlet effects named by words: "post", "free", "commit",
// "step" (what a turn opens), "grant", "close", and so on.
type outletTest struct {
	t *testing.T
	o *outlet
	n int
}

// newOutletTest returns one with a window of one batch.
func newOutletTest(t *testing.T, make func(Limits, bool) *outlet, durable bool) *outletTest {
	return &outletTest{t: t, o: make(Limits{ReaderWindow: 1}.Default(), durable)}
}

func (k *outletTest) effect(word string) Send {
	switch word {
	case "post", "free":
		k.n++
		return Send{Reporter, Post{From: Turning, Events: []Event{Notice{Code: fmt.Sprint(k.n)}}, Bytes: 1, Free: word == "free"}}
	case "commit":
		return Send{Supervising, Commit{Facts: []any{1}, Then: []Send{{Turning, "then"}}}}
	case "reply":
		return Send{Supervising, Commit{Facts: []any{1}, Then: []Send{{Supervising, reply{}}}}}
	case "refusal":
		return Send{Supervising, reply{err: ErrBusy}}
	case "start":
		return Send{Turning, StartTurn{}}
	case "close":
		return Send{Executor, CloseCalls{}}
	case "cancel":
		return Send{Turning, CancelTurn{}}
	case "resolve":
		return Send{Executor, Resolve{}}
	case "attach":
		return Send{Reporter, Attach{}}
	case "ended":
		return Send{Supervising, ended{}}
	case "shutdown":
		return Send{Supervising, shutDown{}}
	case "prepared":
		return Send{Turning, StepPrepared{}}
	default:
		return Send{Streamer, word}
	}
}

func outletWord(s Send) string {
	switch in := s.In.(type) {
	case Post:
		if in.Free {
			return "free " + in.Events[0].(Notice).Code
		}
		return "post " + in.Events[0].(Notice).Code
	case string:
		return in
	default:
		return strings.ToLower(name(in))
	}
}

func (k *outletTest) put(words string, want ...string) {
	k.t.Helper()
	var sends []Send
	for w := range strings.FieldsSeq(words) {
		sends = append(sends, k.effect(w))
	}
	k.want(k.o.Put(sends), want)
}

func (k *outletTest) want(sends []Send, want []string) {
	k.t.Helper()
	var got []string
	for _, s := range sends {
		got = append(got, outletWord(s))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		k.t.Errorf("(-want +got):\n%s", diff)
	}
}

func (k *outletTest) grant(want ...string) {
	k.t.Helper()
	k.want(k.o.Grant(Grant{Batches: 1, Bytes: 1}), want)
}
func (k *outletTest) committed(want ...string) { k.t.Helper(); k.want(k.o.Committed(), want) }

func TestNoStepStartsBeforeItsEventIsOut(t *testing.T) {
	k := newOutletTest(t, newOutlet, false)
	k.put("post step", "post 1", "step")
	k.put("post step commit step")
	if !k.o.Stalled() {
		t.Error("it does not say that it waits")
	}
	k.grant("post 2", "step", "commit", "then", "step")
	if k.o.Stalled() {
		t.Error("it says that it waits")
	}
}

func TestWhatFollowsACommitWaitsForADurableJournal(t *testing.T) {
	k := newOutletTest(t, newOutlet, true)
	k.put("commit step post", "commit")
	if k.o.Stalled() {
		t.Error("a wait for the journal is not one for credit")
	}
	k.put("step")
	k.committed("then", "step", "post 1", "step")
	k.committed() // of a set that has been replaced: more than it waits for
	k.put("commit commit", "commit")
	k.committed("then", "commit")
	k.committed("then")
}

// I7: what stops work waits for neither, and frees what waits for credit.
func TestACloseWaitsForNothing(t *testing.T) {
	k := newOutletTest(t, newOutlet, false)
	k.put("post post step", "post 1")
	k.put("close step", "closecalls", "free 2", "step", "step")
	k.put("post") // credit counts again
	k.grant("post 3")
	k = newOutletTest(t, newOutlet, true)
	k.put("commit post post", "commit")
	k.put("close", "closecalls")
	k.committed("then", "post 1", "free 2")
}

func TestTheEndOfATurnNeedsNoCredit(t *testing.T) {
	k := newOutletTest(t, newOutlet, false)
	k.put("post post free", "post 1", "free 2", "free 3")
}

func TestCommitsOnlyWaitForTheJournal(t *testing.T) {
	k := newOutletTest(t, newCommits, true)
	k.put("post post commit post", "post 1", "post 2", "commit")
	k.committed("then", "post 3")
}

// The supervisor's: a caller that waits for the answer to its prompt, or for
// the end of its cancel, may be the reader whose credit a post waits for.
func TestPostsOfTheSupervisorHoldNobodyUp(t *testing.T) {
	k := newOutletTest(t, newAside, false)
	k.put("post post", "post 1")
	k.put("reply", "commit", "reply")
	k.put("attach resolve ended prepared shutdown", "attach", "resolve", "ended", "stepprepared", "shutdown")
	k.put("start") // but a turn begins behind what was told before it
	k.put("reply", "commit", "reply")
	k.grant("post 2", "startturn")
}

func TestACancelFreesWhatTheSupervisorHasToTell(t *testing.T) {
	k := newOutletTest(t, newAside, false)
	k.put("post post start", "post 1")
	k.put("post cancel", "cancelturn", "free 2", "startturn", "free 3")
}

func TestTheSupervisorsAnswersWaitForADurableJournal(t *testing.T) {
	k := newOutletTest(t, newAside, true)
	k.put("reply start", "commit")
	k.put("ended reply", "ended")
	k.put("refusal", "reply") // it has nothing to wait for
	k.committed("reply", "startturn", "commit")
	k.committed("reply")
}

// After the five have been replaced, what nobody has got goes on: an answer to
// a prompt, an event. A turn that had not begun is ended by the session.
func TestARenewedOutletKeepsWhatWaits(t *testing.T) {
	k := newOutletTest(t, newAside, true)
	k.put("post post start reply", "post 1", "commit")
	k.o.Renew()
	k.committed("post 2", "reply")
	k.put("post")
	k.grant("post 3")
}
