package actors

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drain(r *resequencer) []string {
	var got []string
	for {
		if ready := r.Ready(); true {
			e, ok := r.Next()
			if ok != ready {
				panic(fmt.Sprintf("Ready says %v, Next %v", ready, ok))
			}
			if !ok {
				return got
			}
			got = append(got, eventWords(Post{Events: []Event{e}})...)
		}
	}
}

func TestTheHeadFlowsAndWhatIsBehindItWaits(t *testing.T) {
	r := newResequencer([]string{"a", "b"}, 100)
	r.Start(1, ToolStarted{Call: "b"})
	r.Output(1, "B1")
	r.Output(1, "B2")
	r.Finish(1, ToolFinished{Call: "b"})
	same(t, []string(nil), drain(r))
	r.Start(0, ToolStarted{Call: "a"})
	r.Output(0, "A1")
	same(t, []string{"show a started", "show a says A1"}, drain(r))
	r.Output(0, "A2")
	same(t, []string{"show a says A2"}, drain(r))
	r.Finish(0, ToolFinished{Call: "a"})
	same(t, []string{"show a finished", "show b started", "show b says B1B2", "show b finished"}, drain(r))
	if !r.Done() {
		t.Error("it is not done")
	}
}

func TestACallThatNeverRanOnlyFinishes(t *testing.T) {
	r := newResequencer([]string{"a", "b"}, 100)
	r.Finish(0, ToolFinished{Call: "a", ErrorKind: "denied"})
	r.Finish(1, ToolFinished{Call: "b", ErrorKind: "not_run"})
	same(t, []string{"show a finished denied", "show b finished not_run"}, drain(r))
}

func TestLiveOutputBeyondItsCapKeepsHeadAndTail(t *testing.T) {
	var l liveText
	l.add("0123456789", 10)
	l.add("abc", 10)
	same(t, "0123456789abc", l.take())
	l.add("0123456789ABCDEFGHIJ", 10)
	l.add("xyz", 10)
	same(t, "0123456789\n… 8 bytes of live output not shown …\nIJxyz", l.take())
	l.add("again", 10) // a new piece after the other was shown
	same(t, "again", l.take())
}

// The bytes that wait are bounded, nothing splits a character, and what fits
// is whole.
func TestLiveOutputIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(16, 40).Draw(t, "limit")
		var l liveText
		var all strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "pieces") {
			piece := rapid.StringN(1, 30, -1).Draw(t, "piece")
			all.WriteString(piece)
			l.add(piece, limit)
			if n := len(l.head) + len(l.tail); n > limit+limit/2+utf8.UTFMax {
				t.Fatalf("%d bytes wait, the limit is %d", n, limit)
			}
		}
		whole, cut := all.String(), l.cut
		head, tail := string(l.head), string(l.tail)
		got := l.take()
		if !utf8.ValidString(got) && utf8.ValidString(whole) {
			t.Fatalf("a character is split: %q", got)
		}
		if cut == 0 && got != whole {
			t.Fatalf("got %q of %q", got, whole)
		}
		if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) || len(head)+cut+len(tail) != len(whole) {
			t.Fatalf("%q, %d cut, %q of %q", head, cut, tail, whole)
		}
	})
}

// In any order of what calls report, what is shown is in call order and whole.
func TestResequencerKeepsCallOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "calls")
		names := make([]string, n)
		for i := range names {
			names[i] = string(rune('a' + i))
		}
		r := newResequencer(names, 1000)
		phase := make([]int, n)
		var got []string
		for left := 3 * n; left > 0; {
			i := rapid.IntRange(0, n-1).Draw(t, "call")
			switch phase[i] {
			case 0:
				r.Start(i, ToolStarted{Call: names[i]})
			case 1:
				r.Output(i, "x")
			case 2:
				r.Finish(i, ToolFinished{Call: names[i]})
			default:
				continue
			}
			phase[i]++
			left--
			got = append(got, drain(r)...)
		}
		var want []string
		for _, c := range names {
			want = append(want, "show "+c+" started", "show "+c+" says x", "show "+c+" finished")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestCapTextKeepsWithinItsCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := strings.ToValidUTF8(rapid.StringN(0, 300, -1).Draw(t, "s"), "?"), rapid.IntRange(64, 200).Draw(t, "limit")
		got, cutShort := capText(s, limit)
		if len(got) > limit || !utf8.ValidString(got) || cutShort != (got != s) {
			t.Fatalf("capped to %d bytes of %d: %q", len(got), limit, got)
		}
	})
}

// has says what slot i holds that was not shown.
func (r *resequencer) has(i int) string {
	where := "behind"
	if i == r.head {
		where = "head"
	}
	s := &r.slots[i]
	for what, there := range map[string]bool{" started": s.started != nil, " output": s.live.any(), " finished": s.finished != nil} {
		if there {
			where += what
		}
	}
	return strings.Join(sortedWords(where), " ")
}

func sortedWords(s string) []string {
	words := strings.Fields(s)
	slices.Sort(words[1:])
	return words
}

// Every input that can come to a call at the head or behind it, whatever of it
// waits, has come, and none that the table does not know.
func TestResequencerTakesEveryInput(t *testing.T) {
	want := map[string][]string{
		"behind":                       {"finish", "start"}, // output comes behind a start only
		"behind started":               {"finish", "output"},
		"behind output started":        {"finish", "output"},
		"head":                         {"finish", "output", "start"},
		"head started":                 {"finish", "next", "output"},
		"head output":                  {"finish", "next", "output"},
		"head output started":          {"finish", "next", "output"},
		"head finished":                {"next"},
		"head finished started":        {"next"},
		"head finished output":         {"next"},
		"head finished output started": {"next"},
	}
	seen := map[string]map[string]bool{}
	chance := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		r := newResequencer([]string{"a", "b", "c"}, 100)
		phase := make([]int, 3)
		for !r.Done() {
			i := r.head + chance.IntN(len(phase)-r.head)
			was, in := r.has(i), ""
			switch roll := chance.IntN(4); {
			case roll == 0 && i == r.head && r.Ready():
				in = "next"
				r.Next()
			case phase[i] == 0 && roll == 1:
				in, phase[i] = "start", 1
				r.Start(i, ToolStarted{Call: "x"})
			case phase[i] == 1 && roll == 2:
				in = "output"
				r.Output(i, "x")
			case phase[i] < 2 && roll == 3:
				in, phase[i] = "finish", 2
				r.Finish(i, ToolFinished{Call: "x"})
			default:
				continue
			}
			if seen[was] == nil {
				seen[was] = map[string]bool{}
			}
			seen[was][in] = true
		}
	}
	got := map[string][]string{}
	for state, ins := range seen {
		got[state] = slices.Sorted(maps.Keys(ins))
	}
	same(t, want, got)
}
