package actors

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEveryLimitIsValidated(t *testing.T) {
	if err := (Limits{}).Default().Validate(); err != nil {
		t.Fatal(err)
	}
	for want, edit := range map[string]func(*Limits){
		"limit LineBytes is -1, must be at least 1":      func(l *Limits) { l.LineBytes = -1 },
		"limit HopBytes is 15, must be at least 16":      func(l *Limits) { l.HopBytes = 15 },
		"limit ReaderWindow is -3, must be at least 1":   func(l *Limits) { l.ReaderWindow = -3 },
		"limit TurnTime is -1, must be at least 0":       func(l *Limits) { l.TurnTime = -1 },
		"limit OutputBytes is 63, must be at least 64":   func(l *Limits) { l.OutputBytes = 63 },
		"limit Cost is -0.5, must not be negative":       func(l *Limits) { l.Cost = -0.5 },
		"limit ParallelCalls is -1, must be at least 1":  func(l *Limits) { l.ParallelCalls = -1 },
		"limit ReaderPatience is -1, must be at least 0": func(l *Limits) { l.ReaderPatience = -1 },
	} {
		l := Limits{}.Default()
		edit(&l)
		if err := l.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestDefaultKeepsWhatIsSet(t *testing.T) {
	l := Limits{HopBatches: 3, TurnTime: time.Hour, Eager: true}.Default()
	if l.HopBatches != 3 || l.TurnTime != time.Hour || !l.Eager || l.HopBytes != 128<<10 || l.ReaderPatience != 0 {
		t.Errorf("%+v", l)
	}
	if l != l.Default() {
		t.Error("defaults of defaults differ")
	}
}

// I2: with any limits that are taken, what the windows of the senders let
// through and what comes without credit fits each mailbox, and one post more is
// found out. The windows are those that the machines are really made with.
func TestTheCreditFitsEveryMailbox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLimits(t)
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		windows := map[Stage]int{
			Assembler: newBatcher(Ref{}, l).out.batchesMax,
			Reporter:  newAssembler(l, nil).out.batchesMax + newCalls(l).out.batchesMax + newOutlet(l, true).out.batchesMax + newAside(l, true).out.batchesMax,
		}
		for s, credit := range windows {
			free := 0
			for _, r := range l.rooms() {
				if r.to == s && r.limit != "HopBatches" {
					free += r.times * r.of
				}
			}
			if has := l.capacity(s); credit+free > has {
				t.Fatalf("windows of %d batches and %d without credit lead to the %v, whose mailbox has %d places", credit, free, s, has)
			}
		}
		for i := range l.rooms() {
			more := l.rooms()
			more[i].of++
			if err := l.prove(more); err == nil || !strings.Contains(err.Error(), "mailbox") {
				t.Fatalf("one more of %q passes: %v", more[i].what, err)
			}
		}
		if err := l.prove(slices.DeleteFunc(l.rooms(), func(r room) bool { return r.to == Turning })); err == nil {
			t.Fatal("a table without one of the mailboxes passes")
		}
	})
}

// Numbers whose sums overflow, or that no machine holds, are refused by name.
func TestHugeLimitsAreRefused(t *testing.T) {
	for want, set := range map[string]func(l *Limits, n int){
		"limit HopBatches is ":        func(l *Limits, n int) { l.HopBatches = n },
		"limit CallsMax is ":          func(l *Limits, n int) { l.CallsMax = n },
		"limit Prompts is ":           func(l *Limits, n int) { l.Prompts = n },
		"limit ReaderWindow is ":      func(l *Limits, n int) { l.ReaderWindow = n },
		"the limits in bytes come to": func(l *Limits, n int) { l.MessageBytes = n },
	} {
		for _, n := range []int{math.MaxInt, math.MaxInt/2 + 1, math.MaxInt/3 + 1, math.MaxInt/9 + 1} {
			l := Limits{}.Default()
			set(&l, n)
			if want[0] == 't' && n < math.MaxInt/2 {
				continue // twice that is a number still
			}
			if err := l.Validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%d: %v, want %s…", n, err, want)
			}
		}
	}
	l := Limits{PromptBytes: math.MaxInt / 4, LineBytes: math.MaxInt / 4}.Default()
	if err := l.Validate(); err == nil {
		t.Error("limits in bytes whose sum overflows pass")
	}
}
