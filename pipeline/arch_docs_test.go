package pipeline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The code in README.md is that of an example, so it compiles.
func TestArchReadmeShowsTheExample(t *testing.T) {
	readme := page(t, "../README.md")
	_, rest, found := strings.Cut(readme, "```go\n")
	block, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed || strings.Contains(rest[len(block)+4:], "```go\n") {
		t.Fatal("README.md must have one block of Go")
	}
	if !strings.Contains(page(t, "example_test.go"), block) {
		t.Errorf("the Go in README.md is not in pipeline/example_test.go as it stands there:\n%s", block)
	}
}

// Links inside the repository lead somewhere.
func TestArchDocsLinkToWhatIsThere(t *testing.T) {
	pages := []string{"../README.md", "../CHANGELOG.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/decisions/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, name := range pages {
		for _, m := range link.FindAllStringSubmatch(page(t, name), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
