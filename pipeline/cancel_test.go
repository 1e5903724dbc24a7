package pipeline_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// point is a place in a turn where a cancel may find it.
type point struct {
	name   string
	script string
	limits pipeline.Limits
	// reached returns a channel that is closed when the turn is there, asked
	// for in the loop body at event e; nil means not yet.
	reached func(c *canceled, e pipeline.Event) <-chan struct{}
}

// canceled is one run of the test.
type canceled struct {
	t      *testing.T
	u      *upstream
	s      *pipeline.Session
	inTool chan struct{}
	inHook chan struct{}
	ended  chan pipeline.TurnEnded
}

func now() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func atGate(c *canceled, e pipeline.Event) <-chan struct{} {
	if _, ok := e.(pipeline.StepStarted); ok {
		return c.u.Reached("here")
	}
	return nil
}

var points = []point{
	{
		name:    "before the first byte",
		script:  `{"select":"sequence","steps":[{"blocks":[{"gate":"here"},{"text":"never"}]},"fine"]}`,
		reached: atGate,
	},
	{
		name:    "in the text",
		script:  `{"select":"sequence","steps":[{"blocks":[{"text":["half ",{"gate":"here"},"rest"]}]},"fine"]}`,
		reached: atGate,
	},
	{
		name:    "in the arguments",
		script:  `{"select":"sequence","steps":[{"blocks":[{"text":"I look"},{"call":"quick","arguments":["{\"a\":",{"gate":"here"},"1}"]}]},"fine"]}`,
		reached: atGate,
	},
	{
		name:   "waiting for credit",
		script: `{"select":"sequence","steps":[{"split":2000,"blocks":[{"text":{"repeat":"word ","bytes":20000000}}]},"fine"]}`,
		reached: func(c *canceled, e pipeline.Event) <-chan struct{} {
			if _, ok := e.(pipeline.TextDelta); !ok {
				return nil
			}
			settled(c.u)
			if c.s.Meter().StallTime(pipeline.Streamer) == 0 {
				c.t.Error("the streamer does not wait for credit")
			}
			return now()
		},
	},
	{
		name:   "waiting to retry",
		script: `{"select":"sequence","steps":[{"blocks":[{"fault":"http","status":503}]},"fine"]}`,
		limits: pipeline.Limits{RetryBase: 24 * time.Hour, RetryCap: 24 * time.Hour},
		reached: func(_ *canceled, e pipeline.Event) <-chan struct{} {
			if _, ok := e.(pipeline.RetryScheduled); ok {
				return now()
			}
			return nil
		},
	},
	{
		name:   "in a tool",
		script: `{"select":"sequence","steps":[{"blocks":[{"call":"stuck"},{"call":"stuck"},{"call":"alone"}]},"fine"]}`,
		reached: func(c *canceled, e pipeline.Event) <-chan struct{} {
			if _, ok := e.(pipeline.MessageCompleted); ok {
				return c.inTool
			}
			return nil
		},
	},
	{
		name:   "between two steps",
		script: `{"select":"sequence","steps":[{"blocks":[{"call":"quick"}]},"fine"]}`,
		reached: func(c *canceled, e pipeline.Event) <-chan struct{} {
			if _, ok := e.(pipeline.ToolFinished); ok {
				return c.inHook
			}
			return nil
		},
	},
}

// way is how a turn is canceled, in the loop body. True leaves the loop.
type way struct {
	name string
	act  func(s *pipeline.Session, cancel context.CancelFunc) (leave bool)
}

var ways = []way{
	{"by context", func(_ *pipeline.Session, cancel context.CancelFunc) bool { cancel(); return false }},
	{"by Cancel", func(s *pipeline.Session, _ context.CancelFunc) bool { s.Cancel(pipeline.CancelNow); return false }},
	{"by Cancel, waited for", func(s *pipeline.Session, _ context.CancelFunc) bool {
		<-s.Cancel(pipeline.CancelNow)
		return false
	}},
	{"by leaving the loop", func(*pipeline.Session, context.CancelFunc) bool { return true }},
}

func TestCancelAtAnyPoint(t *testing.T) {
	for _, p := range points {
		for _, w := range ways {
			for _, dialect := range dialects {
				t.Run(fmt.Sprintf("%s/%s/%s", p.name, w.name, dialect), func(t *testing.T) {
					defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
					cancelOnce(t, p, w, dialect)
				})
			}
		}
	}
}

func cancelOnce(t *testing.T, p point, w way, dialect string) {
	u := newUpstream(t, p.script)
	c := &canceled{t: t, u: u, inTool: make(chan struct{}), inHook: make(chan struct{}), ended: make(chan pipeline.TurnEnded, 2)}
	c.s = open(t, u.client(t, dialect), c.config(p))
	defer u.http.Close()
	defer c.s.Close()
	defer u.Open("here")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	events, err := c.run(ctx, cancel, p, w)
	if end := await(t, c.ended); end.Outcome != pipeline.Canceled {
		t.Fatalf("the turn ended as %+v: %s", end, lines(t, events))
	}
	checkRules(t, events)
	if w.name != "by leaving the loop" {
		if end := last(t, events); end.Outcome != pipeline.Canceled {
			t.Errorf("the last event says %+v", end)
		}
	}
	if want := map[bool]error{true: context.Canceled}[w.name == "by context"]; err != want {
		t.Errorf("the loop ended with %v, want %v", err, want)
	}
	u.Open("here")
	next := run(t, c.s, "and now?") // the strict server refuses a history that is not valid
	if end := last(t, next); end.Outcome != pipeline.Completed || end.Text != "fine" {
		t.Errorf("the next turn ended as %+v: %s", end, lines(t, next))
	}
	for _, e := range next {
		if h := e.Head(); h.Turn == "t1" {
			t.Errorf("an event of the canceled turn in the next loop: %s", e.Type())
		}
	}
}

// config gives a session the tools and hooks that the points need.
func (c *canceled) config(p point) pipeline.Config {
	first := make(chan struct{}, 1)
	first <- struct{}{}
	stuck := func(call tools.Call) <-chan struct{} {
		select {
		case <-first:
			close(c.inTool)
		default:
		}
		return nil // until ctx ends
	}
	quick := func(tools.Call) <-chan struct{} { return now() }
	steps := 0
	return pipeline.Config{
		Tools:  registry(c.t, waits{"stuck", tools.ReadOnly, stuck}, waits{"quick", tools.ReadOnly, quick}, waits{"alone", tools.Exec, quick}),
		Limits: p.limits, Policy: bypass{},
		Hooks: pipeline.Hooks{
			BeforeStep: func(ctx context.Context, _ *provider.Request) error {
				if steps++; p.name == "between two steps" && steps == 2 {
					close(c.inHook)
					<-ctx.Done()
				}
				return nil
			},
			AfterTurn: func(_ context.Context, e pipeline.TurnEnded) { c.ended <- e },
		},
	}
}

func (c *canceled) run(ctx context.Context, cancel context.CancelFunc, p point, w way) (events []pipeline.Event, failed error) {
	acted := false
	for e, err := range c.s.Run(ctx, "go") {
		if err != nil {
			return events, err
		}
		events = append(events, e)
		if acted {
			continue
		}
		reached := p.reached(c, e)
		if reached == nil {
			continue
		}
		await(c.t, reached)
		acted = true
		if w.act(c.s, cancel) {
			return events, nil
		}
	}
	return events, nil
}

// await waits for what should come at once.
func await[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("waited too long")
		panic("unreachable")
	}
}

// B032: a cancel in the second of three calls leaves a history in which each
// call has its result; what had finished is reported finished.
func TestB032EachCallHasOneResultAfterACancel(t *testing.T) {
	u := newUpstream(t, `{"select":"sequence","steps":[{"blocks":[{"call":"quick"},{"call":"stuck"},{"call":"alone"}]},"fine"]}`)
	inTool := make(chan struct{})
	stuck := func(tools.Call) <-chan struct{} { close(inTool); return nil }
	quick := func(tools.Call) <-chan struct{} { return now() }
	s := open(t, u.client(t, "openai"), pipeline.Config{
		Policy: bypass{},
		Tools:  registry(t, waits{"stuck", tools.Exec, stuck}, waits{"quick", tools.ReadOnly, quick}, waits{"alone", tools.Exec, quick}),
	})
	var got []string
	for e, err := range s.Run(t.Context(), "go") {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case pipeline.ToolStarted:
			if e.Name == "stuck" {
				await(t, inTool)
				s.Cancel(pipeline.CancelNow)
			}
		case pipeline.ToolFinished:
			got = append(got, e.Name+" "+e.ErrorKind)
		}
	}
	if want := "[quick  stuck canceled alone canceled]"; fmt.Sprint(got) != want {
		t.Errorf("results %v, want %v", got, want)
	}
	if end := last(t, run(t, s, "again")); end.Text != "fine" {
		t.Errorf("the next turn ended as %+v", end)
	}
}
