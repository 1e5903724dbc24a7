package bench

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/sim"
)

func TestTheBarSaysWhatIsLeft(t *testing.T) {
	b := bar{terminal: true}
	for _, c := range []struct {
		done int
		what string
		want string
	}{
		{0, "flood", "░░░░░░░░░░░░░░░░░░░░░░░░   0 %   –    flood"},
		{3, "flood", "██████░░░░░░░░░░░░░░░░░░  25 % 1:30  flood"},
		{12, "flood", "████████████████████████ 100 % 0:00  flood"},
	} {
		if got := b.line(c.done, 12, c.what, 30*time.Second); got != c.want {
			t.Errorf("%d of 12: %q", c.done, got)
		}
	}
	b.columns = func() int { return 30 } // a line that is broken is not drawn over
	if got := []rune(b.line(3, 12, "flood", time.Second)); len(got) != 29 {
		t.Errorf("%d characters on 30 columns", len(got))
	}
	b.columns = nil
	if got := []rune(b.line(1, 2, strings.Repeat("灯", 200), 0)); len(got) != lineWidth {
		t.Errorf("a long line has %d characters", len(got))
	}
}

// A token belongs to the piece that completes it, whatever its frame looks like.
func TestTokensAreFoundInFramesOfAnyServer(t *testing.T) {
	var s Stamps
	body := `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}

data: {"choices": [{"delta": {"reasoning_content":"hm","content": null}}]}

data: {"choices": [{"delta": {"content": "a \"b\""}}],"weir_due_ns":5,"weir_sent_ns":7}

data: {"choices":[{"delta":{"content":"灯\n"}}]}

data: [DONE]
`
	for i := range len(body) { // in reads of one byte
		s.take([]byte(body[i:i+1]), int64(i))
	}
	var got []times
	for _, bytes := range []int{1, 5, 6, 100} {
		s.passed(bytes, func(at times) { got = append(got, at) })
	}
	if len(got) != 2 || got[0].end != 5 || got[1].end != 9 || got[0].due != 5 || got[0].sent != 7 || got[1].sent != 0 {
		t.Errorf("%+v", got)
	}
}

// A series has few points however long it lasts, and no peak is lost.
func TestATrackKeepsItsPeaks(t *testing.T) {
	tr := newTrack("x", "µs")
	for i := range 100_000 {
		v := 1.0
		if i == 77_777 {
			v = 9
		}
		tr.add(tr.begun.Add(time.Duration(i)*time.Millisecond), v)
	}
	peak, s := 0.0, tr.series()
	for _, p := range s.Points {
		peak = max(peak, p[1])
	}
	if len(s.Points) > trackPoints || len(s.Points) < trackPoints/3 || peak != 9 {
		t.Errorf("%d points, peak %v", len(s.Points), peak)
	}
}

// A distribution fills its plane: neither empty decades, nor a top that says all
// samples are there where some are withheld.
func TestADistributionFillsItsPlane(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{{103, 880, "100µs 200µs 500µs 1ms"}, {103_000, 109_000, "100ms 120ms 140ms 160ms 180ms 200ms"}, {0.7, 30_000, "1µs 10µs 100µs 1ms 10ms"}} {
		got := draw("x", []curve{{"weir", "#000", [][2]float64{{c.from, 0}, {c.to, 0.5}}}}, true, microText, percentText)
		var texts []string
		for _, tick := range got.X {
			texts = append(texts, tick.Text)
			if tick.At < left-0.1 || tick.At > right+0.1 {
				t.Errorf("%q stands at %v", tick.Text, tick.At)
			}
		}
		if strings.Join(texts, " ") != c.want || got.Y[len(got.Y)-1].Text != "100 %" {
			t.Errorf("%q, up to %q", texts, got.Y[len(got.Y)-1].Text)
		}
	}
}

func TestFairnessIsOneWhereAllGetTheSame(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   float64
	}{{[]float64{7, 7, 7, 7}, 1}, {[]float64{1, 0, 0, 0}, 0.25}, {[]float64{1, 1, 0, 0}, 0.5}} {
		if got := jain(c.shares); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v", c.shares, got)
		}
	}
}

// Where weir stalled is told of all sessions of a round, and only of that.
func TestStallsAreOfOneRoundAndAllItsSessions(t *testing.T) {
	u, err := StartHere(Answer(50_000, 0, 0), sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = u.Close() }()
	c, err := openWeir(Source{URL: u.URL, Transport: Transport(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var one, two Plot
	drag := func(p *Plot) {
		s, err := c.Session()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		first := true
		err = s.Read(t.Context(), plain, func(string) bool {
			if first {
				wait(t.Context(), 50*time.Millisecond)
			}
			first = false
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		p.stalled(s)
	}
	drag(&one)
	two.Stalls = maps.Clone(one.Stalls)
	drag(&two)
	for _, stage := range stageNames() {
		if two.Stalls[stage] < one.Stalls[stage] {
			t.Errorf("%s stalled for %v and then for %v", stage, one.Stalls, two.Stalls)
		}
	}
	m := measurer{}
	_, err = m.once(t.Context(), job{Case: Case{Measure: func(context.Context, Trial) ([]Sample, error) { return nil, nil }}},
		Trial{Plot: &two, sockets: Transport(1)}, 1)
	if one.Stalls["reporter"] <= 0 || err != nil || two.Stalls != nil {
		t.Errorf("one session stalled for %v; at the next round %v, %v", one.Stalls, two.Stalls, err)
	}
}

func TestKeptConnectionsAreThoseTheNextQuestionUsed(t *testing.T) {
	for _, c := range []struct {
		answers, opened int
		want            float64
	}{{101, 1, 1}, {101, 17, 0.84}, {11, 11, 0}, {1, 1, 1}, {5, 0, 1}} {
		if got := kept(c.answers, c.opened); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What a late sender hides is counted from the schedule; one that is early hides nothing.
func TestOmissionIsWhatLayBeforeTheSending(t *testing.T) {
	var h hidden
	h.add(30*time.Millisecond, 40*time.Millisecond)
	h.add(-time.Millisecond, 60*time.Millisecond)
	if got := h.sample().Value; got != 30 {
		t.Errorf("%v %%", got)
	}
}

// The results of calls stand in the order of the calls, and are whole: what a
// runtime does out of order must not be measured as if it were right.
func TestResultsMustBeWholeAndInOrder(t *testing.T) {
	call := func(id string) provider.Block { return provider.ToolCall{ID: id, Name: pauseName} }
	result := func(id, text string) provider.Block { return provider.ToolResult{Call: id, Text: text} }
	z := turnSize{calls: 2, output: 2}
	for _, c := range []struct {
		name    string
		results []provider.Block
		right   bool
	}{
		{"in order", []provider.Block{result("a", "ok"), result("b", "ok")}, true},
		{"out of order", []provider.Block{result("b", "ok"), result("a", "ok")}, false},
		{"cut", []provider.Block{result("a", "ok"), result("b", "o")}, false},
		{"one is missing", []provider.Block{result("a", "ok")}, false},
	} {
		err := z.inOrder([]provider.Message{
			{Role: provider.Assistant, Blocks: []provider.Block{call("a"), call("b")}}, {Role: provider.Tool, Blocks: c.results},
		})
		if (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A server feels a reader that does not read: its writes wait, and that is seen
// with the moment from which on they did.
func TestTheServerTellsWhenItFeelsAReader(t *testing.T) {
	u, err := StartHere(Answer(400_000, 0, 0), sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = u.Close() }()
	before, err := u.mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock := sim.NewClock()
	begun := clock.Now()
	c, err := openFloor(Source{URL: u.URL, Transport: Transport(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := FrozenReader(t.Context(), c, u, 400_000, 20_000, 10*time.Millisecond, 0); err != nil {
		t.Fatal(err)
	}
	after, err := u.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if before.Held != 0 || before.HeldAt != 0 || after.Held < heldLeast || after.HeldAt < begun || after.HeldAt > clock.Now() {
		t.Errorf("%+v and then %+v, begun at %d", before, after, begun)
	}
}

func TestPercentilesNeedSamplesBeyondThem(t *testing.T) {
	m := Metric{Name: "x"}
	times := NewTimes()
	for i := range 150 {
		times.Add(time.Duration(i) * time.Microsecond)
	}
	m.add(times.sample("x"))
	m.close()
	if _, ok := m.Percentiles["p90"]; !ok || len(m.Percentiles) != 2 || len(m.Withheld) != 3 {
		t.Errorf("given %v, withheld %v", m.Percentiles, m.Withheld)
	}
	if top := m.CDF[len(m.CDF)-1][1]; top > 1-10.0/150 {
		t.Errorf("the distribution goes up to %v", top)
	}
}

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		s    scale
		want string
	}{
		{scale{0, 37, 0, 100, false}, "0 10 20 30"},
		{scale{0, 1, 0, 100, false}, "0 0.2 0.4 0.6 0.8 1"},
		{scale{1, 5_000, 0, 100, true}, "1 10 100 1000"},
		{scale{0, 25_000, 0, 100, false}, "0 5000 10000 15000 20000 25000"},
		{scale{2, 50, 0, 100, true}, "2 5 10 20 50"},
		{scale{100, 200, 0, 100, false}, "100 120 140 160 180 200"},
	} {
		var got []string
		for _, tick := range c.s.ticks(plainText) {
			got = append(got, tick.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}
