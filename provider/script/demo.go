package script

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Demo returns the script that stands in where no model can be reached: it
// lists the folder, reads up to two of its files through the tools and answers
// with what they hold. It keeps no state, so sessions may share it.
func Demo() Script {
	return Script{
		Loop: LoopLast, First: 50 * time.Millisecond, Gap: 10 * time.Millisecond,
		Models: []string{"demo"}, Steps: []Step{{Func: demo}},
	}
}

// The tools the demo uses, where it has them.
const (
	listTool = "list_dir"
	readTool = "read_file"
)

// demo answers a request by what its turn has brought so far.
func demo(req provider.Request) Step {
	turn := turnOf(req)
	switch {
	case turn.answers == 0 && has(req, listTool):
		return Step{Blocks: []Block{
			Text{Text: "I am weir's built-in demo. I will look at this folder and read what tells most about it."},
			Call{Name: listTool, Arguments: `{"path":"."}`},
		}}
	case turn.list != nil && !turn.list.IsError && len(turn.reads) == 0 && turn.answers == 1 && has(req, readTool):
		files := pick(entries(turn.list.Text))
		if len(files) == 0 {
			break
		}
		blocks := []Block{Text{Text: fmt.Sprintf("I will read %s.", strings.Join(files, " and "))}}
		for _, f := range files {
			arguments, err := json.Marshal(map[string]string{"path": f})
			if err != nil {
				panic("script: " + err.Error()) // a map of strings always encodes
			}
			blocks = append(blocks, Call{Name: readTool, Arguments: string(arguments)})
		}
		return Step{Blocks: blocks}
	}
	return Step{Blocks: []Block{Text{Text: turn.summary()}}}
}

// demoTurn is what the demo finds in the messages since the last prompt.
type demoTurn struct {
	prompt  string
	answers int
	list    *provider.ToolResult
	paths   []string // what was read, in the order of reads
	reads   []provider.ToolResult
}

func turnOf(req provider.Request) demoTurn {
	start := 0
	for i, m := range req.Messages {
		if m.Role == provider.User {
			start = i
		}
	}
	var t demoTurn
	paths := map[string]string{} // by call
	for _, m := range req.Messages[start:] {
		switch m.Role {
		case provider.User:
			t.prompt = strings.TrimSpace(m.Text())
		case provider.Assistant:
			t.answers++
			for _, c := range m.Calls() {
				var arguments struct{ Path string }
				_ = json.Unmarshal(c.Arguments, &arguments) // Without a path the call is named by its id.
				paths[c.ID] = arguments.Path
			}
		case provider.Tool:
			t.take(m.Blocks, paths)
		}
	}
	return t
}

func (t *demoTurn) take(blocks []provider.Block, paths map[string]string) {
	for _, b := range blocks {
		r, ok := b.(provider.ToolResult)
		switch {
		case !ok:
		case r.Name == listTool:
			t.list = &r
		case r.Name == readTool:
			t.reads = append(t.reads, r)
			t.paths = append(t.paths, paths[r.Call])
		}
	}
}

func has(req provider.Request, tool string) bool {
	return slices.ContainsFunc(req.Tools, func(s provider.ToolSpec) bool { return s.Name == tool })
}

// summary is the demo's last answer.
func (t demoTurn) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "You asked: %q\n\n", short(t.prompt, 200))
	switch {
	case t.list == nil:
		b.WriteString("I have no tool to look at files with, so this is all I can tell.\n")
	case t.list.IsError:
		fmt.Fprintf(&b, "I could not list this folder: %s\n", short(firstLine(t.list.Text), 200))
	default:
		b.WriteString(folderFacts(entries(t.list.Text)))
	}
	for i, r := range t.reads {
		fmt.Fprintf(&b, "- %s: %s\n", t.paths[i], fileFacts(r))
	}
	b.WriteString("\nThis is a script, not a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, " +
		"or start a local server, for an answer that thinks.")
	return b.String()
}

func folderFacts(names []string) string {
	if len(names) == 0 {
		return "This folder is empty.\n"
	}
	folders := 0
	for _, n := range names {
		if strings.HasSuffix(n, "/") {
			folders++
		}
	}
	shown := names[:min(len(names), 8)]
	more := ""
	if len(shown) < len(names) {
		more = ", …"
	}
	entries := "entries"
	if len(names) == 1 {
		entries = "entry"
	}
	return fmt.Sprintf("This folder holds %d %s (%d files, %d folders): %s%s\n",
		len(names), entries, len(names)-folders, folders, strings.Join(shown, ", "), more)
}

// linesOf finds the line count in the first line of a read_file result.
var linesOf = regexp.MustCompile(`lines \d+-\d+ of (?:at least )?(\d+)`)

// numbered is a line of a read_file result with its number.
var numbered = regexp.MustCompile(`^\s*\d+\t`)

func fileFacts(r provider.ToolResult) string {
	head, body, _ := strings.Cut(r.Text, "\n")
	if r.IsError {
		return "not read: " + short(head, 200)
	}
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	count := strconv.Itoa(len(lines))
	if m := linesOf.FindStringSubmatch(r.Text); m != nil {
		count = m[1]
	}
	first, heading := "", ""
	for _, line := range lines {
		line = strings.TrimSpace(numbered.ReplaceAllString(line, ""))
		if first == "" {
			first = line
		}
		if heading == "" && strings.HasPrefix(line, "# ") {
			heading = line
		}
	}
	switch {
	case heading != "":
		return fmt.Sprintf("%s lines, headed %q", count, short(heading, 100))
	case first != "":
		return fmt.Sprintf("%s lines, the first says %q", count, short(first, 100))
	default:
		return short(head, 100)
	}
}

// entries reads the names in a list_dir result, folders with their slash. Its
// first line is a summary; sizes and link targets follow the names.
func entries(listing string) []string {
	var names []string
	for i, line := range strings.Split(listing, "\n") {
		name, _, _ := strings.Cut(line, "  ")
		name, _, _ = strings.Cut(name, "\t")
		name, _, _ = strings.Cut(name, " -> ")
		name = strings.TrimSpace(name)
		if i == 0 || name == "" || strings.HasPrefix(name, "…") || tally.MatchString(name) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// tally is a line of a listing that counts and names nothing.
var tally = regexp.MustCompile(`: \d+ entr|^\d+ ignored, \d+ not readable$`)

// binaries are endings of names that are not worth reading.
var binaries = []string{
	".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".pdf", ".zip", ".gz", ".tar", ".xz", ".jar", ".exe",
	".so", ".a", ".o", ".bin", ".db", ".sqlite", ".wasm", ".woff", ".woff2", ".ttf", ".mp3", ".mp4", ".class", ".pyc",
}

// pick returns the two files that tell most.
func pick(names []string) []string {
	var files []string
	for _, n := range names {
		if !strings.HasSuffix(n, "/") && !slices.Contains(binaries, strings.ToLower(path.Ext(n))) {
			files = append(files, n)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	return files[:min(len(files), 2)]
}

func rank(name string) int {
	switch {
	case strings.EqualFold(name, "readme.md"):
		return 0
	case name == "go.mod":
		return 1
	case strings.EqualFold(path.Ext(name), ".md"):
		return 2
	case strings.HasPrefix(name, "."), strings.Contains(name, "/"):
		return 4
	default:
		return 3
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// short cuts s to about n characters.
func short(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}
