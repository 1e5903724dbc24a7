package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// codeLineMax is the length in bytes from which a line of code is not coloured:
// apostrophes may have it read anew from each of them.
const codeLineMax = 2000

// language is what is coloured in a kind of code: enough to read it by, not a
// grammar, so that no text can keep the terminal waiting.
type language struct {
	comments []string // from here to the end of the line
	spans    []span   // may go over several lines
	quotes   string   // strings within a line
	words    []string // keywords, sorted
	folded   bool     // their case does not count
	diff     bool
}

// span is a comment or a string between two marks.
type span struct {
	open, end string
	style     style
}

// words makes a sorted set.
func words(text string) []string {
	all := strings.Fields(text)
	slices.Sort(all)
	return slices.Compact(all)
}

var (
	slashes = language{
		comments: []string{"//"}, spans: []span{{"/*", "*/", faint}, {"`", "`", green}}, quotes: `"'`,
		words: words(`abstract any as async await bool boolean break byte case catch chan char class const constructor continue
			default defer delete do double else enum export extends extern false final finally float fn for from func fun function
			go goto if impl implements import in inline instanceof int interface internal is let loop long map match mod mut namespace
			new nil null object of operator override package priv private protected public pub range readonly return select self short
			signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof undefined
			union unsafe unsigned use using val var virtual void volatile when where while with yield`),
	}
	hashes = language{
		comments: []string{"#"}, spans: []span{{`"""`, `"""`, green}, {"'''", "'''", green}}, quotes: `"'`,
		words: words(`and as assert async await begin break case class continue declare def del do done elif else elsif end ensure
			esac except exit export False false fi finally for from function global if import in is lambda local loop match module
			next nil None nonlocal not null or pass raise readonly redo rescue retry return self set shift source super switch then
			True true try undef unless unset until when while with yield`),
	}
	dashes = language{
		comments: []string{"--"}, spans: []span{{"/*", "*/", faint}}, quotes: `'"`, folded: true,
		words: words(`add all alter and any as asc begin between by case cascade check column commit constraint create cross database
			default delete desc distinct drop else end exists foreign from full function group having if in index inner insert into is
			join key left like limit local nil not null offset on or order outer primary references return returning right rollback
			select set table then union unique update using values view when where while with`),
	}
	markup = language{spans: []span{{"<!--", "-->", faint}}, quotes: `"`}
)

// languageOf finds the language that the words behind a fence begin with; nil
// shows the code plain.
func languageOf(info string) *language {
	all := strings.FieldsFunc(info, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("{},.", r) })
	if len(all) == 0 {
		return nil
	}
	switch strings.ToLower(all[0]) {
	case "go", "golang", "c", "h", "cpp", "c++", "cc", "hpp", "objc", "java", "kotlin", "kt", "scala", "swift", "rust", "rs", "cs", "csharp", "c#",
		"js", "javascript", "jsx", "mjs", "ts", "typescript", "tsx", "json", "jsonc", "json5", "php", "dart", "zig", "css", "scss", "proto", "groovy":
		return &slashes
	case "py", "python", "python3", "rb", "ruby", "sh", "bash", "zsh", "shell", "console", "fish", "yaml", "yml", "toml", "make", "makefile",
		"dockerfile", "docker", "perl", "pl", "r", "elixir", "ex", "nix", "cmake", "tf", "hcl", "ini", "conf", "julia", "jl":
		return &hashes
	case "sql", "postgresql", "mysql", "sqlite", "lua", "haskell", "hs", "elm", "ada", "vhdl":
		return &dashes
	case "html", "xml", "svg", "vue":
		return &markup
	case "diff", "patch":
		return &language{diff: true}
	}
	return nil
}

// scanner colours code line by line. The zero value shows it plain.
type scanner struct {
	*language
	in span // open at the end of the line before; no end is none
}

// row returns the next line.
func (s *scanner) row(line string) row {
	if s.language == nil || len(line) > codeLineMax {
		return expand(cells(line, 0))
	}
	if s.diff {
		return expand(cells(line, diffStyle(line)))
	}
	var out row
	for line != "" {
		n, st := s.piece(line)
		out, line = append(out, cells(line[:n], st)...), line[n:]
	}
	return expand(out)
}

func diffStyle(line string) style {
	switch {
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return cyan
	}
	return 0
}

// piece returns how long the first piece of code is, and its style.
func (s *scanner) piece(code string) (n int, st style) {
	if s.in.end != "" {
		return s.close(code, 0)
	}
	for _, c := range s.comments {
		if strings.HasPrefix(code, c) {
			return len(code), faint
		}
	}
	for _, p := range s.spans {
		if strings.HasPrefix(code, p.open) {
			s.in = p
			return s.close(code, len(p.open))
		}
	}
	r, size := utf8.DecodeRuneInString(code)
	switch {
	case strings.ContainsRune(s.quotes, r):
		return quoted(code)
	case unicode.IsLetter(r), r == '_':
		return s.word(code)
	case r >= '0' && r <= '9':
		return upTo(code, func(r rune) bool { return !letter(r) && r != '.' }), yellow
	}
	return size, 0
}

// close goes on to the end of an open span, behind from.
func (s *scanner) close(code string, from int) (n int, st style) {
	st = s.in.style
	at := strings.Index(code[from:], s.in.end)
	if at < 0 {
		return len(code), st
	}
	n = from + at + len(s.in.end)
	s.in = span{}
	return n, st
}

func (s *scanner) word(code string) (n int, st style) {
	n = upTo(code, func(r rune) bool { return !letter(r) })
	word := code[:n]
	if s.folded {
		word = strings.ToLower(word)
	}
	switch _, keyword := slices.BinarySearch(s.words, word); {
	case keyword:
		return n, magenta
	case strings.HasPrefix(code[n:], "("):
		return n, blue
	}
	return n, 0
}

// quoted is a string up to the same quote. An apostrophe without another is
// one in words, or a mark of its own.
func quoted(code string) (n int, st style) {
	for i := 1; i < len(code); i++ {
		switch code[i] {
		case '\\':
			i++
		case code[0]:
			return i + 1, green
		}
	}
	if code[0] == '\'' {
		return 1, 0
	}
	return len(code), green
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func upTo(text string, ends func(rune) bool) int {
	if n := strings.IndexFunc(text, ends); n >= 0 {
		return n
	}
	return len(text)
}
