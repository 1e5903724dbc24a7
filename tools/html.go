package tools

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlHidden elements have no text for a reader.
var htmlHidden = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true, atom.Head: true,
}

// htmlBlocks begin and end a line.
var htmlBlocks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Br: true, atom.Hr: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Table: true,
	atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Nav: true, atom.Main: true, atom.Aside: true,
	atom.Blockquote: true, atom.Pre: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Figure: true, atom.Form: true, atom.Option: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Title: true,
}

// htmlText is what a page says, in the order of its source. It works on tokens
// and holds no tree, so a page that nests without end costs no more than its
// length.
func htmlText(body []byte, address string) (string, error) {
	base, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	t := &htmlReader{tokens: html.NewTokenizer(bytes.NewReader(body)), base: base}
	for {
		switch kind := t.tokens.Next(); kind {
		case html.ErrorToken:
			if err := t.tokens.Err(); !errors.Is(err, io.EOF) {
				return "", err
			}
			return strings.TrimSpace(t.out.String()), nil
		case html.TextToken:
			t.text(string(t.tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			t.start(t.tokens.Token(), kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			t.end(t.tokens.Token().DataAtom)
		default: // Comments and the like say nothing.
		}
	}
}

type htmlReader struct {
	tokens *html.Tokenizer
	base   *url.URL
	out    strings.Builder

	hidden atom.Atom // the element that hides what comes
	pre    int
	title  bool
	link   string // where the open link leads
	blank  bool   // a blank is due before the next word
	fresh  bool   // a line has just begun
}

func (t *htmlReader) text(s string) {
	switch {
	case t.hidden != 0 && !t.title:
		return
	case t.pre > 0:
		t.out.WriteString(s)
		t.fresh = strings.HasSuffix(s, "\n")
		return
	}
	for word := range strings.FieldsSeq(s) {
		if !t.fresh && t.out.Len() > 0 && (t.blank || startsBlank(s)) {
			t.out.WriteByte(' ')
		}
		t.out.WriteString(word)
		t.blank, t.fresh = true, false
	}
	t.blank = endsBlank(s)
}

func startsBlank(s string) bool { return strings.TrimLeft(s, " \t\r\n") != s }
func endsBlank(s string) bool   { return strings.TrimRight(s, " \t\r\n") != s }

func (t *htmlReader) start(token html.Token, closed bool) {
	if t.hidden == 0 && htmlHidden[token.DataAtom] && !closed {
		t.hidden = token.DataAtom
		return
	}
	switch token.DataAtom {
	case atom.Title:
		t.title = t.hidden == atom.Head || t.hidden == 0
	case atom.Body: // Its head may never have been closed.
		t.hidden = 0
	case atom.Pre:
		t.pre++
	case atom.A:
		t.link = ""
		for _, attr := range token.Attr {
			if u, err := t.base.Parse(strings.TrimSpace(attr.Val)); attr.Key == "href" && err == nil && !strings.HasPrefix(attr.Val, "#") {
				t.link = u.String()
			}
		}
	}
	if t.hidden != 0 {
		return
	}
	if htmlBlocks[token.DataAtom] {
		t.newline()
	}
	if token.DataAtom == atom.Li {
		t.out.WriteString("- ")
		t.fresh = true
	}
	if token.DataAtom == atom.Td || token.DataAtom == atom.Th {
		t.blank = true
	}
}

func (t *htmlReader) end(name atom.Atom) {
	if name == atom.Title && t.title {
		t.title = false
		t.newline()
	}
	if name == t.hidden {
		t.hidden = 0
		return
	}
	if t.hidden != 0 {
		return
	}
	switch {
	case name == atom.Pre && t.pre > 0:
		t.pre--
	case name == atom.A && t.link != "":
		if strings.HasPrefix(t.link, "http") {
			t.out.WriteString(" [" + t.link + "]")
		}
		t.link = ""
	}
	if htmlBlocks[name] {
		t.newline()
	}
}

func (t *htmlReader) newline() {
	t.blank = false
	if t.out.Len() > 0 && !t.fresh {
		t.out.WriteByte('\n')
	}
	t.fresh = true
}
