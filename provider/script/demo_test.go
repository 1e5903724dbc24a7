package script_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

// turn runs the demo through a turn whose tools answer by answer, and returns
// the paths that were read and the last text.
func turn(t *testing.T, p *script.Provider, req provider.Request, answer func(provider.ToolCall) provider.ToolResult) (read []string, last string) {
	t.Helper()
	for range 5 {
		m, err := provider.Complete(t.Context(), p, req)
		if err != nil {
			t.Fatal(err)
		}
		calls := m.Calls()
		if len(calls) == 0 {
			return read, m.Text()
		}
		results := provider.Message{Role: provider.Tool}
		for _, c := range calls {
			if c.Name == "read_file" {
				var args struct{ Path string }
				if err := json.Unmarshal(c.Arguments, &args); err != nil {
					t.Fatal(err)
				}
				read = append(read, args.Path)
			}
			r := answer(c)
			r.Call, r.Name = c.ID, c.Name
			results.Blocks = append(results.Blocks, r)
		}
		req.Messages = append(req.Messages, m, results)
	}
	t.Fatal("the demo never ends")
	return nil, ""
}

func withTools(names ...string) provider.Request {
	req := ask("what is here?")
	for _, n := range names {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: n})
	}
	return req
}

func contains(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}

func TestDemoTellsWhatTheFilesSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, last := turn(t, script.New(script.Demo()), withTools("list_dir", "read_file"), func(c provider.ToolCall) provider.ToolResult {
			switch {
			case c.Name == "list_dir":
				return provider.ToolResult{Text: ".: 6 entries\n.git/\nLICENSE  11358\na.png  20\ngo.mod  30\nlink -> x\nREADME.md  99\n3 ignored, 0 not readable"}
			case strings.Contains(string(c.Arguments), "README"):
				return provider.ToolResult{Text: "README.md: lines 1-2 of 2\n     1\t\n     2\t# A fine title\n     3\tmore"}
			default:
				return provider.ToolResult{IsError: true, Text: "denied: read_file may not read go.mod"}
			}
		})
		if d := cmp.Diff([]string{"README.md", "go.mod"}, read); d != "" {
			t.Error(d)
		}
		contains(
			t, last, `"what is here?"`, "holds 6 entries (5 files, 1 folders): .git/, LICENSE, a.png",
			`- README.md: 2 lines, headed "# A fine title"`, "- go.mod: not read: denied: read_file may not read go.mod",
		)
	})
}

func TestDemoCopesWithWhatItCannotDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script.New(script.Demo())
		result := func(r provider.ToolResult) func(provider.ToolCall) provider.ToolResult {
			return func(provider.ToolCall) provider.ToolResult { return r }
		}
		empty := result(provider.ToolResult{Text: ".: 0 entries\n0 ignored, 0 not readable"})
		both := []string{"list_dir", "read_file"}
		for name, c := range map[string]struct {
			tools  []string
			answer func(provider.ToolCall) provider.ToolResult
			want   string
		}{
			"no tools":     {nil, nil, "no tool to look at files"},
			"empty folder": {both, empty, "This folder is empty."},
			"denied":       {both, result(provider.ToolResult{IsError: true, Text: "denied by the user\nmore"}), "could not list this folder: denied by the user\n"},
			"no read_file": {both[:1], result(provider.ToolResult{Text: ".: 1 entry\ngo.mod  3\n"}), "holds 1 entry (1 files, 0 folders)"},
		} {
			read, last := turn(t, p, withTools(c.tools...), c.answer)
			if len(read) > 0 {
				t.Errorf("%s: read %q", name, read)
			}
			contains(t, last, c.want, "what is here?")
		}
	})
}

func TestDemoStartsAnewWithEachPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script.New(script.Demo())
		req := withTools("list_dir")
		req.Messages = append(req.Messages,
			provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "done"}}},
			ask("and now?").Messages[0])
		_, last := turn(t, p, req, func(provider.ToolCall) provider.ToolResult {
			return provider.ToolResult{Text: "x: 1 entry\nother.txt  1\n"}
		})
		contains(t, last, `"and now?"`, "other.txt")
	})
}
