package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "github.com/weir-agents/weir/provider"

// errUnread answers who asks for more work while nobody takes what has come of
// the work before (I3).
const errUnread = busyError("too many events of the session wait for their reader; read them, then try again")

// backlog is what of a session waits for its reader, or for its journal, and is
// not bounded by credit. The session takes no prompt while there is too much.
type backlog struct {
	told, toldBytes int // the session's own events that no credit was spent on
	ends, ofTurns   int // ends of turns, and the bytes of what came without credit
	commits         int // bytes of prompts that are not recorded
	replaced        int // histories that are not recorded
}

// backlog returns what waits here and in box.
func (o *outlet) backlog(box *outbox) backlog {
	var b backlog
	for _, s := range o.queue {
		switch in := s.In.(type) {
		case Post:
			b.told += len(in.Events)
			b.toldBytes += in.Bytes
		case Commit:
			for _, f := range in.Facts {
				switch f := f.(type) {
				case PromptAccepted:
					b.commits += promptBytes(f.Prompt)
				case HistoryReplaced:
					b.replaced++
				}
			}
		}
	}
	for _, q := range box.queue {
		end, ended := q.event.(TurnEnded)
		_, began := q.event.(TurnStarted)
		switch {
		case ended:
			b.ends++
			b.ofTurns += len(end.Text)
		case began, q.free && q.event.Head().Turn != "":
			b.ofTurns += q.size
		case q.free:
			b.told++
			b.toldBytes += q.size
		}
	}
	return b
}

// promptBytes is the size of a prompt with what goes with it.
func promptBytes(p Prompt) int {
	n := len(p.Text)
	for _, b := range p.Attach {
		n += provider.BlockBytes(b)
	}
	return n
}

// crowded returns an error if too much waits for more of size bytes. One piece
// of work is taken whatever its size, as by a Window.
func (s *session) crowded(size int) error {
	b, l := s.backlog, s.limits
	waiting := size + b.commits
	for _, q := range [][]Prompt{s.queue, s.joining} {
		for _, p := range q {
			waiting += promptBytes(p)
		}
	}
	switch {
	case b.told >= l.toldMax() || b.toldBytes > 0 && b.toldBytes+size > l.PromptBytes:
		return errUnread
	case b.ends >= l.endsMax() || b.ofTurns > 0 && b.ofTurns+size > l.turnsBytes():
		return errUnread
	case waiting > size && waiting > l.queueBytes():
		return ErrBusy
	default:
		return nil
	}
}
