package workspace

import (
	"fmt"
	"strings"
	"time"
)

// Prompt is what a system prompt is made of.
type Prompt struct {
	Base string // the text that comes first, as it is
	// Roots are the folders that tools may touch, the working directory first.
	Roots    []string
	Date     time.Time // the day; zero leaves it out
	Platform string    // such as linux/amd64
	Git      Git
	Docs     []Doc
	Memory   string // lines that the person has kept
	Append   string // what the person adds, last
}

// Section is a part of a system prompt.
type Section struct {
	Name string // for a person, such as in /status
	Text string
}

// Sections returns the parts that are not empty, in order. What belongs to the
// place comes after the base text, so that the start stays the same from folder
// to folder.
func (p Prompt) Sections() []Section {
	all := []Section{{"base", strings.TrimSpace(p.Base)}, {"place", p.place()}}
	for _, d := range p.Docs {
		text := fmt.Sprintf("# Instructions from %s\n\n%s", shown(d.Path), strings.TrimSpace(d.Text))
		if d.Note != "" {
			text += "\n\n(" + d.Note + "; read the file for the rest)"
		}
		all = append(all, Section{d.Path, text})
	}
	if memory := strings.TrimSpace(p.Memory); memory != "" {
		all = append(all, Section{"memory", "# What the person wants remembered\n\n" + memory})
	}
	all = append(all, Section{"appended", strings.TrimSpace(p.Append)})
	var full []Section
	for _, s := range all {
		if s.Text != "" {
			full = append(full, s)
		}
	}
	return full
}

func (p Prompt) place() string {
	var b strings.Builder
	add := func(name, value string) {
		if value == "" {
			return
		}
		if b.Len() == 0 {
			b.WriteString("# Where you are\n")
		}
		fmt.Fprintf(&b, "\n- %s: %s", name, value)
	}
	for i, root := range p.Roots {
		name := "Working directory"
		if i > 0 {
			name = "Further folder"
		}
		add(name, shown(root))
	}
	if !p.Date.IsZero() {
		add("Date", p.Date.Format("Monday, 2 January 2006"))
	}
	add("Platform", p.Platform)
	add("Git", p.Git.String())
	return b.String()
}

// String is the whole prompt.
func (p Prompt) String() string {
	var texts []string
	for _, s := range p.Sections() {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n\n")
}
