package edit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// typed types keys into e and returns what was sent, and the acts there were.
func typed(e *Editor, keys string) (sent []string, acts []Act) {
	if e.History == nil {
		e.History = &History{}
	}
	for _, k := range feed(keys) {
		act, text := e.Handle(k)
		switch act {
		case Submit:
			sent = append(sent, text)
			_ = e.History.Add(text) // kept nowhere
		case None:
		default:
			acts = append(acts, act)
		}
	}
	return sent, acts
}

const (
	left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	home, end             = "\x01", "\x05"
)

func TestTypingAndEditing(t *testing.T) {
	for keys, want := range map[string]string{
		"hello\r":                                  "hello",
		"helo" + left + "l\r":                      "hello",
		"ello" + home + "h" + end + "!\r":          "hello!",
		"abc" + left + left + "\x1b[3~\r":          "ac",
		"ab日\x7f\r":                                "ab",
		"ae\u0301\x7f\r":                           "a",
		"x👩‍👩‍👧\x7f\r":                             "x",
		"🇩🇪🇫🇷" + left + "-\r":                      "🇩🇪-🇫🇷",
		"one two three\x17\x17x\r":                 "one x",
		"one two\x1bb\x1bb\x1bd\r":                 " two",
		"one two" + left + left + "\x0b\x19\x19\r": "one twowo",
		"one\x15two\x19\r":                         "twoone",
		"a\nb\r":                                   "a\nb",
		`a\` + "\rb\r":                             "a\nb",
		"a\nbc" + up + "x\r":                       "ax\nbc",
		"ab\nc" + up + home + down + "y\r":         "ab\nyc",
		"\x1b[200~two\r\nlines\rhere\x1b[201~!\r":  "two\nlines\nhere!",
		"a\nb\x7f\x7fc\r":                          "ac",
		"old\rnew" + up + up + "\r":                "old",
		"old\rnew" + up + down + "er\r":            "newer",
		"find me\rother\r\x12fin\r":                "find me",
		"find 1\rfind 2\r\x12find\x12\r":           "find 1",
		"find 1\rfind 2\r\x12find\x03" + "x\r":     "x",
		"find 1\r\x12fx\x7f" + right + "!\r":       "find 1!",
	} {
		sent, _ := typed(&Editor{}, keys)
		if len(sent) == 0 || sent[len(sent)-1] != want {
			t.Errorf("%q: %q, want %q", keys, sent, want)
		}
	}
}

func TestKeysThatAskOfTheProgram(t *testing.T) {
	for keys, want := range map[string][]Act{
		"\x03": {Cancel}, "ab\x03": {Cancel}, "\x1b": {Abort}, "\x04": {Leave}, "ab\x04": nil, "\x0c": {Clear}, "\x1a": {Stop},
		// B017: only the search is closed.
		"\x12a\x1b": nil, "\x12a\x03": nil,
	} {
		if _, acts := typed(&Editor{}, keys); !cmp.Equal(want, acts) {
			t.Errorf("%q: %v, want %v", keys, acts, want)
		}
	}
}

func TestAnAnswerIsOneLineAndNotKept(t *testing.T) {
	e := &Editor{Single: true}
	sent, _ := typed(e, `y\`+"\n"+up+"\x12x\r")
	if diff := cmp.Diff([]string{`y\`, "x"}, sent); diff != "" {
		t.Error(diff)
	}
}

func TestCompletion(t *testing.T) {
	complete := func(before string) []string {
		var all []string
		for _, c := range []string{"/help", "/history", "@docs/"} {
			if strings.HasPrefix(c, before[strings.LastIndexByte(before, ' ')+1:]) {
				all = append(all, c)
			}
		}
		return all
	}
	for keys, want := range map[string]string{
		"/he\t\r": "/help ", "/h\tx\r": "/hx", "see @d\tx\r": "see @docs/x", "none\t\r": "none", "/he" + left + "\t\r": "/he",
	} {
		sent, _ := typed(&Editor{Complete: complete}, keys)
		if !cmp.Equal([]string{want}, sent) {
			t.Errorf("%q: %q, want %q", keys, sent, want)
		}
	}
	e := &Editor{Complete: complete}
	typed(e, "/h\t")
	if v := e.View("> ", 80, 10); !strings.Contains(strings.Join(v.Rows, "\n"), "/help  /history") {
		t.Errorf("the choices are not shown: %q", v.Rows)
	}
}

func TestPromise10TheHistoryIsKeptForItsOwnerOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "weir", "history")
	h, err := LoadHistory(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"one", "two\nlines", "two\nlines", " ", "three"} {
		if err := h.Add(entry); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	dir, err := os.Stat(filepath.Dir(file))
	if err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", dir.Mode(), err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("no JSON\n\"four\"\n\"torn"); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	h, err = LoadHistory(file)
	if diff := cmp.Diff([]string{"one", "two\nlines", "three", "four"}, h.entries); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestAHistoryThatCannotBeWrittenIsStillThere(t *testing.T) {
	h, err := LoadHistory("/dev/null/weir/history")
	if err == nil {
		t.Error("no error")
	}
	if err := h.Add("one"); err == nil {
		t.Error("no error")
	}
	if text, ok := h.back(""); !ok || text != "one" {
		t.Errorf("%q, %v", text, ok)
	}
}

func TestTheCursorIsAlwaysInTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Editor{History: &History{}}
		keys := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", " ", "日", "👩‍👩‍👧", "🇩🇪", "e\u0301", "☀️", "\t", "\n", "\x1b[200~\x1b[2J\x07\u202e\x1b[201~", left, right, up, down, home, end, "\x7f", "\x17", "\x12",
		})).Draw(t, "keys")
		typed(e, strings.Join(keys, ""))
		width, height := rapid.IntRange(1, 30).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "height")
		v := e.View("weir> ", width, height)
		if v.Row >= len(v.Rows) || v.Column > max(width-1, 1) {
			t.Fatalf("the cursor is at %d, %d of %q", v.Row, v.Column, v.Rows)
		}
		for _, row := range v.Rows {
			if Columns(row) > max(width-1, 1) {
				t.Fatalf("%q is wider than %d", row, width-1)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"abc": 3, "日本": 4, "e\u0301": 1, "👩‍👩‍👧": 2, "🇩🇪": 2, "☀️": 2, "☀": 1, "👍🏽": 2, "ｶ": 1, "한": 2, "": 0, "🏴\U000e0067\U000e007f": 2,
	} {
		if got := Columns(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}
