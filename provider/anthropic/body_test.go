package anthropic

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

func TestBodies(t *testing.T) {
	whole := `{"id":"m","type":"message","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"x\ud83d"},
		{"type":"tool_use","id":"a","name":"f","input":{"k":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":9}}`
	read := []provider.Block{provider.Thinking{Text: "t", Signature: "s"}, provider.Text{Text: "x\uFFFD"}, call("a", "f", `{"k":1}`)}
	for _, c := range []struct {
		name, body string
		want       outcome
	}{
		{"a whole answer", whole, outcome{Blocks: read, Stop: provider.StopToolCalls, Usage: told}},
		{"a whole answer after blanks", "\r\n \n" + whole, outcome{Blocks: read, Stop: provider.StopToolCalls, Usage: told}},
		{"half of one", whole[:100], outcome{Kind: provider.TruncatedStream}},
		{"another object", `{"detail":"x"}`, outcome{Kind: provider.EmptyResponse}},
		{"an error", `{"type":"error","error":{"type":"api_error","message":"x"}}`, outcome{Kind: provider.ProviderError}},
		{"an error of null", `{"content":[{"type":"text","text":"x"}],"error":null}`, outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd}},
		{"bytes that are no text", "{\"content\":[{\"type\":\"text\",\"text\":\"a\xff\xfeb\"}]}", outcome{Blocks: []provider.Block{provider.Text{Text: "a\uFFFD\uFFFDb"}}, Stop: provider.StopEnd}},
		{"a page", "<!doctype html><title>no</title>", outcome{Kind: provider.NotAStream}},
		{"nothing", "", outcome{Kind: provider.EmptyResponse}},
		{"keep-alives", ": x\n\ndata:\n\ndata: null\n\n", outcome{Kind: provider.EmptyResponse}},
		{"no end", stream(start, textEvent("x")), outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Kind: provider.TruncatedStream}},
		{"a stop reason without message_stop", stream(start, textEvent("x"), because("end_turn")), outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd, Usage: told}},
		{"[DONE]", stream(start, textEvent("x"), "[DONE]", "oops"), outcome{Blocks: []provider.Block{provider.Text{Text: "x"}}, Stop: provider.StopEnd, Usage: &provider.Usage{Input: 3, Output: 1}}},
		{"an error named so", "event: error\ndata: plain\n\n", outcome{Kind: provider.ProviderError}},
		{"an error beside a type", stream(start, `{"type":"ping","error":"x"}`), outcome{Kind: provider.ProviderError}},
	} {
		t.Run(c.name, func(t *testing.T) { wantOutcome(t, outcomeOf(t, answered(t, c.body)), c.want) })
	}
}

// Words beside which nothing is an answer reach the user.
func TestTheWordsOfWhatIsNoAnswer(t *testing.T) {
	for body, kind := range map[string]provider.ErrorKind{
		`{"detail":"tide out"}`:                                                provider.EmptyResponse,
		`{"message":"tide out"}`:                                               provider.EmptyResponse,
		stream(start, `{"detail":"tide out"}`):                                 provider.TruncatedStream,
		`{"status":400,"error":{"message":"tide out"}}`:                        provider.ProviderError,
		stream(`{"status":400,"type":"error","error":{"message":"tide out"}}`): provider.ProviderError,
	} {
		answers := answered(t, body)
		e := provider.AsError(answers[len(answers)-1].err)
		if e.Kind != kind || !strings.Contains(e.Message, "tide out") || e.Retryable == (kind == provider.ProviderError) {
			t.Errorf("%s: %+v", body, e)
		}
	}
}

func TestWhatMayBeAskedAgain(t *testing.T) {
	for body, retryable := range map[string]bool{
		`{"type":"overloaded_error","message":"x"}`:           true,
		`{"type":"api_error","message":"x"}`:                  true,
		`{"type":"rate_limit_error","message":"x"}`:           true,
		`{"type":"invalid_request_error","message":"x"}`:      false,
		`{"type":"authentication_error","message":"x"}`:       false,
		`{"type":"billing_error","message":"x"}`:              false,
		`{"type":"request_too_large","message":"x"}`:          false,
		`{"type":"invalid_request_error","status":529}`:       true,
		`{"type":"api_error","status_code":"404"}`:            false,
		`{"type":"api_error","code":429,"message":"slow up"}`: true,
	} {
		answers := answered(t, stream(start, `{"type":"error","error":`+body+`}`))
		e := provider.AsError(answers[len(answers)-1].err)
		if e.Kind != provider.ProviderError || e.Retryable != retryable {
			t.Errorf("%s: %+v", body, e)
		}
	}
}

func TestCaps(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for name, events := range map[string][]string{
		"a line":    {textEvent(long + long)},
		"text":      {textEvent(long), textEvent(long)},
		"arguments": {callEvent, strings.ReplaceAll(cutEvent, "{\"}", long+"\"}"), strings.ReplaceAll(cutEvent, "{\"}", long+"\"}")},
		"two ids": {
			`{"type":"message_start","message":{"id":"` + long + `"}}`,
			`{"type":"content_block_start","content_block":{"type":"tool_use","name":"f","id":"` + long + `"}}`,
		},
		"opaque": {`{"type":"content_block_start","index":0,"content_block":{"type":"x","x":"` + long + `"}}`},
		"blocks": strings.Split(strings.Repeat(`{"type":"content_block_start","content_block":{"type":"text"}}|`, 100), "|")[:100],
	} {
		cfg := Config{LineBytes: 4 << 10, MessageBytes: 5 << 10}
		answers := read(t, cfg, strings.NewReader(stream(append(events, because("end_turn"), stopped)...)))
		e := provider.AsError(answers[len(answers)-1].err)
		if e.Kind != provider.TooLarge || e.Retryable {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestAnIDOrANameOfAnySizeIsNoAnswer(t *testing.T) {
	const most = 64 << 10
	long := strings.Repeat("x", most+1)
	call := func(id, name string) string {
		return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}}`
	}
	starts := func(block string) string {
		return stream(start, `{"type":"content_block_start","index":0,"content_block":`+block+`}`, because("tool_use"), stopped)
	}
	for name, body := range map[string]string{
		"an id":   starts(call(long, "f")),
		"a name":  starts(call("a", long)),
		"a whole": `{"type":"message","content":[` + call(long, "f") + `],"stop_reason":"tool_use"}`,
	} {
		answers := answered(t, body)
		e := provider.AsError(answers[len(answers)-1].err)
		if e.Kind != provider.TooLarge || e.Retryable {
			t.Errorf("%s: %+v", name, e)
		}
		for _, a := range answers {
			if provider.BlockBytes(a.delta.Done) > most || len(a.delta.ID+a.delta.Name) > most {
				t.Errorf("%s: it was shown", name)
			}
		}
	}
	answers := answered(t, starts(call(long[1:], "f"))) // some gateways put a signature into an id
	if end := answers[len(answers)-1]; end.err != nil || end.delta.Stop != provider.StopToolCalls {
		t.Errorf("an id of %d bytes: %+v", most, end)
	}
	f := newFold("", 1<<20)
	var out wire.Out
	if _, err := f.Frame(provider.Frame{Data: []byte(because(long))}, &out); err != nil || !f.Finished() || len(f.stop) > 1<<10 {
		t.Errorf("%d bytes of a stop reason are kept: %v", len(f.stop), err)
	}
}

func TestGzipIsUndone(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, fine())
	z.Close()
	base := served(t, gzipped(zipped.Bytes()))
	got, err := ask(t, newClient(t, Config{BaseURL: base}), provider.Request{})
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, got, outcome{Blocks: []provider.Block{provider.Text{Text: "hi"}}, Stop: provider.StopEnd, Usage: told})
}
