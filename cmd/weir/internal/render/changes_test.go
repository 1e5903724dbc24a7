package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The lines of a diff have their colours and no others; without colour they are
// what a note would be.
func TestChangesAreColouredAndHarmless(t *testing.T) {
	const text = "written:\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\x1b[2J\r\n same\n"
	for color, want := range map[bool]string{
		true: "\x1b[2m◇ written:\x1b[0m\n  \x1b[31m--- a/x\x1b[0m\n  \x1b[32m+++ b/x\x1b[0m\n  \x1b[36m@@ -1 +1,2 @@\x1b[0m\n" +
			"  \x1b[31m-old\x1b[0m\n  \x1b[32m+new\\x1b[2J\\r\x1b[0m\n   same\n",
		false: "◇ written:\n  --- a/x\n  +++ b/x\n  @@ -1 +1,2 @@\n  -old\n  +new\\x1b[2J\\r\n   same\n",
	} {
		s := Screen{Style: Style{Color: color}}
		if diff := cmp.Diff(want, string(s.Changes(nil, text))); diff != "" {
			t.Error(diff)
		}
	}
}
