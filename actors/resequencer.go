package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"fmt"
	"unicode/utf8"
)

// resequencer puts the events of calls that run side by side back into call
// order: the call at the head shows its events as they come, one behind it
// keeps them, its live output within liveMax bytes (EVENTS rule 1).
type resequencer struct {
	slots   []slot
	head    int
	liveMax int
}

// slot is what one call has to show and has not shown.
type slot struct {
	id       string
	started  *ToolStarted
	live     liveText
	finished *ToolFinished
}

func newResequencer(ids []string, liveMax int) *resequencer {
	r := &resequencer{slots: make([]slot, len(ids)), liveMax: liveMax}
	for i, id := range ids {
		r.slots[i].id = id
	}
	return r
}

// Start, Output and Finish take what call i has to show.
func (r *resequencer) Start(i int, e ToolStarted)   { r.slots[i].started = &e }
func (r *resequencer) Output(i int, text string)    { r.slots[i].live.add(text, r.liveMax) }
func (r *resequencer) Finish(i int, e ToolFinished) { r.slots[i].finished = &e }
func (r *resequencer) Done() bool                   { return r.head == len(r.slots) }

// Ready reports whether Next has something.
func (r *resequencer) Ready() bool {
	if r.Done() {
		return false
	}
	s := &r.slots[r.head]
	return s.started != nil || s.live.any() || s.finished != nil
}

// Next takes the event that may be shown now, if there is one. After a
// ToolFinished the next call is at the head.
func (r *resequencer) Next() (Event, bool) {
	if r.Done() {
		return nil, false
	}
	s := &r.slots[r.head]
	switch {
	case s.started != nil:
		e := *s.started
		s.started = nil
		return e, true
	case s.live.any():
		return ToolOutput{Call: s.id, Text: s.live.take()}, true
	case s.finished != nil:
		e := *s.finished
		*s = slot{}
		r.head++
		return e, true
	default:
		return nil, false
	}
}

// liveText is live output that waits to be shown: whole up to a cap, beyond it
// its head and its tail.
type liveText struct {
	head, tail []byte
	cut        int
}

func (l *liveText) any() bool { return len(l.head) > 0 }

// add appends text; of what is beyond limit only the last half stays.
func (l *liveText) add(text string, limit int) {
	half := limit / 2
	if len(l.tail) == 0 && l.cut == 0 {
		fits, rest := text, ""
		if room := limit - len(l.head); len(text) > room {
			fits, rest = cut(text, max(0, room))
			if room <= 0 {
				fits, rest = "", text
			}
		}
		l.head = append(l.head, fits...)
		text = rest
	}
	l.tail = append(l.tail, text...)
	if over := len(l.tail) - half; over > 0 {
		for over < len(l.tail) && !utf8.RuneStart(l.tail[over]) {
			over++
		}
		l.cut += over
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
}

// take returns what waits and forgets it.
func (l *liveText) take() string {
	text := string(l.head)
	switch {
	case l.cut > 0:
		text += fmt.Sprintf("\n… %d bytes of live output not shown …\n%s", l.cut, l.tail)
	default:
		text += string(l.tail)
	}
	*l = liveText{}
	return text
}
