package sandbox

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// verify fails unless each place that was to be kept is mounted where it should
// be, and is what it was when it was chosen. A command of before that still runs
// could have put a link in its place meanwhile, and the mount would then have
// gone somewhere else.
func verify(places []place) error {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	options := map[string]string{}
	for line := range strings.SplitSeq(string(table), "\n") {
		if fields := strings.Fields(line); len(fields) > 5 {
			options[unescape(fields[4])] = fields[5]
		}
	}
	for _, p := range places {
		option, mounted := options[p.Path]
		if !mounted {
			return fmt.Errorf("%s was changed while the sandbox was made", p.Path)
		}
		if p.Use != pinned && p.Use != protected {
			continue
		}
		var stat syscall.Stat_t
		if err := syscall.Lstat(p.Path, &stat); err != nil {
			return fmt.Errorf("%s: %w", p.Path, err)
		}
		if stat.Dev != p.Dev || stat.Ino != p.Ino {
			return fmt.Errorf("%s was replaced while the sandbox was made", p.Path)
		}
		if p.Use == protected && !strings.HasPrefix(option+",", "ro,") {
			return fmt.Errorf("%s was not made read-only", p.Path)
		}
	}
	return nil
}

// unescape undoes what the kernel does to blanks in paths.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}
