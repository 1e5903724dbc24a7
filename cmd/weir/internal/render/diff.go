package render

import (
	"fmt"
	"strings"

	"github.com/weir-agents/weir/pipeline"
)

// diffLines of what an edit did are shown.
const diffLines = 24

// Diff returns the lines of a unified diff with a margin, in colour if asked to;
// they must be harmless.
func Diff(lines []string, color bool) string {
	var b strings.Builder
	for _, line := range lines {
		style := ""
		if color && line != "" {
			style = map[byte]string{'+': sgrGreen, '-': sgrRed, '@': sgrCyan}[line[0]]
		}
		if style == "" {
			fmt.Fprintf(&b, "  %s\n", line)
		} else {
			fmt.Fprintf(&b, "  %s%s%s\n", style, line, sgrOff)
		}
	}
	return b.String()
}

// edited shows what a call has done to a file, if its result says so by a diff:
// no more than its first line where the person has just seen the diff.
func (s *Screen) edited(dst []byte, e pipeline.ToolFinished) ([]byte, bool) {
	head, diff, _ := strings.Cut(e.Text, "\n--- ")
	_, hunks, ok := strings.Cut(diff, "\n+++ ")
	if (e.Name != "edit_file" && e.Name != "write_file") || !ok || strings.Contains(head, "\n") {
		return dst, false
	}
	_, hunks, _ = strings.Cut(hunks, "\n")
	dst = s.line(dst, sgrGreen, "✔ ", Line(e.Name, 80)+" -> "+Line(head, lineRunes)+" "+Duration(e.DurationMS))
	if s.asked[e.Call] {
		return dst, true
	}
	all := strings.Split(strings.TrimSuffix(hunks, "\n"), "\n")
	shown := all[:min(len(all), diffLines)]
	for i, line := range shown {
		shown[i] = Line(strings.TrimSuffix(line, "\r"), lineRunes)
	}
	dst = append(dst, Diff(shown, s.Style.Color)...)
	if more := len(all) - len(shown); more > 0 {
		dst = fmt.Appendf(dst, "  …(+%d lines)\n", more)
	}
	return dst, true
}
