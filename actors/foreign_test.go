package actors

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/journal"
	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/tools"
)

// place is where a session runs code that is not ours: set has it do bad there.
// The turn of a first prompt, which asks for a call, and that of a second then
// end as told, with HOW it went wrong and the KIND that a call ends with.
type place struct {
	set           func(t *testing.T, c *Config, bad func())
	first, second string
}

var places = map[string]place{
	"provider": {func(_ *testing.T, c *Config, bad func()) {
		c.Provider = model(func(context.Context, provider.Request, func(provider.Delta) bool) error { bad(); return nil })
	}, "failed; panic: the provider HOW", "failed; panic: the provider HOW"},
	"provider, cleaning up": {func(_ *testing.T, c *Config, bad func()) {
		c.Provider = model(func(ctx context.Context, req provider.Request, say func(provider.Delta) bool) error {
			defer bad()
			return oneCall(ctx, req, say)
		})
	}, "failed; panic: the provider HOW", "failed; panic: the provider HOW"},
	"tool": {func(t *testing.T, c *Config, bad func()) {
		c.Tools = registry(t, tool{"write", tools.Mutating, func(context.Context, tools.Call) tools.Result { bad(); return tools.Result{} }})
	}, "call KIND: the tool HOW|; it may still have an effect|; completed", "completed"},
	"summary": {func(t *testing.T, c *Config, bad func()) {
		c.Tools = registry(t, summarizer{must(c.Tools.Lookup("write")), bad})
	}, "call KIND: checking this call HOW|; it was not run|; completed", "completed"},
	"before a step": {func(_ *testing.T, c *Config, bad func()) {
		c.Hooks.BeforeStep = func(context.Context, *provider.Request) error { bad(); return nil }
	}, "failed; hook: the hook before a step HOW", "failed; hook: the hook before a step HOW"},
	"before a call": {func(_ *testing.T, c *Config, bad func()) {
		c.Hooks.BeforeCall = func(context.Context, tools.Call) *tools.Result { bad(); return nil }
	}, "call KIND: the hook before the call HOW|; it may still have an effect|; completed", "completed"},
	"after a call": {func(_ *testing.T, c *Config, bad func()) {
		c.Hooks.AfterCall = func(_ context.Context, _ tools.Call, r tools.Result) tools.Result { bad(); return r }
	}, "call KIND: the hook after the call HOW|; it may still have an effect|; completed", "completed"},
	"after a turn": {func(_ *testing.T, c *Config, bad func()) {
		c.Hooks.AfterTurn = func(context.Context, TurnEnded) { bad() }
	}, "call: written; completed", "hook: the hook after a turn HOW; completed"},
	"policy": {func(_ *testing.T, c *Config, bad func()) {
		c.Policy = foreignPolicy{decide: bad}
	}, "call KIND: checking this call HOW|; it was not run|; completed", "completed"},
	"compaction": {func(_ *testing.T, c *Config, bad func()) {
		c.Compaction = Compaction{Window: 1000, At: 0.001, Compact: func(context.Context, provider.Request, int, float64) ([]provider.Message, provider.Usage, error) {
			bad()
			return nil, provider.Usage{}, fmt.Errorf("not today")
		}}
	}, "call: written; " + notCompacted + "; completed", notCompacted + "; completed"},
	"what a call left running": {func(t *testing.T, c *Config, bad func()) {
		c.Tools = registry(t, tool{"write", tools.Mutating, func(ctx context.Context, call tools.Call) tools.Result {
			call.Scope.Keep(call.Turn, bad)
			<-ctx.Done()
			return tools.Result{Kind: tools.Failed, Text: "stopped"}
		}})
	}, "call timeout: stopped; completed", "completed"},
}

const notCompacted = "compact_failed: the conversation stays as it was, about N of 1000 tokens: " +
	"the compaction HOW; compact it again later, or begin a new session"

func must(t tools.Tool, ok bool) tools.Tool {
	if !ok {
		panic("no such tool")
	}
	return t
}

type summarizer struct {
	tools.Tool
	bad func()
}

func (s summarizer) Summary(json.RawMessage) string { s.bad(); return "" }

// foreignPolicy asks about calls if it has a remember, and allows them otherwise.
type foreignPolicy struct{ decide, remember func() }

func (p foreignPolicy) Decide(tools.Call, tools.Spec) tools.Verdict {
	if p.decide != nil {
		p.decide()
		return tools.Verdict{Decision: tools.Allow, By: "mode"}
	}
	return tools.Verdict{Decision: tools.Ask, By: "mode", Suggestion: "write(*)"}
}

func (p foreignPolicy) Remember(string) error { p.remember(); return nil }

// inForeign runs a story, in virtual time, with a session in which one place
// is set. Release is closed at its end: then what hangs goes on.
func inForeign(t *testing.T, set func(*testing.T, *Config, func()), bad func(release chan struct{}), story func(k *liveTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := Config{
			Provider: model(oneCall), Policy: allowAll{},
			Limits: Limits{HookTime: time.Second, CallTime: time.Second, CompactTime: time.Second, StopGrace: time.Second},
		}
		c.Tools = registry(t, tool{"write", tools.Mutating, func(context.Context, tools.Call) tools.Result { return tools.Result{Text: "written"} }})
		release := make(chan struct{})
		set(t, &c, func() { bad(release) })
		k := newLiveTest(t, c)
		story(k)
		began := time.Now()
		k.close()
		if d := time.Since(began); d > 2*time.Second { // what was kept, then the rest
			t.Errorf("Close took %v", d)
		}
		close(release)
		time.Sleep(time.Minute) // virtual: timers end
	})
}

// how code that is not ours can fail to return, and what is said of it then.
var hows = map[string]struct {
	bad       func(release chan struct{})
	how, kind string
}{
	"panics": {func(chan struct{}) { panic("boom") }, "panicked: boom", "panic"},
	"exits":  {func(chan struct{}) { runtime.Goexit() }, "ended its goroutine (runtime.Goexit) and did not return", "panic"},
	"hangs":  {func(release chan struct{}) { <-release }, "did not end within 1s of being told to and was given up", "timeout"},
}

// I8: whatever is not ours and does not return, by a panic, by Goexit or not at
// all, costs at most its own turn, which says so. The session goes on.
func TestWhatIsNotOursAndDoesNotReturnIsSaid(t *testing.T) {
	for name, p := range places {
		for what, h := range hows {
			if what == "hangs" && strings.HasPrefix(name, "provider") {
				continue // it is waited for; a cancel gives it up
			}
			t.Run(name+" "+what, func(t *testing.T) {
				inForeign(t, p.set, h.bad, func(k *liveTest) {
					for _, want := range []string{p.first, p.second} {
						want = strings.NewReplacer("HOW", h.how, "KIND", h.kind).Replace(want)
						if parts := strings.Split(want, "|"); len(parts) == 3 && what == "hangs" {
							want = parts[0] + parts[1] + parts[2]
						} else if len(parts) == 3 {
							want = parts[0] + parts[2]
						}
						if diff := cmp.Diff(want, k.story()); diff != "" {
							t.Error(diff)
						}
						time.Sleep(5 * time.Second) // virtual: a hook after the turn is given up
					}
				})
			})
		}
	}
}

var tokens = regexp.MustCompile(`about [0-9]+ of`)

// story says in a line how a turn went.
func (k *liveTest) story() string {
	k.send(Prompt{Text: "go"})
	var all []string
	for _, e := range k.until("turn_ended") {
		switch e := e.(type) {
		case ToolFinished:
			all = append(all, strings.TrimSpace("call "+e.ErrorKind)+": "+e.Text)
		case Notice:
			all = append(all, e.Code+": "+tokens.ReplaceAllString(e.Text, "about N of"))
		case TurnEnded:
			all = append(all, string(e.Outcome))
			if e.Error != nil {
				all = append(all, e.Error.Kind+": "+e.Error.Message)
			}
		}
	}
	return strings.Join(all, "; ")
}

// A cancel while it hangs waits for StopGrace and no longer.
func TestACancelGivesUpWhatIsNotOursAndHangs(t *testing.T) {
	for name, p := range places {
		t.Run(name, func(t *testing.T) {
			inForeign(t, p.set, hows["hangs"].bad, func(k *liveTest) {
				k.send(Prompt{Text: "go"})
				synctest.Wait()
				began := time.Now()
				ended := make(chan struct{})
				k.send(Cancel{Ended: func(Outcome) { close(ended) }})
				k.wait(ended, "the end of the cancel")
				if d := time.Since(began); d > time.Second {
					t.Errorf("it took %v", d)
				}
			})
		})
	}
}

// The policy is told of a rule away from the actors, and what it says then
// fails a turn at most.
func TestAPolicyThatDoesNotTakeItsRule(t *testing.T) {
	for what, h := range hows {
		t.Run(what, func(t *testing.T) {
			inForeign(t, func(_ *testing.T, c *Config, bad func()) { c.Policy = foreignPolicy{remember: bad} }, h.bad, func(k *liveTest) {
				k.send(Prompt{Text: "go"})
				k.until("approval_requested")
				k.send(Resolve{Call: "c0", Decision: "allow_always"})
				k.until("turn_ended")
				time.Sleep(5 * time.Second) // virtual: it is given up
				if e := k.run("again"); e.Outcome != Completed {
					t.Errorf("the next turn ended as %+v", e)
				}
			})
		})
	}
}

// badJournal does bad once.
type badJournal struct {
	journal.Memory
	once sync.Once
	bad  func()
}

func (j *badJournal) Append(ctx context.Context, session string, records ...journal.Record) error {
	j.once.Do(j.bad)
	return j.Memory.Append(ctx, session, records...)
}

// I9: a journal that does not return has failed; the work goes on, and the
// reader is told.
func TestAJournalThatDoesNotReturnHasFailed(t *testing.T) {
	for what := range hows {
		t.Run(what, func(t *testing.T) {
			set := func(_ *testing.T, c *Config, bad func()) {
				c.Journal = &badJournal{Memory: journal.Memory{AsDurable: true}, bad: bad}
			}
			inForeign(t, set, hows[what].bad, func(k *liveTest) {
				want := "unsaved: the session is no longer saved: the journal " + hows[what].how + "; call: written; completed"
				if diff := cmp.Diff(want, k.story()); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Nor does a hook that hangs keep a session that ends from saving the rest.
func TestAHookThatHangsDoesNotKeepTheJournalFromTheRest(t *testing.T) {
	var j *slowJournal
	set := func(_ *testing.T, c *Config, bad func()) {
		j = newSlowJournal(false, "prompt_accepted")
		c.Journal, c.Hooks.AfterTurn = j, func(context.Context, TurnEnded) { bad() }
	}
	inForeign(t, set, hows["hangs"].bad, func(k *liveTest) {
		k.send(Prompt{Text: "go"})
		k.until("turn_ended")
		k.send(Stop{})
		synctest.Wait()
		close(j.release)
		k.wait(k.gone, "the end of the session")
		kinds := recordKinds(k.t, j)
		if last := kinds[len(kinds)-1]; last != "turn_closed" {
			t.Errorf("the last record is %s", last)
		}
	})
}

// What a call is said to have taken is the tool's own time, without the wait for
// the gate before it and the hooks around it, also where one of them hangs.
func TestHooksDoNotCountAsTheTimeOfACall(t *testing.T) {
	for name, c := range map[string]struct {
		tool, after time.Duration
		want        int64
	}{
		"all return":           {100 * time.Millisecond, 300 * time.Millisecond, 100},
		"the hook after hangs": {100 * time.Millisecond, time.Hour, 100},
		"the tool hangs":       {time.Hour, 0, 1700}, // until it is given up
	} {
		t.Run(name, func(t *testing.T) {
			set := func(t *testing.T, cfg *Config, _ func()) {
				cfg.Tools = registry(t, tool{"write", tools.Mutating, func(context.Context, tools.Call) tools.Result { time.Sleep(c.tool); return tools.Result{} }})
				cfg.Hooks.BeforeCall = func(context.Context, tools.Call) *tools.Result { time.Sleep(300 * time.Millisecond); return nil }
				cfg.Hooks.AfterCall = func(_ context.Context, _ tools.Call, r tools.Result) tools.Result { time.Sleep(c.after); return r }
			}
			inForeign(t, set, func(chan struct{}) {}, func(k *liveTest) {
				k.send(Prompt{Text: "go"})
				for _, e := range k.until("turn_ended") {
					if e, ok := e.(ToolFinished); ok && e.DurationMS != c.want {
						t.Errorf("it took %d ms, want %d", e.DurationMS, c.want)
					}
				}
				time.Sleep(2 * time.Hour) // virtual: what was given up ends
			})
		})
	}
}
