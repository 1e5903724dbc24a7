package bench

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// halfway is an answer that waits in its middle for its gate: there a crowd is
// looked at.
const (
	halfway = `{"loop": true, "steps": [{"blocks": [{"text": [
		{"repeat": " lighthouse", "bytes": 1100}, {"gate": "half"}, {"repeat": " lighthouse", "bytes": 1100}
	]}]}]}`
	halfTokens = 100
)

// idlers opens n sessions that do nothing for a time, and closes them.
func idlers(ctx context.Context, t Trial, n int, rest time.Duration) ([]Sample, error) {
	c, err := gather(t.Client, n)
	if err != nil {
		return nil, err
	}
	cpu, begun := CPU(), time.Now()
	wait(ctx, rest)
	idle := Sample{Name: "idle cpu", Unit: "cores", Less: true, Value: float64(CPU()-cpu) / float64(time.Since(begun))}
	return append(c.samples(), idle, c.close()), nil
}

// gathered are n sessions, idle.
type gathered struct {
	all         []Session
	before      held
	idle        held
	rssBefore   int64
	rss         int64
	open        time.Duration
	openCPU     time.Duration
	rssMeasured bool
}

// gather opens n sessions and looks at what they cost.
func gather(c Client, n int) (g gathered, err error) {
	g.before = memory()
	debug.FreeOSMemory() // what was resident before must not hide what comes
	g.rssBefore, _ = resident()
	cpu, begun := CPU(), time.Now()
	g.all = make([]Session, n)
	for i := range g.all {
		if g.all[i], err = c.Session(); err != nil {
			return g, err
		}
	}
	g.open, g.openCPU = time.Since(begun), CPU()-cpu
	g.idle = memory().over(g.before)
	now, ok := resident()
	g.rss, g.rssMeasured = now-g.rssBefore, ok
	return g, nil
}

func (g gathered) kib(b int64) float64 { return float64(b) / float64(len(g.all)) / 1024 }

func (g gathered) per(d time.Duration) float64 { return micros(d) / float64(len(g.all)) }

func (g gathered) samples() []Sample {
	out := []Sample{
		{Name: "idle", Unit: "KiB", Less: true, Value: g.kib(g.idle.sum())},
		{Name: "idle stacks", Unit: "KiB", Less: true, Value: g.kib(g.idle.stacks)},
		{Name: "open", Unit: "µs", Less: true, Value: g.per(g.open)},
		{Name: "open cpu", Unit: "µs", Less: true, Value: g.per(g.openCPU)},
	}
	if g.rssMeasured {
		out = append(out, Sample{Name: "idle rss", Unit: "KiB", Less: true, Value: g.kib(g.rss)})
	}
	return out
}

// close closes all and says what that took of each.
func (g gathered) close() Sample {
	begun := time.Now()
	for _, s := range g.all {
		s.Close()
	}
	return Sample{Name: "close", Unit: "µs", Less: true, Value: g.per(time.Since(begun))}
}

// crowd opens n streams at once, looks at the memory when each has half its
// text, and reads them to their ends, every one checked.
func crowd(ctx context.Context, t Trial, n int) ([]Sample, error) {
	u, err := t.Server.again()
	if err != nil {
		return nil, err
	}
	defer func() { _ = u.Close() }() // Whatever it says, the measurement is done.
	client, err := t.Subject.Open(Source{URL: u.URL, Transport: Transport(n)})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	g, err := gather(client, n)
	if err != nil {
		return nil, err
	}
	reading, leave := context.WithCancel(ctx)
	defer leave()
	var half, whole sync.WaitGroup
	var mu sync.Mutex
	gone := lost{trial: t}
	half.Add(n)
	cpu := CPU()
	for _, s := range g.all {
		whole.Go(func() {
			err := readHalves(reading, s, half.Done)
			mu.Lock()
			defer mu.Unlock()
			gone.add(err)
		})
	}
	half.Wait()
	cpu = CPU() - cpu
	streaming := memory().over(g.before)
	rss, ok := resident()
	if err := u.open(ctx, "half"); err != nil {
		leave()
		whole.Wait() // none may run while others are measured
		return nil, err
	}
	rest := CPU()
	whole.Wait()
	if _, err := gone.samples(ctx); err != nil {
		return nil, err
	}
	cpu += CPU() - rest
	out := append(g.samples(),
		Sample{Name: "streaming", Unit: "KiB", Less: true, Value: g.kib(streaming.sum())},
		Sample{Name: "stacks", Unit: "KiB", Less: true, Value: g.kib(streaming.stacks)},
		Sample{Name: "cpu", Unit: "µs/answer", Less: true, Value: g.per(cpu)}, g.close())
	if ok {
		out = append(out, Sample{Name: "rss", Unit: "KiB", Less: true, Value: g.kib(rss - g.rssBefore)})
	}
	return out, nil
}

// resident returns the resident memory of this process, where the system tells.
func resident() (bytes int64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0, false
	}
	return pages * int64(os.Getpagesize()), true
}

func sessionCases(short bool) []Case {
	var cases []Case
	for _, n := range pick(short, []int{1, 100, 1000}, []int{3}) {
		cases = append(cases, Case{
			Name: fmt.Sprintf("%d streams at once", n), Script: halfway, Streams: n,
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return crowd(ctx, t, n) },
		})
	}
	many := pick(short, 10_000, 10)
	rest := pick(short, time.Second, time.Millisecond)
	shared := fair{pick(short, 64, 3), pick(short, 20_000, 50)}
	return append(cases,
		Case{
			Name: fmt.Sprintf("%d streams at once", many), Script: halfway, Streams: many, Rounds: 1,
			Subjects: []string{"floor", "weir"},
			Measure:  func(ctx context.Context, t Trial) ([]Sample, error) { return crowd(ctx, t, many) },
		},
		Case{
			Name: fmt.Sprintf("%d idle sessions", many), Script: halfway, Subjects: []string{"weir"},
			Measure: func(ctx context.Context, t Trial) ([]Sample, error) { return idlers(ctx, t, many, rest) },
		},
		Case{
			Name:   fmt.Sprintf("%d streams of %d tokens without gaps, begun together", shared.streams, shared.tokens),
			Script: Answer(shared.tokens, 0, 0), Streams: shared.streams,
			Subjects: []string{"floor", "adapter", "weir", "channels", "unbounded", "bounded"}, Measure: shared.measure,
		},
	)
}

// readHalves reads an answer, says when half of it is there, and checks it.
func readHalves(ctx context.Context, s Session, half func()) error {
	var all strings.Builder
	said := sync.OnceFunc(half)
	defer said() // also if it breaks before
	err := s.Read(ctx, plain, func(text string) bool {
		all.WriteString(text)
		if all.Len() >= halfTokens*len(word) {
			said()
		}
		return true
	})
	if err != nil {
		return err
	}
	if all.String() != strings.Repeat(word, 2*halfTokens) {
		return fmt.Errorf("the text is not the one that was sent: %d bytes", all.Len())
	}
	return nil
}

// held are bytes of live heap and of stacks.
type held struct{ heap, stacks int64 }

// memory returns what this process holds.
func memory() held {
	heap := Heap()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{int64(heap), int64(m.StackInuse)}
}

func (h held) over(before held) held { return held{h.heap - before.heap, h.stacks - before.stacks} }
func (h held) sum() int64            { return h.heap + h.stacks }

// open opens a gate of the server's script.
func (u *Upstream) open(ctx context.Context, gate string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL+"/gates/"+gate, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // It says nothing.
	if res.StatusCode >= 300 {
		return fmt.Errorf("open gate %s: %s", gate, res.Status)
	}
	return nil
}
