package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
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
	before := memory()
	begun := time.Now()
	sessions := make([]Session, n)
	for i := range sessions {
		if sessions[i], err = client.Session(); err != nil {
			return nil, err
		}
	}
	open := time.Since(begun)
	idle := memory()

	var half, whole sync.WaitGroup
	var mu sync.Mutex
	var failed error
	half.Add(n)
	for _, s := range sessions {
		whole.Go(func() {
			err := readHalves(ctx, s, half.Done)
			mu.Lock()
			defer mu.Unlock()
			failed = errors.Join(failed, err)
		})
	}
	half.Wait()
	streaming := memory()
	if err := u.open(ctx, "half"); err != nil {
		return nil, err
	}
	whole.Wait()
	if failed != nil {
		return nil, failed
	}
	begun = time.Now()
	for _, s := range sessions {
		s.Close()
	}
	per := func(d time.Duration) float64 { return float64(d) / float64(n) / float64(time.Microsecond) }
	kib := func(b int64) float64 { return float64(b) / float64(n) / 1024 }
	return []Sample{
		{Name: "idle", Unit: "KiB", Less: true, Value: kib(idle - before)},
		{Name: "streaming", Unit: "KiB", Less: true, Value: kib(streaming - before)},
		{Name: "open", Unit: "µs", Less: true, Value: per(open)},
		{Name: "close", Unit: "µs", Less: true, Value: per(time.Since(begun))},
	}, nil
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

// memory returns the bytes of live heap and of stacks.
func memory() int64 {
	heap := Heap()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(heap + m.StackInuse)
}

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
