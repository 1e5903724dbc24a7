package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/cmd/weir/internal/stdio"
	"github.com/weir-agents/weir/pipeline"
)

// sink shows the events of a session. A call lasts as long as the reader of
// the stream takes, which is what slows the turn down. After an error the
// stream is lost. It is used by one goroutine.
type sink interface {
	Event(e pipeline.Event) error
	// Note shows lines of the program's own where people read.
	Note(text string, warn bool) error
	// Under shows lines that belong under a note of before.
	Under(text string) error
	// Changes is Note where the lines under the first are those of a diff.
	Changes(text string) error
}

// keepBytes is the largest buffer a sink keeps for the next event.
const keepBytes = 1 << 20

// newSink returns the sink for a format. model is named in json.
func newSink(std *stdio.Streams, format string, style render.Style) sink {
	trouble := &screenSink{w: std.Err, screen: render.Screen{Style: render.Style{Quiet: true, Color: style.Color && std.ErrTerminal, Attempts: style.Attempts}}}
	switch {
	case format == "jsonl":
		return &linesSink{out: std.Out, trouble: trouble}
	case format == "json":
		return &objectSink{out: std.Out, trouble: trouble}
	case std.OutTerminal && std.ErrTerminal:
		return onPaper(std, style)
	case std.OutTerminal:
		plain := style
		plain.Color = false
		return &splitSink{answers: onPaper(std, style), rest: &screenSink{w: std.Err, screen: render.Screen{Style: plain}}}
	default:
		style.Color = style.Color && std.ErrTerminal
		return &pipedSink{out: std.Out, err: std.Err, piped: render.Piped{Screen: render.Screen{Style: style}}}
	}
}

// page is where output that may still change can be shown.
type page interface {
	io.Writer
	Show(output, open []byte) error
	Size() (columns, rows int)
}

// onPaper shows what comes on the terminal of standard output, with colour laid
// out.
func onPaper(std *stdio.Streams, style render.Style) *screenSink {
	if !style.Color {
		return &screenSink{w: std.Out, screen: render.Screen{Style: style}}
	}
	return onPage(edit.NewPaper(std.Screen, std.Out), style)
}

// onPage shows what comes laid out.
func onPage(p page, style render.Style) *screenSink {
	style.Markdown = true
	return &screenSink{w: p, page: p, screen: render.Screen{Style: style}}
}

// screenSink shows everything live on one stream.
type screenSink struct {
	w      io.Writer
	page   page // w, if output may still change there
	screen render.Screen
	buf    []byte
	shown  []byte // what is open on the page
}

func (s *screenSink) Event(e pipeline.Event) error {
	if s.page != nil {
		s.screen.Resize(s.page.Size())
	}
	s.buf = s.screen.Append(s.buf[:0], e)
	return s.show()
}

func (s *screenSink) Note(text string, warn bool) error {
	s.buf = s.screen.Block(s.buf[:0], text, warn)
	return s.show()
}

func (s *screenSink) Under(text string) error {
	s.buf = s.screen.Under(s.buf[:0], text)
	return s.show()
}

func (s *screenSink) Changes(text string) error {
	s.buf = s.screen.Changes(s.buf[:0], text)
	return s.show()
}

// again lays out anew what is open, where the terminal has another size.
func (s *screenSink) again() error {
	if s.page == nil {
		return nil
	}
	s.screen.Resize(s.page.Size())
	s.buf = s.buf[:0]
	return s.show()
}

func (s *screenSink) show() error {
	if s.page == nil {
		return flush(s.w, &s.buf)
	}
	open := s.screen.Open()
	if len(s.buf) == 0 && bytes.Equal(open, s.shown) {
		return nil
	}
	s.shown = append(s.shown[:0], open...)
	err := s.page.Show(s.buf, open)
	if err != nil || cap(s.buf) > keepBytes {
		s.buf = nil
	}
	return err
}

// flush writes what is in buf and keeps it for the next time unless it is large.
func flush(w io.Writer, buf *[]byte) error {
	if len(*buf) == 0 {
		return nil
	}
	_, err := w.Write(*buf)
	if err != nil || cap(*buf) > keepBytes {
		*buf = nil
	}
	return err
}

// splitSink shows answers live on a terminal and the rest elsewhere.
type splitSink struct{ answers, rest *screenSink }

func (s *splitSink) Event(e pipeline.Event) error {
	switch e.(type) {
	case pipeline.TextDelta, pipeline.ThinkingDelta, pipeline.MessageCompleted:
		return s.answers.Event(e)
	case pipeline.StreamFailed, pipeline.TurnEnded, pipeline.StepStarted: // both have something to end
		if err := s.answers.Event(e); err != nil {
			return err
		}
	default:
	}
	return s.rest.Event(e)
}

func (s *splitSink) Note(text string, warn bool) error { return s.rest.Note(text, warn) }
func (s *splitSink) Under(text string) error           { return s.rest.Under(text) }
func (s *splitSink) Changes(text string) error         { return s.rest.Changes(text) }

// pipedSink shows each answer once it is complete, and the rest on the side.
type pipedSink struct {
	out, err         io.Writer
	piped            render.Piped
	answers, comment []byte
}

func (s *pipedSink) Event(e pipeline.Event) error {
	s.answers, s.comment = s.piped.Append(s.answers[:0], s.comment[:0], e)
	if err := flush(s.err, &s.comment); err != nil {
		return err
	}
	return flush(s.out, &s.answers)
}

func (s *pipedSink) Note(text string, warn bool) error {
	s.comment = s.piped.Screen.Block(s.comment[:0], text, warn)
	return flush(s.err, &s.comment)
}

func (s *pipedSink) Under(text string) error {
	s.comment = s.piped.Screen.Under(s.comment[:0], text)
	return flush(s.err, &s.comment)
}

func (s *pipedSink) Changes(text string) error {
	s.comment = s.piped.Screen.Changes(s.comment[:0], text)
	return flush(s.err, &s.comment)
}

// linesSink writes every event as a line of JSON, and what went wrong on the
// side as well.
type linesSink struct {
	out     io.Writer
	trouble *screenSink
	buf     []byte
}

func (s *linesSink) Event(e pipeline.Event) error {
	buf, err := pipeline.AppendEvent(s.buf[:0], e)
	if err != nil {
		return err
	}
	s.buf = append(render.JSON(buf), '\n')
	if err := flush(s.out, &s.buf); err != nil {
		return err
	}
	return tell(s.trouble, e)
}

func (s *linesSink) Note(text string, warn bool) error { return s.trouble.Note(text, warn) }
func (s *linesSink) Under(text string) error           { return s.trouble.Under(text) }
func (s *linesSink) Changes(text string) error         { return s.trouble.Changes(text) }

// tell shows e on a stream beside the protocol if it says what went wrong.
func tell(trouble *screenSink, e pipeline.Event) error {
	switch e.(type) {
	case pipeline.StreamFailed, pipeline.RetryScheduled, pipeline.TurnEnded, pipeline.Notice:
		return trouble.Event(e)
	default:
		return nil
	}
}

// objectSink writes one JSON object when a turn ends.
type objectSink struct {
	out     io.Writer
	trouble *screenSink
	tally   tally
}

func (s *objectSink) Event(e pipeline.Event) error {
	s.tally.add(e)
	if ended, ok := e.(pipeline.TurnEnded); ok {
		line, err := s.tally.object(ended)
		if err != nil {
			return err
		}
		if _, err := s.out.Write(append(render.JSON(line), '\n')); err != nil {
			return err
		}
	}
	return tell(s.trouble, e)
}

func (s *objectSink) Note(text string, warn bool) error { return s.trouble.Note(text, warn) }
func (s *objectSink) Under(text string) error           { return s.trouble.Under(text) }
func (s *objectSink) Changes(text string) error         { return s.trouble.Changes(text) }

// tally keeps of a turn's events what its end needs.
type tally struct {
	model  string
	denied []deniedCall
	ended  pipeline.TurnEnded // its Outcome is empty until it has come
}

// deniedCall is an entry of `denied`.
type deniedCall struct {
	Call   string `json:"call"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (t *tally) add(e pipeline.Event) {
	switch e := e.(type) {
	case pipeline.SessionStarted:
		t.model = e.Model
	case pipeline.TurnStarted:
		t.denied, t.ended = nil, pipeline.TurnEnded{}
	case pipeline.Notice:
		if e.Code == "fallback" && e.Model != "" {
			t.model = e.Model
		}
	case pipeline.ToolFinished:
		if e.ErrorKind == "denied" {
			t.denied = append(t.denied, deniedCall{e.Call, e.Name, e.Text})
		}
	case pipeline.TurnEnded:
		t.ended = e
	default:
	}
}

// object is what json prints: the fields of turn_ended, which name the session
// already, and model and denied.
func (t *tally) object(ended pipeline.TurnEnded) ([]byte, error) {
	line, err := pipeline.AppendEvent(nil, ended)
	if err != nil {
		return nil, err
	}
	denied := t.denied
	if denied == nil {
		denied = []deniedCall{}
	}
	var more bytes.Buffer
	enc := json.NewEncoder(&more)
	enc.SetEscapeHTML(false) // as in the events
	if err := enc.Encode(struct {
		Model  string       `json:"model"`
		Denied []deniedCall `json:"denied"`
	}{t.model, denied}); err != nil {
		return nil, err
	}
	line = append(bytes.TrimSuffix(line, []byte("}")), ',')
	return append(line, bytes.TrimSuffix(more.Bytes()[1:], []byte("\n"))...), nil
}
