package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"math"
)

// The headroom of the mailboxes: what may stand in a data lane without credit.
const (
	// endPosts is what a stage hands over without credit when it ends: its
	// pending batch and its closing answer.
	endPosts = 2
	// turnPosts is what turn and supervisor may post to the reporter beyond
	// their windows: the end of a turn each.
	turnPosts = 4
	// commands is how many commands without credit may wait in a mailbox: each
	// actor sends another at most a few before it waits for an answer.
	commands = 16
)

// laneMax is the most places a data lane may have; limits that need more are
// refused, long before a sum of them overflows.
const laneMax = 1 << 24

// room is what one kind of post may have in a mailbox at once: times of a count
// that a limit sets. The rooms are the one table of what may be under way: the
// mailboxes are as large as their rooms, and prove holds the two together.
type room struct {
	to    Stage
	what  string
	limit string // which one sets of; empty for a constant
	times int
	of    int
}

// rooms returns everything that may stand in the data lanes.
func (l Limits) rooms() []room {
	hop := l.hopBatches()
	return []room{
		{Streamer, "tries asked for, answers of its goroutine", "", 1, commands},

		{Assembler, "batches under the credit of the streamer", "HopBatches", 1, l.HopBatches},
		{Assembler, "what a stream that ends hands over", "", 1, endPosts},
		{Assembler, "answers and closings", "", 1, commands},

		{Turning, "a result of each call, and twice whether it waits for consent", "CallsMax", 3, l.CallsMax},
		{Turning, "ends of streams, answers of the supervisor", "", 1, commands},

		// Two pieces of output are one on its way and the rest at its end; all of
		// it may come once more while the call is early, when it is announced too.
		{Executor, "a check, two pieces of output and an end of each call, early ones too", "CallsMax", 9, l.CallsMax},
		{Executor, "calls to run, to void", "", 1, commands},

		{Reporter, "posts under the credit of assembler, executor, turn and supervisor, and of one that was replaced", "HopBatches", 5, hop},
		{Reporter, "what assembler and executor hand over at their end", "", 2, endPosts},
		{Reporter, "ends of a turn, of turn and supervisor", "", 2, turnPosts},
		// A cancel frees what waits for credit in the outlets of both.
		{Reporter, "what is told of prompts", "Prompts", 4, l.Prompts}, // toldMax
		{Reporter, "the end of each prompt that waits, and those that joined", "Prompts", 5, l.Prompts},
		{Reporter, "commands", "", 1, commands},

		{Supervising, "prompts and notices from outside", "Prompts", 2, l.Prompts},
		{Supervising, "approved, started and ended of each call, early ones too", "CallsMax", 5, l.CallsMax},
		{Supervising, "what turn, hooks and recorder say", "", 1, commands},
	}
}

// guests is how much of the supervisor's data lane callers may fill.
func (l Limits) guests() int { return 2 * l.Prompts }

// capacity is the size of the data lane of each stage's mailbox.
func (l Limits) capacity(s Stage) int {
	n := 0
	for _, r := range l.rooms() {
		if r.to == s {
			n += r.times * r.of
		}
	}
	return n
}

// prove returns an error unless all that rooms let in fits each mailbox (I2), and
// what commands of every origin may fill fits the control lane (I7).
func (l Limits) prove(rooms []room) error {
	var need [stages]int
	for _, r := range rooms {
		need[r.to] = plus(need[r.to], times(r.times, r.of))
		if need[r.to] > laneMax {
			return fmt.Errorf("limit %s is %d, too large: with %s the mailbox of the %v would need more than %d places", r.limit, r.of, r.what, r.to, laneMax)
		}
	}
	for s, n := range need {
		if has := l.capacity(Stage(s)); n > has || n == 0 {
			return fmt.Errorf("the limits do not fit together: %d posts may be under way to the %v, whose mailbox has %d places", n, Stage(s), has)
		}
	}
	if n := controlNeed(); n > controlMax {
		return fmt.Errorf("the limits do not fit together: %d commands may be under way, a control lane has %d places", n, controlMax)
	}
	return nil
}

// controlNeed is how many commands may stand in a control lane: those of each
// origin outside, a grant of each hop, and what the session's own actors send.
func controlNeed() int { return (int(origins)-1)*controlGuests + int(stages) + 2*commands }

// plus and times are sums and products of counts that stop at the largest int
// instead of beginning anew below zero.
func plus(ns ...int) int {
	sum := 0
	for _, n := range ns {
		if n > math.MaxInt-sum {
			return math.MaxInt
		}
		sum += n
	}
	return sum
}

func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}

// Ceiling returns how many bytes of a session's data may be in memory at once,
// apart from its history (I3): a line being read and its decoded text, the
// hops, the message being put together and, once more, the text of a turn's
// end, the results of its calls, the prompts that wait, and what is told of
// prompts and of canceled turns before a reader takes it. The copies that a
// journal is being handed come on top: one message that is written and one that
// waits. math.MaxInt stands for more than an int counts, which Validate refuses.
func (l Limits) Ceiling() int {
	const hops = 6 // streamer, assembler, executor, turn, supervisor → …, reporter → reader
	return plus(
		times(2, l.LineBytes),
		times(hops, l.HopBytes),
		times(2, l.MessageBytes),
		times(l.CallsMax, plus(l.OutputBytes, l.LiveBytes)),
		times(2, l.PromptBytes), // queueBytes
		// What is told: in the window, behind it, and turnsBytes of turns.
		times(3, l.PromptBytes), times(4, l.HopBytes),
	)
}
