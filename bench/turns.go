package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider"
)

// turnSize is a turn with calls.
type turnSize struct {
	turns  int
	calls  int
	output int           // bytes of each result
	ideal  time.Duration // what the model and the tools take by themselves
	limits pipeline.Limits
}

// measure measures turns, each in a session of its own: by weir, or by a loop
// around the adapter.
func (z turnSize) measure(ctx context.Context, t Trial) ([]Sample, error) {
	run, end, err := z.runner(t)
	if err != nil {
		return nil, err
	}
	defer end()
	took, over, after := NewTimes(), NewTimes(), NewTimes()
	before := Used()
	for range z.turns {
		begun := time.Now()
		results, release, err := run(ctx, t.question())
		d := time.Since(begun)
		if err != nil {
			return nil, err
		}
		if results != z.calls {
			return nil, fmt.Errorf("%d calls have a result, not %d", results, z.calls)
		}
		took.Add(d)
		over.Add(d - z.ideal)
		if release > 0 {
			after.Add(release)
		}
	}
	used := Used().Since(before)
	if t.Subject.Name == "weir" {
		if err := z.verify(ctx, t); err != nil {
			return nil, err
		}
	}
	out := []Sample{
		took.sample("turn"), over.sample("over ideal"),
		{Name: "cpu", Unit: "µs/turn", Less: true, Value: micros(used.CPU) / float64(z.turns)},
		{Name: "bytes", Unit: "KiB/turn", Less: true, Value: float64(used.Bytes) / 1024 / float64(z.turns)},
	}
	if after.h.TotalCount() > 0 {
		out = append(out, after.sample("told after"))
	}
	return out, nil
}

// verify does a turn that is not measured, and fails if a result is cut or stands
// in another order than its call, however they ended.
func (z turnSize) verify(ctx context.Context, t Trial) error {
	p, err := agent(t.source, z.limits, &toolbox{})
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := p.Open("")
	if err != nil {
		return err
	}
	if _, _, err := weirTurn(ctx, s, t.question()); err != nil {
		return err
	}
	messages, err := s.History(ctx)
	if err != nil {
		return err
	}
	return z.inOrder(messages)
}

func (z turnSize) inOrder(messages []provider.Message) error {
	var calls, results []string
	for _, m := range messages {
		for _, c := range m.Calls() {
			calls = append(calls, c.ID)
		}
		for _, b := range m.Blocks {
			r, ok := b.(provider.ToolResult)
			if !ok {
				continue
			}
			results = append(results, r.Call)
			if len(r.Text) != z.output {
				return fmt.Errorf("the result of call %d has %d bytes, not %d", len(results), len(r.Text), z.output)
			}
		}
	}
	if len(calls) != z.calls || !slices.Equal(calls, results) {
		return fmt.Errorf("calls %q have the results of %q", calls, results)
	}
	return nil
}

// runner returns what does a turn, and says how long after the end of the last
// call its result was told.
func (z turnSize) runner(t Trial) (run func(context.Context, string) (int, time.Duration, error), end func(), err error) {
	box := &toolbox{}
	if t.Subject.Name == "weir" {
		p, err := agent(t.source, z.limits, box)
		if err != nil {
			return nil, nil, err
		}
		return func(ctx context.Context, question string) (int, time.Duration, error) {
			s, err := p.Open("")
			if err != nil {
				return 0, 0, err
			}
			defer s.Close()
			n, last, err := weirTurn(ctx, s, question)
			t.Plot.stalled(weirSession{s})
			return n, last.Sub(time.Unix(0, box.ended.Load())), err
		}, p.Close, nil
	}
	m, err := t.source.model()
	if err != nil {
		return nil, nil, err
	}
	tool, err := box.tool()
	return func(ctx context.Context, question string) (int, time.Duration, error) {
		n, err := plainTurn(ctx, m, t.source.modelName(), question, tool)
		return n, 0, err
	}, func() {}, err
}

func toolCases(short bool) []Case {
	turns := pick(short, 20, 2)
	part := pick(short, 25*time.Millisecond, time.Millisecond) // before each of the two steps
	took := pick(short, 50*time.Millisecond, time.Millisecond)
	quick := took / 10
	output := pick(short, 64<<10, 4<<10)
	many := pick(short, 16, 4)
	late := turnScript(part, fmt.Sprintf(`%s, %s, {"wait_ms": %g}`, call(took, 10), call(quick, 10), ms(took)))
	cases := []Case{
		turnCase(fmt.Sprintf("four calls of %v side by side", took), callsScript(part, took, 4, took, 10),
			turnSize{turns: turns, calls: 4, output: 10, ideal: 2*part + took}),
		turnCase(fmt.Sprintf("eight calls, the first takes %v, the others %v", took, quick), callsScript(part, quick, 8, took, 10),
			turnSize{turns: turns, calls: 8, output: 10, ideal: 2*part + took}),
		turnCase(fmt.Sprintf("%d calls with %d KiB each at once", many, output>>10), callsScript(part, 0, many, 0, output),
			turnSize{turns: turns, calls: many, output: output, ideal: 2 * part}),
	}
	for _, eager := range []bool{false, true} {
		z := turnSize{turns: turns, calls: 2, output: 10, ideal: 2*part + took + quick, limits: pipeline.Limits{Eager: eager}}
		c := turnCase(fmt.Sprintf("a call of %v whose message goes on for %v, eager %v", took, took, onOff(eager)), late, z)
		if eager {
			c.Subjects = []string{"weir"}
		}
		cases = append(cases, c)
	}
	return cases
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func turnCase(name, script string, z turnSize) Case {
	return Case{
		Name: strings.TrimSpace(name), Script: script, Streams: 2, Subjects: []string{"adapter", "weir"}, Measure: z.measure,
	}
}
