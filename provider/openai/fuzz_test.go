package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/streamtest"
)

// canned is a transport whose every answer is status 200 with the body that
// the request's context carries.
type canned struct{}

type bodyKey struct{}

func (canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_ = req.Body.Close()
	body := req.Context().Value(bodyKey{}).(io.Reader)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: req, Body: io.NopCloser(body),
	}, nil
}

func withBody(t testing.TB, body io.Reader) context.Context {
	return context.WithValue(t.Context(), bodyKey{}, body)
}

// reader returns a client that reads bodies given to it.
func reader(t testing.TB, c Config) *Client {
	t.Helper()
	c.Transport = canned{}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// read returns the deltas of body, neighbours merged, and the error.
func read(t testing.TB, c *Client, body io.Reader) ([]provider.Delta, error) {
	t.Helper()
	var all []provider.Delta
	var failed error
	more, reads := false, int64(-1)
	counted := &counter{from: body}
	for d, err := range c.Stream(withBody(t, counted), streamtest.Request()) {
		if err != nil {
			failed = err
			break
		}
		now := counted.reads.Load()
		if reads >= 0 && !counted.ended.Load() && more != (reads == now) {
			t.Errorf("a delta said more %t, and %d reads came before the next", more, now-reads)
		}
		more, reads, d.More = d.More, now, false
		if n := len(all); n > 0 && d.Kind <= provider.ToolCallDelta && all[n-1].Kind == d.Kind && all[n-1].Block == d.Block &&
			all[n-1].ID == d.ID && all[n-1].Name == d.Name {
			all[n-1].Text += d.Text
			continue
		}
		all = append(all, d)
	}
	if more {
		t.Error("the last delta said that more is to come")
	}
	return all, failed
}

// counter counts the reads up to the end of the answer. After it the transport
// reads too, to keep the connection.
type counter struct {
	from  io.Reader
	came  []byte
	reads atomic.Int64
	ended atomic.Bool
}

func (c *counter) Read(p []byte) (int, error) {
	c.reads.Add(1)
	n, err := c.from.Read(p)
	if !c.ended.Load() {
		c.came = append(c.came, p[:n]...)
		whole := bytes.HasPrefix(bytes.TrimLeft(c.came, "\xef\xbb\xbf\r\n\t "), []byte("{"))
		c.ended.Store(err != nil || whole || bytes.Contains(c.came, []byte("[DONE]")))
	}
	return n, err
}

// pieces reads data in pieces of a few bytes.
type pieces struct {
	data []byte
	rnd  *rand.Rand
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(to[:min(len(to), 1+p.rnd.IntN(40))], p.data)
	p.data = p.data[n:]
	return n, nil
}

// bodies returns the bodies of the corpus, framing undone.
func bodies(t testing.TB) [][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(corpus, "oai-*.http"))
	if err != nil || len(names) == 0 {
		t.Fatal("no corpus", err)
	}
	var all [][]byte
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(newBufio(raw), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		body, _ := io.ReadAll(resp.Body) // some are cut on purpose
		_ = resp.Body.Close()
		all = append(all, body)
	}
	return all
}

func FuzzOpenAI(f *testing.F) {
	for i, body := range bodies(f) {
		f.Add(body, uint64(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		c := reader(t, Config{LineBytes: 2000, MessageBytes: 4000})
		want, wantErr := read(t, c, bytes.NewReader(body))
		got, err := read(t, c, &pieces{body, rand.New(rand.NewPCG(seed, 1))})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("split otherwise:\n%s", diff)
		}
		if provider.AsError(orNone(wantErr)).Kind != provider.AsError(orNone(err)).Kind {
			t.Errorf("split otherwise: %v, want %v", err, wantErr)
		}
		size := 0
		for _, d := range got {
			size += len(d.Text) + len(d.Stop)
			if call, ok := d.Done.(provider.ToolCall); ok { // its arguments came as text
				size += len(call.ID) + len(call.Name)
			}
		}
		if size > 4000+2000 {
			t.Errorf("%d bytes came through a cap of 4000", size)
		}
		if wantErr == nil {
			acceptable(t, want)
		}
	})
}

func orNone(err error) error {
	if err == nil {
		return errors.New("none")
	}
	return err
}

// acceptable checks what a strict server would of the message that deltas make.
func acceptable(t *testing.T, deltas []provider.Delta) {
	t.Helper()
	var a provider.Assembly
	for _, d := range deltas {
		a.Add(d)
	}
	seen := map[string]bool{}
	for _, call := range a.Message().Calls() {
		var args map[string]any
		if call.ID == "" || seen[call.ID] || call.Name == "" {
			t.Errorf("a call without an id or name of its own: %+v", call)
		}
		seen[call.ID] = true
		if call.Arguments != nil && (json.Unmarshal(call.Arguments, &args) != nil || args == nil) {
			t.Errorf("arguments that are no object: %s", call.Arguments)
		}
	}
}

// FuzzScanner holds the scanner to the parser: what it accepts it reads alike.
func FuzzScanner(f *testing.F) {
	for _, body := range bodies(f) {
		for line := range strings.SplitSeq(string(body), "\n") {
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:"); ok {
				f.Add([]byte(data))
			}
		}
	}
	f.Add([]byte(`{"choices":[{"index":00}]}`))
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":1e3,"type":-0.5E+2}]}}],"x":[[],{},true,null,"\u00e9"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = []byte(strings.ToValidUTF8(string(data), "\ufffd"))
		var fast, slow chunk
		if !fast.scan(data) {
			return
		}
		if err := slow.parse(data, false); err != nil {
			t.Fatalf("the scanner took what is not JSON: %v", err)
		}
		var a, b bytes.Buffer
		show(&a, &fast)
		show(&b, &slow)
		if diff := cmp.Diff(b.String(), a.String()); diff != "" {
			t.Errorf("read otherwise:\n%s", diff)
		}
	})
}
