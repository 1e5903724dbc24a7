package streamtest

import (
	"encoding/json"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
)

const (
	largeCall = 30 << 20
	// heldBeside is what a reader may hold beside the arguments of a large call:
	// its buffers, and what the runtime needs meanwhile.
	heldBeside = 4 << 20
)

// LargeCallBody returns the body of a stream of one call whose arguments have
// 30 MiB. It is made as it is read and takes no memory.
func LargeCallBody(dialect string) io.Reader {
	text := strings.Repeat("All hands check the lines. ", 150)
	head, piece, tail := largeChunks(dialect, `{"text":"`), largeChunks(dialect, text)[1], largeChunks(dialect, `"}`)
	return io.MultiReader(
		strings.NewReader(head[0]+head[1]),
		&again{text: piece, times: largeCall/len(text) + 1},
		strings.NewReader(tail[1]+tail[2]))
}

// largeChunks are the start of such a stream, the event that brings piece, and
// the end.
func largeChunks(dialect, piece string) []string {
	quoted, _ := json.Marshal(piece) // a string cannot fail
	if dialect == "anthropic" {
		return []string{
			`data: {"type":"message_start","message":{"id":"msg_1"}}` + "\n\n" +
				`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_big","name":"write_file","input":{}}}` + "\n\n",
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` + string(quoted) + "}}\n\n",
			`data: {"type":"content_block_stop","index":0}` + "\n\n" +
				`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		}
	}
	return []string{
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_big","function":{"name":"write_file"}}]}}]}` + "\n\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":` + string(quoted) + "}}]}}]}\n\n",
		`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n",
	}
}

// again reads a text several times.
type again struct {
	text  string
	times int
	at    int
}

func (a *again) Read(p []byte) (int, error) {
	if a.times == 0 {
		return 0, io.EOF
	}
	n := copy(p, a.text[a.at:])
	if a.at += n; a.at == len(a.text) {
		a.at = 0
		a.times--
	}
	return n, nil
}

// CheckLargeCall reads the stream of a [LargeCallBody] and reports to t where
// its reader holds the arguments more than once: near their end, when the call
// is there, and after it. A test that calls it runs beside no other.
func CheckLargeCall(t *testing.T, stream iter.Seq2[provider.Delta, error]) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var call provider.ToolCall
	var a provider.Assembly
	came, near := 0, false
	for d, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		a.Add(d)
		came += len(d.Text)
		if c, ok := d.Done.(provider.ToolCall); ok {
			call = c
			checkHeld(t, before.HeapAlloc, "as the call is there")
		}
		if !near && came > largeCall*95/100 {
			near = true
			checkHeld(t, before.HeapAlloc, "near the end of the arguments")
		}
		if d.Kind == provider.FinishDelta {
			checkHeld(t, before.HeapAlloc, "at the end")
		}
	}
	runtime.ReadMemStats(&after)
	if made := int(after.TotalAlloc - before.TotalAlloc); made > 7*largeCall/2 { // the pieces, the call, the deltas
		t.Errorf("%d MiB were allocated for a call of %d MiB", made>>20, largeCall>>20)
	}
	if len(call.Arguments) < largeCall || call.Raw != string(call.Arguments) || !near {
		t.Errorf("arguments of %d bytes, raw %d", len(call.Arguments), len(call.Raw))
	}
	if n := a.Bytes(); n > len(call.Raw)+1<<10 { // else the cap of a message is half of what it says
		t.Errorf("an assembly counts %d bytes for a call of %d", n, len(call.Raw))
	}
	runtime.KeepAlive(a.Message())
}

func checkHeld(t *testing.T, before uint64, when string) {
	t.Helper()
	var now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&now)
	if held := int(now.HeapAlloc) - int(before); held > largeCall+heldBeside {
		t.Errorf("%s: %d MiB are held for arguments of %d MiB", when, held>>20, largeCall>>20)
	}
}
