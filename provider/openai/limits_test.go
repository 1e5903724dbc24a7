package openai

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
	"github.com/weir-agents/weir/provider/streamtest"
)

func TestWhatIsTooLargeIsFinal(t *testing.T) {
	chunk := func(delta string) string { return `data: {"choices":[{"delta":` + delta + `}]}` + "\n\n" }
	call := func(args string) string {
		return chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"` + args + `"}}]}`)
	}
	long := strings.Repeat("x", 700)
	for name, body := range map[string]string{
		"a line":           chunk(`{"content":"` + strings.Repeat("x", 2000) + `"}`),
		"a comment":        ":" + strings.Repeat("x", 2000),
		"the text":         strings.Repeat(chunk(`{"content":"`+long+`"}`), 5),
		"the thinking":     strings.Repeat(chunk(`{"reasoning":"`+long+`"}`), 5),
		"nameless calls":   strings.Repeat(call(long), 5),
		"extras of a call": strings.Repeat(chunk(`{"tool_calls":[{"index":0,"more":"`+long+`"}]}`), 5),
		"a whole answer":   `{"choices":[{"message":{"content":"` + strings.Repeat("x", 3000) + `"}}]}`,
	} {
		c := reader(t, Config{LineBytes: 1500, MessageBytes: 3000})
		_, err := read(t, c, strings.NewReader(body))
		e := provider.AsError(err)
		if e.Kind != provider.TooLarge || e.Retryable {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// The caps of a single id, name and finish reason hold, and what passes them is
// not shown either.
func TestAnIDOrANameOfAnySizeIsNoAnswer(t *testing.T) {
	const most = 64 << 10
	long := strings.Repeat("x", most+1)
	call := func(id, name string) string {
		return `{"index":0,"id":"` + id + `","function":{"name":"` + name + `","arguments":"{}"}}`
	}
	for name, body := range map[string]string{
		"an id":          `data: {"choices":[{"delta":{"tool_calls":[` + call(long, "now") + `]}}]}` + "\n\n",
		"a name":         `data: {"choices":[{"delta":{"tool_calls":[` + call("a", long) + `]}}]}` + "\n\n",
		"a legacy name":  `data: {"choices":[{"delta":{"function_call":{"name":"` + long + `","arguments":"{}"}}}]}` + "\n\n",
		"one of two":     `data: {"choices":[{"delta":{"tool_calls":[` + call(long, "now") + `,{"index":1,"id":"b","function":{"name":"now"}}]}}]}` + "\n\n",
		"a whole answer": `{"choices":[{"message":{"tool_calls":[` + call(long, "now") + `]},"finish_reason":"tool_calls"}]}`,
	} {
		deltas, err := read(t, reader(t, Config{}), strings.NewReader(body))
		if e := provider.AsError(err); e.Kind != provider.TooLarge || e.Retryable {
			t.Errorf("%s: %+v", name, e)
		}
		for _, d := range deltas {
			if call, ok := d.Done.(provider.ToolCall); len(d.ID+d.Name) > most || ok && len(call.ID+call.Name) > most {
				t.Errorf("%s: %d bytes of it were shown", name, len(d.ID+d.Name))
			}
		}
	}
	signed := strings.Repeat("x", most) // some gateways put a signature into an id
	body := `data: {"choices":[{"delta":{"tool_calls":[` + call(signed, "now") + `]},"finish_reason":"` + long + `"}]}` + "\n\ndata: [DONE]\n\n"
	deltas, err := read(t, reader(t, Config{}), strings.NewReader(body))
	if err != nil || len(deltas) != 3 || deltas[1].Done.(provider.ToolCall).ID != signed || deltas[2].Stop != provider.StopToolCalls {
		t.Errorf("an id of %d bytes: %d deltas, %v", most, len(deltas), err)
	}
}

// A fold keeps no more of a finish reason than it needs.
func TestALongFinishReasonIsNotKept(t *testing.T) {
	f := newFold("")
	var out wire.Out
	data := `{"choices":[{"finish_reason":"` + strings.Repeat("x", 1<<20) + `"}]}`
	if _, err := f.Frame(provider.Frame{Data: []byte(data)}, &out); err != nil || !f.Finished() || len(f.finish) > 1<<10 {
		t.Errorf("%d bytes are kept: %v", len(f.finish), err)
	}
}

func TestThereIsALimitToCalls(t *testing.T) {
	var body strings.Builder
	for i := range slotsMax + 1 {
		fmt.Fprintf(&body, `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"name":"now"}}]}}]}`+"\n\n", i)
	}
	_, err := read(t, reader(t, Config{}), strings.NewReader(body.String()))
	if e := provider.AsError(err); e.Kind != provider.TooLarge || e.Retryable {
		t.Errorf("got %+v", e)
	}
}

func TestACompressedStreamArrivesAsItIsWritten(t *testing.T) {
	shown := make(chan struct{})
	s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, aye)
		_ = z.Flush()
		w.(http.Flusher).Flush()
		<-shown // the first delta must not wait for what follows it
		_, _ = io.WriteString(z, finished)
		_ = z.Close()
	})
	text, first := "", true
	for d, err := range client(t, Config{BaseURL: s.URL}).Stream(t.Context(), streamtest.Request()) {
		if err != nil {
			t.Fatal(err)
		}
		if text += d.Text; first {
			first = false
			close(shown)
		}
	}
	if text != "Aye.Aye." {
		t.Errorf("got %q", text)
	}
}

func TestAnEncodingNobodyAskedForIsNamed(t *testing.T) {
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "" {
			t.Errorf("asked for %s", got)
		}
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, "\x0b\x02\x80")
	})
	e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL})).Err)
	if e.Kind != provider.NotAStream || !strings.Contains(e.Message, "br") {
		t.Errorf("got %+v", e)
	}
}

func TestAReaderThatPanicsLeavesNoConnection(t *testing.T) {
	gone := make(chan struct{})
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		say(w, aye)
		<-r.Context().Done()
		close(gone)
	})
	func() {
		defer func() { _ = recover() }()
		for range client(t, Config{BaseURL: s.URL}).Stream(t.Context(), streamtest.Request()) {
			panic("the consumer's")
		}
	}()
	<-gone
}
