package actors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// assemblerTest tells a story to an assembler.
type assemblerTest struct {
	t   *testing.T
	m   *assembler
	got []Send
}

// newAssemblerTest returns one with try 1 of step 1 open, and a window of two
// batches toward the reporter.
func newAssemblerTest(t *testing.T, edit func(*Limits), strict func(provider.ToolCall) *provider.Error) *assemblerTest {
	l := Limits{HopBatches: 2}.Default()
	if edit != nil {
		edit(&l)
	}
	k := &assemblerTest{t: t, m: newAssembler(l, strict)}
	k.in(OpenStream{Ref: ref(1, 1)})
	return k
}

func (k *assemblerTest) in(inputs ...any) {
	for _, in := range inputs {
		k.got = append(k.got, k.m.Handle(in)...)
	}
}

func (k *assemblerTest) want(sends ...Send) {
	k.t.Helper()
	if diff := cmp.Diff(sends, k.got); diff != "" {
		k.t.Errorf("effects (-want +got):\n%s", diff)
	}
	k.got = nil
}

func text(block int, s string) provider.Delta {
	return provider.Delta{Kind: provider.TextDelta, Block: block, Text: s}
}

func whole(block int, c provider.ToolCall) provider.Delta {
	return provider.Delta{Kind: provider.BlockDelta, Block: block, Done: c}
}

func finish(stop provider.StopReason) provider.Delta {
	return provider.Delta{Kind: provider.FinishDelta, Stop: stop, Usage: usage}
}

func batch(deltas ...provider.Delta) DeltaBatch {
	b := DeltaBatch{Ref: ref(1, 1), Deltas: deltas}
	for _, d := range deltas {
		b.Bytes += len(d.Text) + provider.BlockBytes(d.Done)
	}
	return b
}

// passed is how a batch goes on to the reporter.
func passed(b DeltaBatch) Send {
	return Send{Reporter, b}
}

func granted(batches, bytes int) Send {
	return Send{Streamer, Grant{From: Streamer, Ref: ref(1, 1), Batches: batches, Bytes: bytes}}
}

func completed(stop provider.StopReason, blocks ...provider.Block) MessageCompleted {
	return MessageCompleted{Role: provider.Assistant, Blocks: blocks, Stop: stop, Usage: usage}
}

func posted(events ...Event) Send {
	return Send{Reporter, Post{From: Assembler, Ref: ref(1, 1), Events: events}}
}

func assembled(stop provider.StopReason, blocks ...provider.Block) Send {
	if blocks == nil {
		blocks = []provider.Block{}
	}
	return Send{Turning, MessageAssembled{Ref: ref(1, 1), Message: message(blocks...), Stop: stop, Usage: usage}}
}

var streamEnded, streamClosing = StreamEnded{Ref: ref(1, 1)}, StreamEnded{Ref: ref(1, 1), Err: errClosed}

func TestAssemblerPassesOnAndGrantsBack(t *testing.T) {
	k := newAssemblerTest(t, nil, nil)
	b := batch(text(0, "Hel"), text(0, "lo"))
	k.in(b)
	k.want(passed(b), granted(1, 5))
	k.in(batch(text(0, "!"), finish(provider.StopEnd)), streamEnded)
	// The window toward the reporter is spent: the end waits, and so the turn.
	k.want(passed(batch(text(0, "!"), finish(provider.StopEnd))), granted(1, 1))
	if !k.m.Stalled() {
		t.Error("it does not say that it waits")
	}
	k.in(Grant{From: Assembler, Batches: 1})
	k.want(posted(completed(provider.StopEnd, provider.Text{Text: "Hello!"})), assembled(provider.StopEnd, provider.Text{Text: "Hello!"}))
}

func TestAssemblerGrantsOnlyWhatItPassedOn(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.HopBatches = 4; l.ReaderWindow = 1 }, nil)
	a, b, c := batch(text(0, "a")), batch(text(0, "b")), batch(text(0, "c"))
	k.in(a, b, c) // lockstep: one post at a time
	k.want(passed(a))
	k.in(Grant{From: Assembler, Batches: 1, Bytes: 1})
	k.want(passed(b), granted(2, 2))
}

func TestAssemblerTellsTheTurnInLockstepOnlyWhenTheReaderHasIt(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.ReaderWindow = 1 }, nil)
	k.in(batch(text(0, "a"), finish(provider.StopEnd)), streamEnded)
	k.pass()
	k.in(Grant{From: Assembler, Batches: 1, Bytes: 1})
	k.want(posted(completed(provider.StopEnd, provider.Text{Text: "a"})))
	k.in(Grant{From: Assembler, Batches: 1})
	k.want(assembled(provider.StopEnd, provider.Text{Text: "a"}))
}

func (k *assemblerTest) pass() { k.got = nil }

func TestAssemblerDropsWhatIsStale(t *testing.T) {
	k := newAssemblerTest(t, nil, nil)
	old := batch(text(0, "old"))
	old.Ref = ref(1, 0)
	k.in(old, StreamEnded{Ref: ref(1, 0)})
	k.want()
	k.in(streamEnded, batch(text(0, "late")), streamEnded)
	k.want(Send{Turning, MessageAssembled{Ref: ref(1, 1), Message: message([]provider.Block{}...)}})
}

func TestAssemblerClosesWhileItHolds(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.ReaderWindow = 1 }, nil)
	k.in(batch(text(0, "a")), batch(text(0, "b")), batch(text(0, "c")))
	k.pass()
	k.in(streamClosing)
	k.want(
		Send{Reporter, Post{From: Assembler, Ref: ref(1, 1), Deltas: []provider.Delta{text(0, "b"), text(0, "c")}, Bytes: 2, Free: true}},
		Send{Turning, StreamClosed{ref(1, 1)}},
	)
	k.in(batch(text(0, "late")))
	k.want()
}

// The message was whole and only its event waited: it counts.
func TestAssemblerClosesWithAWholeMessage(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.ReaderWindow = 1 }, nil)
	k.in(batch(text(0, "a"), finish(provider.StopEnd)), streamEnded)
	k.pass()
	k.in(streamClosing)
	done := completed(provider.StopEnd, provider.Text{Text: "a"})
	k.want(
		Send{Reporter, Post{From: Assembler, Ref: ref(1, 1), Events: []Event{done}, Free: true}},
		assembled(provider.StopEnd, provider.Text{Text: "a"}), Send{Turning, StreamClosed{ref(1, 1)}},
	)
}

// I7: a close of a try that never came here is answered, so nobody waits for ever.
func TestAssemblerAnswersACloseOfATryItNeverSaw(t *testing.T) {
	k := newAssemblerTest(t, nil, nil)
	k.in(StreamEnded{Ref: ref(7, 1), Err: errClosed})
	k.want(Send{Turning, StreamClosed{ref(7, 1)}})
}

func TestAssemblerSaysWhetherABrokenTryWasShown(t *testing.T) {
	for name, c := range map[string]struct {
		delta provider.Delta
		shown bool
	}{
		"text":      {text(0, "a"), true},
		"thinking":  {provider.Delta{Kind: provider.ThinkingDelta, Text: "a"}, true},
		"arguments": {provider.Delta{Kind: provider.ToolCallDelta, Text: "a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newAssemblerTest(t, nil, nil)
			k.in(batch(c.delta))
			k.pass()
			k.in(StreamEnded{Ref: ref(1, 1), Err: reset()})
			k.want(Send{Turning, StreamBroke{Ref: ref(1, 1), Err: reset(), Shown: c.shown}})
		})
	}
}

// A break is told only after all that came before it has been passed on (I11).
func TestAssemblerTellsABreakAfterWhatItHolds(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.ReaderWindow = 1 }, nil)
	k.in(batch(text(0, "a")), batch(text(0, "b")), StreamEnded{Ref: ref(1, 1), Err: reset()})
	k.pass()
	k.in(Grant{Batches: 1, Bytes: 1})
	k.want(passed(batch(text(0, "b"))), granted(1, 1))
	k.in(Grant{Batches: 1, Bytes: 1})
	k.want(Send{Turning, StreamBroke{Ref: ref(1, 1), Err: reset(), Shown: true}})
}

func TestAssemblerEndsAnAnswerThatIsTooLarge(t *testing.T) {
	for name, c := range map[string]struct {
		batch DeltaBatch
		said  string
	}{
		"bytes": {batch(text(0, strings.Repeat("x", 11))), "the answer is larger than 10 bytes; ask for less at a time"},
		"calls": {
			batch(whole(0, provider.ToolCall{ID: "a"}), whole(1, provider.ToolCall{ID: "b"}), whole(2, provider.ToolCall{ID: "c"})),
			"the answer asks for more than 2 tool calls; ask for less at a time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newAssemblerTest(t, func(l *Limits) { l.MessageBytes, l.CallsMax = 10, 2 }, nil)
			k.in(c.batch)
			k.want(Send{Streamer, CloseStream{ref(1, 1)}}, passed(c.batch), granted(1, c.batch.Bytes))
			k.in(batch(text(0, "more")), streamEnded) // the end overtook the close
			k.want()
			k.in(streamClosing)
			err := &provider.Error{Kind: provider.TooLarge, Message: c.said}
			k.want(Send{Turning, StreamBroke{Ref: ref(1, 1), Err: err, Shown: name == "bytes"}}, Send{Turning, StreamClosed{ref(1, 1)}})
		})
	}
}

// The same call told twice is one call (an eager reader sees it early).
func TestAssemblerCountsACallOnce(t *testing.T) {
	k := newAssemblerTest(t, func(l *Limits) { l.CallsMax = 1 }, nil)
	k.in(batch(whole(0, reads(0)), whole(0, reads(1)), finish(provider.StopToolCalls)), streamEnded)
	k.pass()
	k.in(Grant{Batches: 1})
	if k.m.err != nil {
		t.Error(k.m.err)
	}
}

func TestAssemblerIsStrictAboutArgumentsIfAsked(t *testing.T) {
	bad := &provider.Error{Kind: provider.BadArguments, Message: "no", Tool: "read"}
	k := newAssemblerTest(t, nil, func(c provider.ToolCall) *provider.Error {
		if c.ID == "b" {
			return bad
		}
		return nil
	})
	k.in(batch(whole(0, reads(0)), whole(1, reads(1)), finish(provider.StopToolCalls)))
	k.pass()
	k.in(streamEnded)
	k.want(Send{Turning, StreamBroke{Ref: ref(1, 1), Err: bad}})
}

func TestAssemblerGivesEveryCallAnIDOfItsOwn(t *testing.T) {
	k := newAssemblerTest(t, nil, nil)
	c := provider.ToolCall{ID: "x", Name: "read"}
	made := provider.ToolCall{ID: "t1_s1a1_b1", Name: "read"} // what b1 is given, by a vendor
	k.in(batch(whole(0, c), whole(1, c), whole(2, made), whole(3, provider.ToolCall{Name: "read"}), finish(provider.StopToolCalls)))
	k.pass()
	k.in(streamEnded)
	var ids []string
	for _, s := range k.got {
		if m, ok := s.In.(MessageAssembled); ok {
			for _, c := range m.Message.Calls() {
				ids = append(ids, c.ID)
			}
		}
	}
	if diff := cmp.Diff([]string{"x", "t1_s1a1_b1", "t1_s1a1_b2", "t1_s1a1_b3"}, ids); diff != "" {
		t.Error(diff)
	}
}

// EVENTS rule 9: an empty message never enters the history, so no event says so.
func TestAssemblerTellsOfNoEmptyMessage(t *testing.T) {
	k := newAssemblerTest(t, nil, nil)
	k.in(batch(provider.Delta{Kind: provider.ThinkingDelta, Text: "hm"}, finish(provider.StopEnd)))
	k.pass()
	k.in(streamEnded)
	k.want(assembled(provider.StopEnd, provider.Thinking{Text: "hm"}))
}

func TestAssemblerWarnsOfABlockItDoesNotKnow(t *testing.T) {
	o := provider.Opaque{Dialect: "x", Raw: []byte(`{}`), Unknown: true}
	k := newAssemblerTest(t, nil, nil)
	k.in(batch(provider.Delta{Kind: provider.BlockDelta, Done: o}, finish(provider.StopEnd)))
	k.pass()
	k.in(streamEnded)
	k.want(posted(Notice{
		Level: "warn", Code: "unknown_block",
		Text: "the model sent a block of a kind this version does not know; it is kept and sent back as it came",
	}, completed(provider.StopEnd, o)), assembled(provider.StopEnd, o))
}
