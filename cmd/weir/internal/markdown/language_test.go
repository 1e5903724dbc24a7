package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// painted writes the styles of lines as letters in front of each piece.
func painted(info string, lines ...string) string {
	names := map[style]string{0: ".", red: "r", green: "g", yellow: "y", blue: "b", magenta: "m", cyan: "c", faint: "f"}
	s := scanner{language: languageOf(info)}
	var out strings.Builder
	for i, line := range lines {
		if i > 0 {
			out.WriteString("\n")
		}
		last := style(0)
		for _, c := range s.row(line) {
			if c.style != last {
				out.WriteString("<" + names[c.style] + ">")
				last = c.style
			}
			out.WriteString(c.text)
		}
	}
	return out.String()
}

func TestCodeIsColouredByLanguage(t *testing.T) {
	for _, c := range []struct {
		info, code, want string
	}{
		{"go", "func main() { x := \"a\\\"b\" + 0x1f } // if", "<m>func<.> <b>main<.>() { x := <g>\"a\\\"b\"<.> + <y>0x1f<.> } <f>// if"},
		{"ts title=x", "/* if\nreturn */ `a\nb` c", "<f>/* if\n<f>return */<.> <g>`a\n<g>b`<.> c"},
		{"python", "x = '''a\nif''' # no", "x = <g>'''a\n<g>if'''<.> <f># no"},
		{"{.sh}", "if [ -f \"$x\" ]; then echo don't; fi", "<m>if<.> [ -f <g>\"$x\"<.> ]; <m>then<.> echo don't; <m>fi"},
		{"SQL", "SELECT a FROM b -- c", "<m>SELECT<.> a <m>FROM<.> b <f>-- c"},
		{"diff", "@@ 1\n-a\n+b\n c", "<c>@@ 1\n<r>-a\n<g>+b\n c"},
		{"nosuch", "if x", "if x"},
		{"", "a\tb", "a   b"},
	} {
		if d := cmp.Diff(c.want, painted(c.info, strings.Split(c.code, "\n")...)); d != "" {
			t.Errorf("%s: %s", c.info, d)
		}
	}
}
