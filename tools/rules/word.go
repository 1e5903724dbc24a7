package rules

import (
	"bytes"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a shell word after quote removal.
type word struct {
	// text is the word; an expansion in it stands as its source.
	text string
	// dynamic says the word holds an expansion.
	dynamic bool
	// many says an expansion outside quotes may make several words of it, or
	// none.
	many bool
	// prefix is how much of text comes before the first expansion.
	prefix int
	// plain says the word has no quotes, so that it could be a keyword.
	plain bool
	// src is the word as it was written.
	src string
}

// fixed makes the word of a text without expansions.
func fixed(text string) word { return word{text: text, prefix: len(text), src: text} }

// unknown is a word of which nothing is known, perhaps several or none.
func unknown(src string) word { return word{dynamic: true, many: true, src: src} }

// static returns the text of a word without expansions.
func (w word) static() (string, bool) { return w.text, !w.dynamic }

// wordReader does quote removal and finds expansions.
type wordReader struct {
	src    string
	text   []byte
	quoted []bool // of each byte in text
	word   word
}

func readWord(w *syntax.Word, src string) word {
	r := wordReader{src: src}
	r.word.plain = true
	r.word.src = slice(src, w)
	for _, part := range w.Parts {
		r.part(part, false)
	}
	r.word.text = string(r.text)
	r.findUnquoted()
	if !r.word.dynamic {
		r.word.prefix = len(r.text)
	}
	return r.word
}

// slice returns the source of a node.
func slice(src string, n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || to > uint(len(src)) {
		return ""
	}
	return src[from:to]
}

func (r *wordReader) add(quoted bool, text ...byte) {
	for range text {
		r.quoted = append(r.quoted, quoted)
	}
	r.text = append(r.text, text...)
}

// expands notes an expansion whose source is text.
func (r *wordReader) expands(many bool, text string) {
	if !r.word.dynamic {
		r.word.prefix = len(r.text)
	}
	r.word.dynamic = true
	r.word.many = r.word.many || many
	r.add(true, []byte(text)...)
}

func (r *wordReader) part(part syntax.WordPart, inQuotes bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		r.literal(p.Value, inQuotes)
	case *syntax.SglQuoted:
		r.word.plain = false
		text := p.Value
		if p.Dollar {
			var ok bool
			if text, ok = decodeDollarQuote(p.Value); !ok {
				r.expands(false, p.Value)
				return
			}
		}
		r.add(true, []byte(text)...)
	case *syntax.DblQuoted:
		r.word.plain = false
		if p.Dollar { // a message catalog may give another text
			r.expands(false, slice(r.src, p))
			return
		}
		for _, inner := range p.Parts {
			r.part(inner, true)
		}
	case *syntax.ProcSubst:
		r.expands(false, slice(r.src, p))
	case *syntax.ParamExp:
		r.expands(!inQuotes || strings.ContainsAny(slice(r.src, p), "@*"), slice(r.src, p))
	default: // substitutions, arithmetic, extended globs
		r.expands(!inQuotes, slice(r.src, p))
	}
}

// literal takes the backslashes out. Inside double quotes one quotes only some
// characters.
func (r *wordReader) literal(text string, inQuotes bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			r.add(inQuotes, c)
			continue
		}
		r.word.plain = false
		next := text[i+1]
		if inQuotes && !strings.ContainsRune("$`\"\\\n", rune(next)) {
			r.add(true, c)
			continue
		}
		i++
		if next != '\n' { // a continued line
			r.add(true, next)
		}
	}
}

var braces = regexp.MustCompile(`\{.*(,|\.\.).*\}`)

// findUnquoted looks for globs, braces and tildes that bash would expand.
func (r *wordReader) findUnquoted() {
	open := bytes.Clone(r.text)
	for i, q := range r.quoted {
		if q {
			open[i] = '_'
		}
	}
	at := -1
	note := func(i int) {
		if i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	note(bytes.IndexAny(open, "*?"))
	if i := bytes.IndexByte(open, '['); i >= 0 && bytes.IndexByte(r.text[i:], ']') > 0 {
		note(i)
	}
	if braces.Match(open) {
		note(bytes.IndexByte(open, '{'))
	}
	for i, c := range open {
		if c == '~' && (i == 0 || open[i-1] == '=' || open[i-1] == ':') {
			note(i)
		}
	}
	if at < 0 {
		return
	}
	if !r.word.dynamic || at < r.word.prefix {
		r.word.prefix = at
	}
	r.word.dynamic, r.word.many = true, true
}
