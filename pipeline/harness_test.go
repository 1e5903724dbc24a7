package pipeline_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
	"github.com/weir-agents/weir/tools"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what should come at once: ten times
// and more of what is expected on a busy machine.
const patience = 30 * time.Second

// parse reads a script that stands in a test.
func parse(t testing.TB, src string) script.Script {
	t.Helper()
	s, err := script.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// upstream is a simulated model server on a loopback socket, and a client of it.
type upstream struct {
	*sim.Server
	http *httptest.Server
}

func newUpstream(t testing.TB, src string) *upstream {
	t.Helper()
	u := &upstream{Server: sim.New(parse(t, src), sim.Config{})}
	u.http = httptest.NewServer(u.Server)
	t.Cleanup(u.http.Close)
	return u
}

// client returns an adapter that asks the upstream in a dialect.
func (u *upstream) client(t testing.TB, dialect string) provider.Provider {
	t.Helper()
	switch dialect {
	case "openai":
		c, err := openai.New(openai.Config{BaseURL: u.http.URL, APIKey: canary})
		if err != nil {
			t.Fatal(err)
		}
		return c
	case "anthropic":
		c, err := anthropic.New(anthropic.Config{BaseURL: u.http.URL, APIKey: canary})
		if err != nil {
			t.Fatal(err)
		}
		return c
	default:
		t.Fatalf("no dialect %q", dialect)
		return nil
	}
}

// canary is the key of every test: it must never be seen in an event.
const canary = "sk-canary-4711"

// dialects are the providers that must all behave alike.
var dialects = []string{"openai", "anthropic"}

// open makes a session over p.
func open(t testing.TB, p provider.Provider, c pipeline.Config) *pipeline.Session {
	t.Helper()
	c.PanicOnRefusal = true
	if c.Model == "" {
		c.Model = "test-model"
	}
	line, err := pipeline.New(p, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	s, err := line.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a prompt to its end and returns all its events.
func run(t testing.TB, s *pipeline.Session, prompt string) []pipeline.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var events []pipeline.Event
	for e, err := range s.Run(ctx, prompt) {
		if err != nil {
			t.Fatalf("run %q: %v, after %s", prompt, err, lines(t, events))
		}
		events = append(events, e)
	}
	return events
}

// builtin returns the built-in tools in a fresh folder with the files given.
func builtin(t testing.TB, files map[string]string) (*tools.Registry, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := tools.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return registry(t, tools.Builtin(ws, tools.Config{})...), dir
}

func registry(t testing.TB, all ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(all...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bypass is a policy that allows everything.
type bypass struct{}

func (bypass) Decide(tools.Call, tools.Spec) tools.Verdict {
	return tools.Verdict{Decision: tools.Allow, By: "mode"}
}
func (bypass) Remember(string) error { return nil }

// last returns the TurnEnded that must end events.
func last(t testing.TB, events []pipeline.Event) pipeline.TurnEnded {
	t.Helper()
	if len(events) > 0 {
		if e, ok := events[len(events)-1].(pipeline.TurnEnded); ok {
			return e
		}
	}
	t.Fatalf("the turn has no end: %s", lines(t, events))
	return pipeline.TurnEnded{}
}

// text joins the text deltas of events.
func text(events []pipeline.Event) string {
	var b strings.Builder
	for _, e := range events {
		if d, ok := e.(pipeline.TextDelta); ok {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

// kinds returns the types of events in order, neighbouring deltas as one.
func kinds(events []pipeline.Event) []string {
	var all []string
	for _, e := range events {
		k := e.Type()
		if n := len(all); n > 0 && strings.HasSuffix(k, "_delta") && all[n-1] == k {
			continue
		}
		all = append(all, k)
	}
	return all
}

// lines shows events as the protocol does, for messages of failed tests.
func lines(t testing.TB, events []pipeline.Event) string {
	t.Helper()
	var b []byte
	for _, e := range events {
		b = append(b, '\n')
		var err error
		if b, err = pipeline.AppendEvent(b, e); err != nil {
			t.Fatal(err)
		}
	}
	return string(b)
}

// beforeCall is a hook that notes which calls run.
func beforeCall(ran chan<- string) func(context.Context, tools.Call) *tools.Result {
	return func(_ context.Context, c tools.Call) *tools.Result {
		ran <- c.ID
		return nil
	}
}
