package bench_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weir-agents/weir/bench"
)

// page runs args and returns the page they make, parsed.
func page(t *testing.T, args ...string) (nodes map[string]int, text string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	var out, said bytes.Buffer
	if code := bench.Run(t.Context(), append(args, "--html", name), bench.Host{Out: &out, Err: &said}); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	nodes = map[string]int{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		nodes[n.Data]++
		for _, a := range n.Attr {
			if a.Key == "src" || a.Key == "href" || strings.Contains(a.Val, "url(") || strings.Contains(a.Val, "NaN") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	return nodes, string(source)
}

// The page shows what the issue of a run is, and loads nothing.
func TestThePageNeedsNothingElse(t *testing.T) {
	nodes, text := page(t, "pace", "slow-reader", "--short", "--here", "--subjects", "floor,weir")
	for _, tag := range []string{"script", "link", "img", "iframe"} {
		if nodes[tag] > 0 {
			t.Errorf("the page has <%s>", tag)
		}
	}
	if nodes["polyline"] < 6 { // memory and a distribution by subject and case, at least
		t.Errorf("%d curves in %d charts", nodes["polyline"], nodes["svg"])
	}
	for _, want := range []string{"heap and stacks over time", "share of samples by itl", "added to a token over time", "had something to pass on", "TTFT", "clock step"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}
