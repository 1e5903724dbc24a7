package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// Config is how a server behaves. Its zero value is a strict server that takes
// any key.
type Config struct {
	// Key refuses requests with another key with status 401; "" takes any.
	Key string
	// Lax answers also requests that a strict vendor would refuse.
	Lax bool
	// BodyMax is the largest request body in bytes; 0 means 64 MiB. A longer one
	// is refused with status 413.
	BodyMax int64
	// Stamp adds to each streamed frame the members weir_due_ns, when the script
	// wants it sent, and weir_sent_ns, when it was made: nanoseconds of [Clock].
	// Readers ignore members they do not know.
	Stamp bool
	// EachFrame writes each frame by itself, also where no wait follows it.
	EachFrame bool
}

const bodyMax = 64 << 20

// What a server remembers of requests: the newest, bounded both ways.
const (
	requestsMax     = 10_000
	requestsBytes   = 64 << 20
	signaturesCount = 10_000
)

// Request is a request that came.
type Request struct {
	Dialect string // openai or anthropic
	Path    string
	// Header is what came without its secrets.
	Header http.Header
	// Body is the whole JSON body as it came.
	Body json.RawMessage
	// Decoded is what the body says.
	Decoded provider.Request
	// Refused is why it was not answered, "" if it was.
	Refused string
}

// Server plays a script over HTTP. It starts no goroutine.
type Server struct {
	script  *script.Provider
	cfg     Config
	clock   Clock
	mux     *http.ServeMux
	written atomic.Int64
	answers atomic.Int64

	mu       sync.Mutex
	requests []Request
	held     int // bytes of their bodies
	sealed   map[string]map[string]bool
}

// New returns a server for s. It panics if [script.Script.Check] finds fault
// with s.
func New(s script.Script, cfg Config) *Server {
	if cfg.BodyMax <= 0 {
		cfg.BodyMax = bodyMax
	}
	v := &Server{script: script.New(s), cfg: cfg, clock: NewClock(), mux: http.NewServeMux(), sealed: map[string]map[string]bool{}}
	for _, base := range []string{"", "/v1"} {
		v.mux.HandleFunc("POST "+base+"/chat/completions", v.answer(openai{}))
		v.mux.HandleFunc("POST "+base+"/messages", v.answer(anthropic{}))
		v.mux.HandleFunc("GET "+base+"/models", v.models)
	}
	v.mux.HandleFunc("POST /gates/{name}", func(w http.ResponseWriter, r *http.Request) {
		v.Open(r.PathValue("name"))
		w.WriteHeader(http.StatusNoContent)
	})
	v.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d := dialectOf(r)
		refuse(w, d, problem{http.StatusNotFound, "not_found_error", "there is nothing at " + r.Method + " " + r.URL.Path})
	})
	return v
}

// ServeHTTP answers a request.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.mux.ServeHTTP(w, r) }

// Open lets the answers go on that wait at the gate, now and later.
func (v *Server) Open(gate string) { v.script.Open(gate) }

// Reached returns a channel that is closed once an answer has come to the gate.
func (v *Server) Reached(gate string) <-chan struct{} { return v.script.Reached(gate) }

// Written returns how many bytes of answers have been written so far. It
// stands still while a client does not read.
func (v *Server) Written() int64 { return v.written.Load() }

// Requests returns the requests so far, oldest first: at most the last 10,000
// and no more than 64 MiB of bodies.
func (v *Server) Requests() []Request {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.requests)
}

func (v *Server) record(r Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests = append(v.requests, r)
	v.held += len(r.Body)
	drop := 0
	for len(v.requests)-drop > requestsMax || v.held > requestsBytes && drop < len(v.requests)-1 {
		v.held -= len(v.requests[drop].Body)
		drop++
	}
	v.requests = slices.Delete(v.requests, 0, drop)
}

// dialect is one vendor's way to put requests, answers and errors.
type dialect interface {
	name() string
	// decode reads a request body; what a strict vendor refuses is noted in c.
	decode(body []byte, c *checker) (ask, error)
	// voice returns what writes the answer number n to a.
	voice(a ask, step script.Step, n int64, stamp *stamper) voice
	errorBody(kind, message, code string) []byte
}

// ask is a decoded request.
type ask struct {
	req    provider.Request
	stream bool
	usage  bool // a streamed answer shall tell usage
}

// problem is why a request is refused.
type problem struct {
	status  int
	kind    string // the error type, as both vendors spell it
	message string
}

// answer handles requests in dialect d.
func (v *Server) answer(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		came := time.Now()
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, v.cfg.BodyMax))
		if err != nil {
			if _, large := errors.AsType[*http.MaxBytesError](err); large {
				refuse(w, d, problem{
					http.StatusRequestEntityTooLarge, "request_too_large",
					fmt.Sprintf("the request is larger than %d bytes", v.cfg.BodyMax),
				})
			}
			return // else the client has gone
		}
		a, wrong := v.read(d, r, body)
		got := Request{Dialect: d.name(), Path: r.URL.Path, Header: withoutSecrets(r.Header), Body: body, Decoded: a.req}
		if wrong != nil {
			got.Refused = wrong.message
		}
		v.record(got)
		if wrong != nil {
			refuse(w, d, *wrong)
			return
		}
		step, err := v.script.Choose(a.req)
		if err != nil {
			refuse(w, d, problem{http.StatusBadRequest, "invalid_request_error", provider.AsError(err).Message})
			return
		}
		p := &performance{
			server: v, dialect: d, ask: a, step: step, w: w, r: r, due: came, seals: sealer{server: v},
		}
		if v.cfg.Stamp {
			p.stamp = &stamper{clock: v.clock, due: came}
		}
		p.voice = d.voice(a, step, v.answers.Add(1), p.stamp)
		p.play()
	}
}

// read decodes and checks a request.
func (v *Server) read(d dialect, r *http.Request, body []byte) (ask, *problem) {
	c := &checker{server: v}
	a, err := d.decode(body, c)
	switch {
	case v.cfg.Key != "" && keyOf(r) != v.cfg.Key:
		return a, &problem{http.StatusUnauthorized, "authentication_error", "the API key is not the right one"}
	case err != nil:
		return a, &problem{http.StatusBadRequest, "invalid_request_error", "the body cannot be read: " + err.Error()}
	}
	if d.name() == "anthropic" && r.Header.Get("Anthropic-Version") == "" {
		c.bad("the header anthropic-version is missing")
	}
	if c.first != "" && !v.cfg.Lax {
		return a, &problem{http.StatusBadRequest, "invalid_request_error", c.first}
	}
	return a, nil
}

func keyOf(r *http.Request) string {
	if key := r.Header.Get("X-Api-Key"); key != "" {
		return key
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func withoutSecrets(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "Cookie", "Proxy-Authorization"} {
		h.Del(name)
	}
	return h
}

// dialectOf guesses which vendor's client sent r.
func dialectOf(r *http.Request) dialect {
	if r.Header.Get("Anthropic-Version") != "" {
		return anthropic{}
	}
	return openai{}
}

func refuse(w http.ResponseWriter, d dialect, p problem) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_, _ = w.Write(d.errorBody(p.kind, p.message, "")) // The client may be gone.
}

// models lists the script's models in the dialect of the client.
func (v *Server) models(w http.ResponseWriter, r *http.Request) {
	d := dialectOf(r)
	if v.cfg.Key != "" && keyOf(r) != v.cfg.Key {
		refuse(w, d, problem{http.StatusUnauthorized, "authentication_error", "the API key is not the right one"})
		return
	}
	names, _ := v.script.Models(r.Context()) // A script always knows them.
	type object = map[string]any
	var data []object
	for _, name := range names {
		if d.name() == "anthropic" {
			data = append(data, object{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"})
		} else {
			data = append(data, object{"id": name, "object": "model", "created": madeAt, "owned_by": "weir"})
		}
	}
	list := object{"object": "list", "data": data}
	if d.name() == "anthropic" {
		list = object{"data": data, "has_more": false, "first_id": names[0], "last_id": names[len(names)-1]}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list) // The client may be gone.
}
