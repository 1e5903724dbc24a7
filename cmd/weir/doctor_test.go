package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheDoctorAsksOneThingAndShowsNoKey has a server that refuses the key: it
// is asked for its models and nothing else, and the key is nowhere in the answer.
func TestTheDoctorAsksOneThingAndShowsNoKey(t *testing.T) {
	t.Parallel()
	const key = "sk-canary-0123456789"
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		http.Error(w, `{"error": {"message": "no such key: `+key+`"}}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	cmd := exec.Command("weir", "doctor", "--provider", "openai", "--base-url", server.URL)
	cmd.Dir, cmd.Env = t.TempDir(), append(bare(), "HOME="+t.TempDir(), "OPENAI_API_KEY="+key)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
	text := string(out)
	if !strings.Contains(text, "ok    key       that of OPENAI_API_KEY\n") || !strings.Contains(text, "refuses the key") || !strings.Contains(text, "set OPENAI_API_KEY anew") {
		t.Error(text)
	}
	if strings.Contains(text, key) {
		t.Errorf("the key is shown:\n%s", text)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"GET /v1/models"}, asked); diff != "" {
		t.Error(diff)
	}
}

// TestTheDoctorRunsNothingOfTheFolder puts programs of the names it looks for
// into the folder, which is also in PATH.
func TestTheDoctorRunsNothingOfTheFolder(t *testing.T) {
	t.Parallel()
	trap := "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n"
	dir := tree(t, map[string]string{"git": trap, "rg": trap, "bash": trap})
	for _, name := range []string{"git", "rg", "bash"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	weir, err := exec.LookPath("weir")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(weir, "doctor", "--no-probe", "--sandbox", "off")
	cmd.Dir, cmd.Env = dir, append(bare(), "HOME="+t.TempDir(), "PATH="+dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok    git ") {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran one of them")
	}
	cmd = exec.Command(weir, "doctor", "--no-probe", "--sandbox", "off")
	cmd.Env = append(bare(), "HOME="+dir, "PATH=")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "warn  git       not found in PATH: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTheDoctorSeesTheTerminal runs on terminals that can do more and less.
func TestTheDoctorSeesTheTerminal(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"NO_COLOR=1":     "ok    terminal  xterm-256color, 100 columns and 40 rows, no colour, since NO_COLOR is set",
		"TERM=dumb":      `warn  terminal  TERM is "dumb": plain text, and no line editing`,
		"LC_ALL=C":       "warn  terminal  xterm-256color, 100 columns and 40 rows, colour; LC_ALL is C, which is not UTF-8",
		"LC_ALL=C.UTF-8": "ok    terminal  xterm-256color, 100 columns and 40 rows, colour",
	} {
		d := onDesktopWith(t, t.TempDir(), []string{env}, "doctor", "--no-probe")
		d.holds(t, want)
		d.leaves(t, 0)
	}
}
