package anthropic

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// FuzzScan holds the scanner to the full parser: what it takes, both read alike.
func FuzzScan(f *testing.F) {
	for _, data := range []string{
		textEvent("x"), thinkingEvent(`\ud83d\ude00 \"é`), cutEvent, callEvent, start,
		` { "index" : 10 , "delta" : { "partial_json" : "{\"k\":" , "type" : "input_json_delta" } , "type" : "content_block_delta" }   `,
		`{"type":"content_block_delta","index":01,"delta":{"type":"text_delta","text":"x"}}`,
		`{"type":"content_block_delta","index":1e1,"delta":{"type":"text_delta","text":"x"}}`,
		`{"type":"content_block_delta","index":1,"index":2,"delta":{"type":"text_delta","text":"x"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x","type":"thinking_delta"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"\x"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"},}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"},"error":{}}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := scanPiece(data)
		if !ok {
			return
		}
		o := parseObject([]byte(strings.TrimSpace(string(data))))
		if o == nil {
			t.Fatalf("the scanner takes what is no JSON: %q", data)
		}
		delta := o.object("delta")
		if index, ok := o.number("index"); !ok || index != p.index || o.has("error") || o.string("type") != "content_block_delta" {
			t.Fatalf("%q: index %d", data, p.index)
		}
		if shape := shapeOf([]byte(delta.string("type"))); shape != p.shape {
			t.Fatalf("%q: shape %v, want %v", data, p.shape, shape)
		}
		var half wire.Half
		name := map[shape]string{textPiece: "text", thinkingPiece: "thinking", inputPiece: "partial_json"}[p.shape]
		if got := string(half.Flush(half.Append(nil, p.text))); got != delta.string(name) {
			t.Fatalf("%q: text %q, want %q", data, got, delta.string(name))
		}
	})
}

// pieces reads a text in pieces of the sizes given, again and again.
type pieces struct {
	text  string
	sizes []byte
	n     int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	size := len(p.text)
	if len(p.sizes) > 0 {
		size = min(size, 1+int(p.sizes[p.n%len(p.sizes)]))
		p.n++
	}
	n := copy(b, p.text[:size])
	p.text = p.text[n:]
	return n, nil
}

// FuzzAnswer reads any body in one piece and in others: both must come to the
// same, and neither may panic, hang or grow past its caps.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		fine(),
		stream(start, callEvent, cutEvent, thinkingEvent(`\ud83d`), textEvent(`x\ud83d`), textEvent(`\ude00`), because("max_tokens")),
		stream(start, `{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null,"input":1}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"é\ud83d"}}`, cutEvent, stopped),
		`{"type":"message","content":[{"type":"text","text":"x"},{"type":"tool_use","name":"f","input":{}}],"stop_reason":"tool_use"}`,
		"<html>no</html>", "event: error\ndata: no\n\n", "data: [DONE]\n\n", "\xef\xbb\xbfdata: \xff\r\n\r\n",
	} {
		f.Add(body, []byte{0}, false)
		f.Add(body, []byte{3, 200, 0}, true)
	}
	f.Fuzz(func(t *testing.T, body string, sizes []byte, tight bool) {
		cfg := Config{}
		if tight {
			cfg.LineBytes, cfg.MessageBytes = 1<<10, 4<<10
		}
		whole := fuzzed(t, cfg, &pieces{text: body})
		split := fuzzed(t, cfg, &pieces{text: body, sizes: sizes})
		if diff := cmp.Diff(whole, split); diff != "" {
			t.Error(diff)
		}
	})
}

func fuzzed(t *testing.T, cfg Config, body io.Reader) outcome {
	t.Helper()
	answers := read(t, cfg, body)
	size := 0
	for i, a := range answers {
		if last := i == len(answers)-1; last != (a.err != nil || a.delta.Kind == provider.FinishDelta) {
			t.Fatalf("yield %d of %d is %+v", i, len(answers), a)
		}
		size += len(a.delta.Text) + provider.BlockBytes(a.delta.Done)
	}
	if cfg.MessageBytes > 0 && size > 3*cfg.MessageBytes {
		t.Fatalf("%d bytes came through a cap of %d", size, cfg.MessageBytes)
	}
	return outcomeOf(t, answers)
}
