package actors

import (
	"bytes"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// One text is written one way, wherever it stands: in a delta, in a block, in a
// record. None of them escapes what only HTML needs escaped.
func TestNothingIsEscapedForHTML(t *testing.T) {
	const said = "<b> & </b>"
	blocks := []provider.Block{
		provider.Text{Text: said},
		provider.Thinking{Text: said, Signature: said},
		provider.ToolCall{Name: said, Raw: said},
		provider.ToolResult{Text: said},
		provider.Image{MediaType: said},
		provider.File{Name: said},
		provider.Opaque{Raw: []byte(`"` + said + `"`)},
	}
	lines := map[string][]byte{}
	for _, e := range []Event{TextDelta{Text: said}, MessageCompleted{Blocks: blocks}, ToolStarted{Arguments: []byte(`"` + said + `"`)}} {
		line, err := AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		lines[e.Type()] = line
	}
	facts := []any{
		PromptAccepted{Prompt{Text: said, Attach: blocks}},
		MessageKept{Message: provider.Message{Blocks: blocks}},
		CallEnded{Result: provider.ToolResult{Text: said}, Event: ToolFinished{Text: said}},
	}
	for _, r := range (&recorder{}).encode(facts) {
		lines[r.Kind] = r.Data
	}
	for what, line := range lines {
		if !bytes.Contains(line, []byte(said)) || bytes.Contains(line, []byte(`\u00`)) || bytes.HasSuffix(line, []byte("\n")) {
			t.Errorf("%s: %s", what, line)
		}
	}
}
