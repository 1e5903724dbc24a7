package tools

import (
	"path/filepath"
	"strings"
	"testing"
)

// withheldKit is a workspace in which a rule keeps .env files and the folder
// keys from whatever reads.
func withheldKit(t *testing.T) *kit {
	k := newKit(t, Config{Denied: func(tool, path string) bool {
		reads := tool == "read_file" || tool == "grep" || tool == "glob" || tool == "list_dir"
		return reads && (filepath.Base(path) == ".env" || filepath.Base(path) == "keys" || filepath.Base(path) == "a b")
	}})
	k.write("a.txt", "canary of all\n")
	k.write(".env", "canary=1\n")
	k.write("sub/.env", "canary=2\n")
	k.write("keys/id", "canary=3\n")
	k.write("a b", "canary=4\n")
	return k
}

func TestWhatADenyRuleCoversIsNotFound(t *testing.T) {
	k := withheldKit(t)
	const end = "0 ignored, 0 not readable, "
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"grep", args{"pattern": "canary"}, "1 match in 1 file\na.txt:1:canary of all\n" + end + "4 withheld by a deny rule"},
		{"grep", args{"pattern": "canary", "path": "sub"}, "0 matches in 0 files\n" + end + "1 withheld by a deny rule"},
		{"glob", args{"pattern": "**"}, "1 file\na.txt\n" + end + "4 withheld by a deny rule"},
		{"list_dir", args{"depth": 2}, ".: 2 entries\na.txt  14\nsub/\n" + end + "4 withheld by a deny rule"},
	} {
		if got := k.want(c.tool, c.args); got != c.want {
			t.Errorf("%s %v: got %q", c.tool, c.args, got)
		}
	}
}

// The policy sees the name that was asked for; a name that only looks like it
// must not lead behind the rule.
func TestALookAlikeDoesNotLeadBehindADenyRule(t *testing.T) {
	k := withheldKit(t)
	for tool, a := range map[string]args{
		"read_file": {"path": "a\u00a0b"}, "grep": {"path": "a\u00a0b", "pattern": "canary"},
	} {
		if text := k.refuse(tool, a); !strings.HasSuffix(text, ": no such file") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

// No error tells of a file that a deny rule covers, in whatever call a name is
// given that is like its name.
func TestNoErrorTellsOfWhatADenyRuleCovers(t *testing.T) {
	k := withheldKit(t)
	k.write("open/only one", "x\n")
	for path, alike := range map[string]bool{"key": false, "sub/.en": false, "a\u2003b": false, "open/onlyone": true, "kyes/id": false} {
		for tool, a := range map[string]args{
			"read_file": {"path": path}, "grep": {"path": path, "pattern": "canary"}, "list_dir": {"path": path},
			"glob": {"path": path, "pattern": "*"}, "bash": {"command": "true", "cwd": path},
		} {
			text := k.refuse(tool, a)
			if !strings.Contains(text, "no such file") || strings.Contains(text, "did you mean") != alike {
				t.Errorf("%s %s: %s", tool, path, text)
			}
		}
	}
	k.write("twin a", "x\n")
	k.write("twin\u2003a", "x\n")
	has(t, k.refuse("read_file", args{"path": "twin\u00a0a"}), "several look like it")
	k = newKit(t, Config{Denied: func(_, path string) bool { return filepath.Base(path) == "twin a" }})
	k.write("twin a", "x\n")
	k.write("twin\u2003a", "seen\n")
	has(t, k.want("read_file", args{"path": "twin\u00a0a"}), "seen", `this is "twin\u2003a"`)
}

// What changes a file must not tell what it held.
func TestChangesOfAWithheldFileShowNothingOfIt(t *testing.T) {
	k := withheldKit(t)
	for _, text := range []string{
		k.want("edit_file", args{"path": ".env", "edits": []args{{"old": "1", "new": "7"}}}),
		k.refuse("edit_file", args{"path": ".env", "edits": []args{{"old": "canari=7", "new": "x"}}}),
		k.refuse("edit_file", args{"path": ".env", "edits": []args{{"old": "\n\n", "new": "x"}}}),
		k.want("write_file", args{"path": ".env", "content": "other\n"}),
	} {
		if strings.Contains(text, "canary") || !strings.Contains(text, "a deny rule keeps read_file from this file") {
			t.Errorf("got %q", text)
		}
	}
	if got := k.content(".env"); got != "other\n" {
		t.Errorf("the file holds %q", got)
	}
	has(t, k.want("write_file", args{"path": "a.txt", "content": "x\n"}), "-canary of all", "+x")
}
