package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAFailedHookAfterACallIsANotice reads of it in every format: in jsonl as an
// event of the session, before the call is said to have finished.
func TestAFailedHookAfterACallIsANotice(t *testing.T) {
	t.Parallel()
	home, script := t.TempDir(), scriptFile(t, `{"steps": [{"blocks": [{"call": "list_dir"}]}, "Done."]}`)
	config := filepath.Join(home, ".config", "weir", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[[hooks.post_tool]]\ncommand = [\"/bin/false\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const says = "the hook /bin/false after list_dir did not work, so the result is as it was: exit status 1"
	d := onDesktop(t, home, "-p", "go", "--script", script, "--output-format", "jsonl")
	all := d.out.until(t, "the end", func(text string) bool { return strings.Contains(text, `"turn_ended"`) })
	d.exits(t, 0)
	var kinds []string
	for line := range strings.SplitSeq(all, "\r\n") {
		var e struct{ Type, Level, Code, Text string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue // what went wrong is told on the terminal as well
		}
		switch e.Type {
		case "notice":
			kinds = append(kinds, e.Level+" "+e.Code+" "+e.Text)
		case "tool_started", "tool_finished", "turn_ended":
			kinds = append(kinds, e.Type)
		}
	}
	if diff := cmp.Diff([]string{"tool_started", "warn hook " + says, "tool_finished", "turn_ended"}, kinds); diff != "" {
		t.Error(diff)
	}
	for _, more := range [][]string{{"-p", "go"}, {"-p", "go", "--output-format", "json"}, {}} {
		d := onDesktop(t, home, append([]string{"--script", script}, more...)...)
		if len(more) == 0 {
			d.sees(t, "weir> ")
			d.types(t, "go"+enter)
		}
		d.holds(t, "◇ "+says)
		if len(more) == 0 {
			d.sees(t, "Done.\nweir> ")
			d.types(t, ctrlD)
		}
		d.exits(t, 0)
	}
}
