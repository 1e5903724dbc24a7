package pipeline_test

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/sim"
)

// world is a simulated server, a client of it and a session, all in one
// synctest bubble: time there is what the test says, and exact.
type world struct {
	t       *testing.T
	server  *sim.Server
	pipe    *sim.PipeListener
	session *pipeline.Session
	began   time.Time

	mu    sync.Mutex
	came  []time.Duration // when each request came, from the start
	dials int
}

// setting is how a world is made. Zero timeouts are the adapters' defaults.
type setting struct {
	dialect         string
	script          string
	config          pipeline.Config
	idle, firstByte time.Duration
	down            bool // nobody listens
	messageBytes    int
}

// within runs a test in a world of its own.
func within(t *testing.T, s setting, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, pipe: sim.NewPipeListener(), began: time.Now()}
		w.server = sim.New(parse(t, s.script), sim.Config{})
		h := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			w.came = append(w.came, time.Since(w.began))
			w.mu.Unlock()
			w.server.ServeHTTP(rw, r)
		})}
		if s.down {
			_ = w.pipe.Close()
		}
		go func() { _ = h.Serve(w.pipe) }() // ends with Close
		client := w.client(s)
		s.config.ActorSystem = pipeline.NewActorSystem()
		w.session = open(t, client, s.config)
		t.Cleanup(func() {
			w.session.Close()
			client.Close()
			_ = h.Close()
			time.Sleep(time.Second) // of the bubble: protoactor's dead-letter throttle, the drain of a connection
		})
		test(t, w)
	})
}

func (w *world) client(s setting) closer {
	transport := &http.Transport{DialContext: w.dial, DisableCompression: true}
	var c closer
	var err error
	if s.dialect == "anthropic" {
		c, err = anthropic.New(anthropic.Config{
			BaseURL: "http://sim", APIKey: canary, Transport: transport,
			IdleTimeout: s.idle, FirstByteTimeout: s.firstByte, MessageBytes: s.messageBytes,
		})
	} else {
		c, err = openai.New(openai.Config{
			BaseURL: "http://sim", APIKey: canary, Transport: transport,
			IdleTimeout: s.idle, FirstByteTimeout: s.firstByte, MessageBytes: s.messageBytes,
		})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dials++
	w.mu.Unlock()
	return w.pipe.DialContext(ctx, network, address)
}

// sleep lets the bubble's time pass.
func (w *world) sleep(d time.Duration) { time.Sleep(d) }

// requests returns when each request came.
func (w *world) requests() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.came)
}

// run runs a turn to its end and checks what holds for every one.
func (w *world) run(prompt string, body func(pipeline.Event)) []pipeline.Event {
	w.t.Helper()
	var events []pipeline.Event
	for e, err := range w.session.Run(w.t.Context(), prompt) {
		if err != nil {
			w.t.Fatalf("run %q: %v, after %s", prompt, err, lines(w.t, events))
		}
		events = append(events, e)
		if body != nil {
			body(e)
		}
	}
	checkRules(w.t, events)
	w.checkRetries(events)
	if strings.Contains(lines(w.t, events), canary) {
		w.t.Errorf("the key is in the events: %s", lines(w.t, events))
	}
	return events
}

// checkRetries: each further attempt was announced, discard is true exactly
// when text or thinking of the attempt had been shown, and a failed attempt has
// exactly one stream_failed.
func (w *world) checkRetries(events []pipeline.Event) {
	w.t.Helper()
	shown, told := map[pipeline.Envelope]bool{}, 0
	try := func(e pipeline.Event) pipeline.Envelope {
		h := e.Head()
		return pipeline.Envelope{Turn: h.Turn, Step: h.Step, Attempt: h.Attempt}
	}
	for _, e := range events {
		switch e := e.(type) {
		case pipeline.TextDelta, pipeline.ThinkingDelta:
			shown[try(e)] = true
		case pipeline.StepStarted:
			if e.Attempt > 1 {
				told--
			}
		case pipeline.RetryScheduled:
			told++
			if e.Discard != shown[try(e)] {
				w.t.Errorf("attempt %d: discard is %v, text or thinking was shown: %v", e.Attempt, e.Discard, shown[try(e)])
			}
			if e.NextAttempt != e.Attempt+1 || e.Reason == "" {
				w.t.Errorf("a retry says %+v", e)
			}
		}
	}
	if end := last(w.t, events); told != 0 && end.Outcome != pipeline.Canceled && end.Limit == "" {
		w.t.Errorf("%d retries were announced and not made", told)
	}
}

// delays returns the waits that were announced, and the failures before them.
func delays(events []pipeline.Event) (waits []time.Duration, failed []pipeline.StreamFailed) {
	for _, e := range events {
		switch e := e.(type) {
		case pipeline.RetryScheduled:
			waits = append(waits, time.Duration(e.DelayMS)*time.Millisecond)
		case pipeline.StreamFailed:
			failed = append(failed, e)
		}
	}
	return waits, failed
}

// gaps returns the times between requests.
func gaps(at []time.Duration) []time.Duration {
	var all []time.Duration
	for i := 1; i < len(at); i++ {
		all = append(all, at[i]-at[i-1])
	}
	return all
}

// checkWaits: each wait was as long as its event said and within the back-off
// for its number, and the failures themselves took no time.
func (w *world) checkWaits(events []pipeline.Event, took time.Duration) {
	w.t.Helper()
	waits, _ := delays(events)
	got := gaps(w.requests())
	if len(got) != len(waits) {
		w.t.Fatalf("%d waits between requests, %d announced: %s", len(got), len(waits), lines(w.t, events))
	}
	for i, wait := range waits {
		if most := min(time.Second<<i, 30*time.Second); wait > most {
			w.t.Errorf("wait %d is %v, more than %v", i+1, wait, most)
		}
		if d := got[i] - wait - took; d < 0 || d >= time.Millisecond {
			w.t.Errorf("request %d came %v after the one before, announced was %v", i+2, got[i], wait)
		}
	}
}

// mustSay checks that text holds all of words.
func mustSay(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
}
