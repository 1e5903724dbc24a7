package tools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPromise5APreviewIsWhatTheCallDoes compares what a person is shown with the diff in
// the result, and sees that showing it changes nothing.
func TestPromise5APreviewIsWhatTheCallDoes(t *testing.T) {
	for name, a := range map[string]args{
		"edit_file":  {"path": "a.txt", "edits": []args{{"old": "two", "new": "2\n2"}}},
		"write_file": {"path": "new/b.txt", "content": "b\n"},
	} {
		k := newKit(t, Config{})
		k.write("a.txt", "one\ntwo\nthree\n")
		k.call("read_file", args{"path": "a.txt"})
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		diff, ok, err := k.ws.Preview(t.Context(), name, raw)
		if !ok || err != nil {
			t.Fatalf("%s: %v, %v", name, ok, err)
		}
		if _, err := os.Stat(filepath.Join(k.dir, "new")); err == nil {
			t.Error("a preview made a folder")
		}
		got := k.call(name, a)
		if _, want, _ := strings.Cut(got.Text, "\n"); want != diff {
			t.Errorf("%s: %s", name, cmp.Diff(want, diff))
		}
	}
}

// A file keeps its line ends and its mark, so what is shown must keep them too.
func TestAPreviewOfAFileWithOtherLineEndsIsWhatTheCallDoes(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", "\ufeffone\r\ntwo\r\n")
	k.call("read_file", args{"path": "a.txt"})
	diff, ok, err := k.ws.Preview(t.Context(), "write_file", json.RawMessage(`{"path":"a.txt","content":"one\n2\n"}`))
	if !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	got := k.call("write_file", args{"path": "a.txt", "content": "one\n2\n"})
	if _, want, _ := strings.Cut(got.Text, "\n"); want != diff {
		t.Error(cmp.Diff(want, diff))
	}
}

func TestAPreviewSaysWhyThereIsNone(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", "one\n")
	for _, c := range []struct{ tool, arguments, why string }{
		{"bash", `{"command":"ls"}`, ""},
		{"edit_file", `{"path":"a.txt","edits":[{"old":"two","new":"2"}]}`, "old was not found"},
		{"edit_file", `{"path":"no.txt","edits":[{"old":"two","new":"2"}]}`, "no such file"},
		{"write_file", `{"path":"../a","content":""}`, "outside"},
		{"write_file", `{"path":"","content":""}`, "empty"},
	} {
		diff, ok, err := k.ws.Preview(t.Context(), c.tool, json.RawMessage(c.arguments))
		switch {
		case ok || diff != "":
			t.Errorf("%v: %q", c, diff)
		case c.why == "" && err != nil, c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A cancel ends a preview of many edits, whenever it comes.
func TestACancelEndsAPreview(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", strings.Repeat("x", diffFileMax-1)+"y")
	raw, err := json.Marshal(args{"path": "a.txt", "edits": []args{{"old": "y", "new": "z"}, {"old": "z", "new": "y"}, {"old": "y", "new": "z"}}})
	if err != nil {
		t.Fatal(err)
	}
	free := &looks{Context: t.Context(), left: 1 << 30}
	if _, ok, err := k.ws.Preview(free, "edit_file", raw); !ok || err != nil {
		t.Fatal(err)
	}
	steps := 1<<30 - free.left
	for left := range steps {
		if diff, ok, err := k.ws.Preview(&looks{Context: t.Context(), left: left}, "edit_file", raw); ok || diff != "" || !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at look %d of %d: %v, %v", left, steps, ok, err)
		}
	}
	if least := 3 * diffFileMax / searchStep; steps < least {
		t.Errorf("it looks at its context %d times, want %d at least", steps, least)
	}
}
