package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
)

// recorder writes the facts of a session to its journal, in order, one write at
// a time in a goroutine. With a journal that is not durable nobody waits for it.
type recorder struct {
	journal journal.Journal
	session string
	host    *supervisor
	waiting []entry // durable: one of each outlet; else up to Limits.recordBytes
	bytes   int     // of what waits
	lost    bool    // more came than that, or it hangs: nothing is recorded any more
	writing bool
	failed  bool           // told once
	closed  bool           // the session ends: the rest is written by flush
	running sync.WaitGroup // the write that is under way
}

// entry is a commit on its way to the journal.
type entry struct {
	records []journal.Record
	ack     Stage // whose Committed is due
	gen     int   // of which set
	acked   bool  // one is due
}

// recorded says that n entries have been written, or why not.
type recorded struct {
	entries []entry
	err     error
}

func newRecorder(j journal.Journal, session string, host *supervisor) *recorder {
	return &recorder{journal: j, session: session, host: host}
}

// add records the facts of a commit.
func (r *recorder) add(c Commit) {
	if r.journal == nil || r.lost && !r.journal.Durable() {
		return
	}
	if r.lost { // who waits for it goes on unsaved
		r.host.send(Supervising, recorded{entries: []entry{{ack: c.From, gen: c.Gen, acked: true}}})
		return
	}
	r.put(entry{records: r.encode(c.Facts), ack: c.From, gen: c.Gen, acked: r.journal.Durable()})
}

func (r *recorder) put(e entry) {
	size := 0
	for _, rec := range e.records {
		size += len(rec.Data) + recordOverhead
	}
	if !e.acked && r.bytes > 0 && r.bytes+size > r.host.config.Limits.recordBytes() {
		r.lost = true // a record with a hole would tell a history that never was
		r.host.send(Supervising, unrecorded{errSlowJournal})
		return
	}
	r.bytes += size
	r.waiting = append(r.waiting, e)
	r.write()
}

// write starts the next write, if none runs.
func (r *recorder) write() {
	if r.writing || r.closed || len(r.waiting) == 0 {
		return
	}
	entries := r.waiting
	r.waiting, r.bytes, r.writing = nil, 0, true
	r.running.Add(1)
	// Ends when the journal has the records; flush, and so Close, waits for it.
	go func() {
		defer r.running.Done()
		var all []journal.Record
		for _, e := range entries {
			all = append(all, e.records...)
		}
		r.host.send(Supervising, recorded{entries, r.append(all)})
	}()
}

// done acknowledges what has been written and starts the next write. A journal
// that fails is told once; the work goes on unsaved (I9).
func (r *recorder) done(in recorded) []Send {
	r.writing = false
	if f, ok := in.err.(*fault); ok && f.late { // it may still write: nothing must come in between
		r.lost = true
		in.entries = append(in.entries, r.waiting...)
		r.waiting, r.bytes = nil, 0
	}
	var sends []Send
	if in.err != nil && !r.failed {
		r.failed = true
		sends = append(sends, Send{Reporter, Post{From: Supervising, Free: true, Events: []Event{unsaved(in.err)}}})
	}
	for _, e := range in.entries {
		if e.acked {
			sends = append(sends, Send{e.ack, Committed{Gen: e.gen}})
		}
	}
	r.write()
	return sends
}

// recordOverhead is about what a record weighs beside its data.
const recordOverhead = 200

var errSlowJournal = errors.New("its journal takes records slower than they come")

// unrecorded says, once, that the recording has been given up.
type unrecorded struct{ why error }

func unsaved(err error) Notice {
	return Notice{Level: "warn", Code: "unsaved", Text: fmt.Sprintf("the session is no longer saved: %v", err)}
}

// close returns the records that wait, for flush: no write is started any more.
func (r *recorder) close() []journal.Record {
	r.closed = true
	var rest []journal.Record
	for _, e := range r.waiting {
		rest = append(rest, e.records...)
	}
	return rest
}

// flush writes what close returned, after the write that was under way. There
// is nobody left to tell of an error.
func (r *recorder) flush(rest []journal.Record) {
	r.running.Wait()
	if len(rest) > 0 {
		_ = r.append(rest)
	}
}

// append writes records, also when the session has ended. A journal that takes
// longer than HookTime, and does not end StopGrace later, is given up.
func (r *recorder) append(records []journal.Record) error {
	limits := r.host.config.Limits
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.host.ctx), limits.HookTime)
	defer cancel()
	err, fault := foreign(ctx, "the journal", limits.StopGrace, func() error { return r.journal.Append(ctx, r.session, records...) })
	if fault != nil {
		return fault
	}
	return err
}

// encode makes records of facts.
func (r *recorder) encode(facts []any) []journal.Record {
	records := make([]journal.Record, 0, len(facts))
	for _, f := range facts {
		kind, turn, data := factData(f)
		var raw bytes.Buffer
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false) // as in the events
		if err := enc.Encode(data); err != nil {
			panic(fmt.Sprintf("actors: recorder: a %s fact cannot be encoded: %v", kind, err))
		}
		records = append(records, journal.Record{Kind: kind, Turn: turn, At: time.Now().UTC(), Data: bytes.TrimSuffix(raw.Bytes(), []byte("\n"))})
	}
	return records
}

// factData returns the kind, the turn and the stored form of a fact.
func factData(f any) (kind, turn string, data any) {
	switch f := f.(type) {
	case PromptAccepted:
		return "prompt_accepted", "", promptData(f.Prompt)
	case PromptsJoined:
		var all []any
		for _, p := range f.Prompts {
			all = append(all, promptData(p))
		}
		return "prompts_joined", "", all
	case PromptWithdrawn:
		return "prompt_withdrawn", "", f
	case CancelAsked:
		return "cancel_asked", f.Turn, f
	case MessageKept:
		return "message_kept", f.Ref.Turn, struct {
			Ref    Ref
			Blocks []provider.Block
			Stop   provider.StopReason
			Usage  *provider.Usage
		}{f.Ref, f.Message.Blocks, f.Stop, f.Usage}
	case CallApproved:
		return "call_approved", f.Ref.Turn, f
	case CallStarted:
		return "call_started", f.Ref.Turn, f
	case CallEnded:
		return "call_ended", f.Ref.Turn, f
	case HistoryReplaced:
		return "history_replaced", "", f
	case TurnClosed:
		return "turn_closed", f.Turn, f.Ended
	default:
		panic(fmt.Sprintf("actors: recorder: no such fact %T", f))
	}
}

func promptData(p Prompt) any {
	return struct {
		ID     string           `json:"id"`
		Text   string           `json:"text"`
		Attach []provider.Block `json:"attach,omitempty"`
	}{p.ID, p.Text, p.Attach}
}
