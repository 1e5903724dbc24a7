package sim

import (
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// writeBytes is how much is gathered while no wait follows.
const writeBytes = 4 << 10

// resetDelay gives the client time to read what came before a reset, which
// throws away what it has not read.
const resetDelay = 50 * time.Millisecond

// voice puts the acts of one answer into a dialect. Each method appends to b.
type voice interface {
	start(b []byte) []byte
	act(b []byte, a script.Act) []byte // open, piece, close or end
	fault(b []byte, f script.Fault) []byte
	// whole is the blocking answer.
	whole(told []told, stop provider.StopReason, usage *provider.Usage) []byte
}

// told is a block of a blocking answer, which waits for its end.
type told struct {
	of   script.Block
	text []byte
}

// performance is one answer. Its handler's goroutine owns it.
type performance struct {
	server  *Server
	dialect dialect
	ask     ask
	step    script.Step
	voice   voice
	w       http.ResponseWriter
	r       *http.Request
	due     time.Time // when the script wants what comes next
	stamp   *stamper  // nil if frames are not stamped

	buf   []byte
	begun bool   // headers are out
	gone  bool   // the client is
	told  []told // when not streamed
	seals sealer
}

func (p *performance) play() {
	for a := range p.step.Acts(p.ask.req) {
		switch a.Kind {
		case script.ActHold:
			if p.server.script.Passes(a.Hold) {
				continue
			}
			p.flush()
			if p.gone || !p.hold(a.Hold) {
				return
			}
		case script.ActFault:
			p.fault(a.Fault.Detail())
			return
		default:
			p.say(a)
		}
		if p.gone {
			return
		}
	}
	p.flush()
}

// hold waits as the script says and reports whether the client is still there.
// Waits for a time add up from the moment the request came: an answer that got
// late, because a timer or the client was, does not stay late, and its end comes
// when the script says. A wait without a time in it begins anew.
func (p *performance) hold(h script.Hold) bool {
	if h.Gate != "" || h.Stall || h.For <= 0 {
		err := p.server.script.Await(p.r.Context(), h)
		p.mark(time.Now())
		return err == nil
	}
	p.mark(p.due.Add(h.For))
	left := time.Until(p.due)
	return left <= 0 || p.server.script.Await(p.r.Context(), script.Hold{For: left}) == nil
}

func (p *performance) mark(due time.Time) {
	p.due = due
	if p.stamp != nil {
		p.stamp.due = due
	}
}

// say streams an act, or keeps it for the blocking answer.
func (p *performance) say(a script.Act) {
	p.seals.act(a)
	if p.ask.stream {
		if !p.begun {
			p.begin("text/event-stream; charset=utf-8")
			p.buf = p.voice.start(p.buf)
		}
		p.buf = p.voice.act(p.buf, a)
		if len(p.buf) >= writeBytes || p.server.cfg.EachFrame {
			p.flush()
		}
		return
	}
	switch a.Kind {
	case script.ActOpen:
		p.told = append(p.told, told{of: a.Of})
	case script.ActPiece:
		t := &p.told[a.Block]
		t.text = append(t.text, a.Text...)
	case script.ActEnd:
		p.begin("application/json")
		p.buf = p.voice.whole(p.told, a.Stop, a.Usage)
	}
}

// begin sets the headers of an answer; they go out with its first write.
func (p *performance) begin(contentType string) {
	p.begun = true
	h := p.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
}

// flush sends what is gathered and returns when it is in the hands of the
// system: it blocks while the client does not read.
func (p *performance) flush() {
	if len(p.buf) == 0 || p.gone {
		return
	}
	n, err := p.w.Write(p.buf)
	if err == nil {
		err = http.NewResponseController(p.w).Flush()
	}
	p.gone = err != nil
	p.server.written.Add(int64(n))
	p.buf = p.buf[:0]
}

// fault ends the answer with f, whose details are filled in.
func (p *performance) fault(f script.Fault) {
	switch f.Kind {
	case script.HTTP:
		p.status(f)
		return
	case script.HTML:
		p.begin("text/html; charset=utf-8")
		p.buf = append(p.buf, "<!doctype html><title>Not a model</title><p>This is a web page.</p>\n"...)
		p.flush()
		return
	}
	nothing := !p.begun && len(p.told) == 0
	if !p.ask.stream && !nothing { // a blocking answer breaks in its middle
		p.begin("application/json")
		p.buf = p.voice.whole(p.told, provider.StopEnd, nil)
		p.buf = p.buf[:len(p.buf)/2]
	}
	switch f.Kind {
	case script.Cut:
		p.open()
		p.flush()
	case script.Reset, script.Panic:
		p.flush()
		p.reset()
	case script.Errored:
		p.open()
		if p.ask.stream {
			p.buf = p.voice.fault(p.buf, f)
		} else {
			p.buf = p.dialect.errorBody(f.Type, f.Message, f.Code)
		}
		p.flush()
	case script.BadJSON:
		p.open()
		if p.ask.stream {
			p.buf = append(append(append(p.buf, "data: "...), f.Body...), "\n\n"...)
		} else {
			p.buf = append(p.buf[:0], f.Body...)
		}
		p.flush()
	default:
		panic("sim: unknown fault " + string(f.Kind))
	}
}

// open begins an answer that is about to fail, unless it has begun.
func (p *performance) open() {
	switch {
	case p.begun:
	case p.ask.stream:
		p.begin("text/event-stream; charset=utf-8")
	default:
		p.begin("application/json")
	}
}

// status answers with an HTTP error.
func (p *performance) status(f script.Fault) {
	h := p.w.Header()
	if f.RetryAfter != "" {
		h.Set("Retry-After", f.RetryAfter)
	}
	if f.RetryAfterMS > 0 {
		h.Set("Retry-After-Ms", strconv.Itoa(f.RetryAfterMS))
	}
	body := []byte(f.Body)
	if f.Body == "" {
		h.Set("Content-Type", "application/json")
		body = p.dialect.errorBody(f.Type, f.Message, f.Code)
	}
	p.w.WriteHeader(f.Status)
	_, _ = p.w.Write(body) // The client may be gone.
}

// reset breaks the connection: with RST over TCP, else by closing it within
// the answer.
func (p *performance) reset() {
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil { // not HTTP/1
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		if p.begun {
			_ = p.server.script.Await(p.r.Context(), script.Hold{For: resetDelay}) // Sooner if the client goes.
		}
		_ = tcp.SetLinger(0) // Only a closed connection refuses.
	}
	_ = conn.Close() // That it ends is all there is to it.
}
