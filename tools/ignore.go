package tools

import (
	"io"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreFileMax bounds, in bytes, how much of an ignore file counts.
const ignoreFileMax = 1 << 20

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	folder   string // where the file stands, in the root; "." for the root
	prefix   string // what the path begins with before glob counts
	glob     string
	anchored bool // matched against the path from folder, not the last name
	dirOnly  bool
	negated  bool
}

// ignores are the rules that hold in a folder, from the outermost to the
// innermost file; the last that matches decides.
type ignores struct {
	rules []ignoreRule
}

// parseIgnore reads an ignore file that stands in folder.
func parseIgnore(folder, text string) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimRight(line, "\r\n")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		rule := ignoreRule{folder: folder}
		line, rule.negated = strings.CutPrefix(line, "!")
		line, rule.dirOnly = strings.CutSuffix(line, "/")
		rule.anchored = strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if first := strings.IndexAny(line, `*?[\`); rule.anchored && first > 0 && line[first-1] != '/' && strings.HasPrefix(line[first:], "**") {
			// Git compares what is before the first wildcard by itself, so that stars
			// behind a part of a name still stand for folders.
			rule.prefix, line = line[:first], line[first:]
		}
		glob, ok := ignoreGlob(line)
		ok = ok && !strings.HasPrefix(rule.prefix, "/") && !strings.Contains(rule.prefix, "//")
		if rule.glob = asBytes(glob); ok && doublestar.ValidatePattern(rule.glob) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// asBytes makes a character of each byte: git knows no other, so that its ? is
// one byte of a letter that has several.
func asBytes(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

// ignoreGlob turns what git reads differently into what doublestar reads:
// braces are ordinary characters, stars that do not fill a name are one, a class
// may begin with its bracket, end with a minus and hold named ones, and a last
// /** does not match the folder. It is not ok for a pattern with an empty name,
// which nothing matches.
func ignoreGlob(pattern string) (glob string, ok bool) {
	var b strings.Builder
	begins := true // a name begins here
	for i := 0; i < len(pattern); {
		n := 1
		switch c := pattern[i]; {
		case c == '/' || strings.HasPrefix(pattern[i:], `\/`):
			if begins {
				return "", false
			}
			i, begins = i+strings.IndexByte(pattern[i:], '/')+1, true
			b.WriteByte('/')
			continue
		case c == '*':
			rest := strings.TrimLeft(pattern[i:], "*")
			b.WriteString(ignoreStars(len(pattern)-i-len(rest), begins, rest))
			i, begins = len(pattern)-len(rest), false
			continue
		case c == '\\' && i+1 < len(pattern):
			n = 2
		case c == '{' || c == '}':
			b.WriteByte('\\')
		case c == '[':
			size := ignoreClass(&b, pattern[i:])
			if size == 0 {
				return "", false // git matches nothing by it
			}
			i, begins = i+size, false
			continue
		}
		b.WriteString(pattern[i : i+n])
		i, begins = i+n, false
	}
	if begins && pattern != "" {
		return "", false
	}
	if glob = b.String(); strings.HasSuffix(glob, "/**") {
		glob += "/*"
	}
	return glob, true
}

// ignoreStars is what n stars mean that stand at the beginning of a name or not,
// before the rest of a pattern.
func ignoreStars(n int, begins bool, rest string) string {
	switch {
	case n < 2 || !begins:
		return "*"
	case strings.HasPrefix(rest, `\/`):
		return "*/**" // git wants one folder at least
	case rest == "" || rest[0] == '/':
		return "**"
	default:
		return "*"
	}
}

// classNames are the named classes, as doublestar reads their characters.
var classNames = map[string]string{
	"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
	"punct": `!-/:-@\[-` + "`{-~", "space": " \t-\r", "xdigit": "0-9A-Fa-f",
}

// ignoreClass writes the class that text begins with, and returns how long it
// is in text: 0 if it does not end. Its time grows with that length.
func ignoreClass(b *strings.Builder, text string) (size int) {
	b.WriteByte('[')
	i := 1
	if len(text) > 1 && (text[1] == '!' || text[1] == '^') {
		b.WriteString("^/") // doublestar's would match the separator
		i = 2
	}
	for first := i; i < len(text); {
		if name := namedClass(text[i:]); name != "" {
			b.WriteString(classNames[name])
			i += len(name) + len("[::]")
			continue
		}
		switch c := text[i]; {
		case c == ']' && i > first:
			b.WriteByte(']')
			return i + 1
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i += 2
			continue
		case strings.IndexByte("[]^!", c) >= 0, c == '-' && (i == first || strings.HasPrefix(text[i:], "-]")):
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
		i++
	}
	return 0
}

// namedClass returns the name of the class such as [:alpha:] that text begins
// with, "" if it does not.
func namedClass(text string) string {
	rest, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return ""
	}
	name, _, ok := strings.Cut(rest[:min(len(rest), len("xdigit:]"))], ":]")
	if !ok || classNames[name] == "" {
		return ""
	}
	return name
}

// matches reports whether the rule says something of rel, a path in the root.
func (r *ignoreRule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.anchored {
		ok, _ := doublestar.Match(r.glob, asBytes(path.Base(rel))) // Validated when it was read.
		return ok
	}
	if r.folder != "." {
		rest, ok := strings.CutPrefix(rel, r.folder+"/")
		if !ok {
			return false
		}
		rel = rest
	}
	rest, ok := strings.CutPrefix(rel, r.prefix)
	if !ok {
		return false
	}
	if rest == "" { // for doublestar stars never stand for no name at all
		return onlyStars.MatchString(r.glob)
	}
	ok, _ = doublestar.Match(r.glob, asBytes(rest))
	return ok
}

// onlyStars are patterns that may stand for nothing.
var onlyStars = regexp.MustCompile(`^(\*\*/)*\*{0,2}$`)

// ignored says whether the rules leave rel out. That a folder above it is left
// out is for the walk to know.
func (g ignores) ignored(rel string, dir bool) bool {
	if path.Base(rel) == ".git" {
		return true
	}
	for i := len(g.rules) - 1; i >= 0; i-- {
		if g.rules[i].matches(rel, dir) {
			return !g.rules[i].negated
		}
	}
	return false
}

// with adds the rules of the ignore files in folder, whose handle is dir.
func (g ignores) with(dir *os.Root, folder string) ignores {
	rules := g.rules[:len(g.rules):len(g.rules)]
	if folder == "." {
		rules = append(rules, readIgnore(dir, folder, ".git/info/exclude")...)
	}
	return ignores{append(rules, readIgnore(dir, folder, ".gitignore")...)}
}

func readIgnore(dir *os.Root, folder, name string) []ignoreRule {
	file, err := openRegular(dir, name)
	if err != nil {
		return nil // There is none, or it cannot be read: then it hides nothing.
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, ignoreFileMax))
	if err != nil {
		return nil
	}
	return parseIgnore(folder, string(text))
}

// probe is a name that only a rule for everything in a folder matches.
const probe = "\x01any"

// ignoresAbove collects the rules from the root down to the folders above
// start. A rule that leaves out start, a folder above it, or whatever lies in
// start is not among them: who names a place wants it searched.
func ignoresAbove(root *os.Root, start string) ignores {
	var g ignores
	if start == "." {
		return g
	}
	above := "."
	places := []string{}
	for _, name := range strings.Split(start, "/") {
		dir, err := root.OpenRoot(above)
		if err != nil {
			break
		}
		g = g.with(dir, above)
		_ = dir.Close() // Only read from.
		above = path.Join(above, name)
		places = append(places, above)
	}
	var kept []ignoreRule
	for _, rule := range g.rules {
		if !rule.negated && rule.names(places, start) {
			continue
		}
		kept = append(kept, rule)
	}
	return ignores{kept}
}

func (r *ignoreRule) names(places []string, start string) bool {
	for _, place := range places {
		if r.matches(place, true) {
			return true
		}
	}
	return r.matches(path.Join(start, probe), true) || r.matches(path.Join(start, probe), false)
}
