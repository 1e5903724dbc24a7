package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// initial is a line of the runtime's about a package that was made ready.
var initial = regexp.MustCompile(`(?m)^init (\S+) @.*, (\d+) bytes, `)

// TestNoPackageOfOursIsDearToMakeReady looks at what each takes before the
// program does anything: all of its processes pay for it, down to the helper of a
// command.
func TestNoPackageOfOursIsDearToMakeReady(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("weir", "version")
	cmd.Env = append(bare(), "HOME="+t.TempDir(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := 0
	for _, m := range initial.FindAllStringSubmatch(string(out), -1) {
		bytes, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(m[1], "github.com/weir-agents/weir/") {
			if seen++; bytes > 512<<10 {
				t.Errorf("%s takes %d KiB", m[1], bytes>>10)
			}
		}
	}
	if seen == 0 {
		t.Errorf("no package of ours was looked at:\n%s", out)
	}
}
