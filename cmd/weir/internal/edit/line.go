package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineBytes caps what is being typed, so that it can be sent.
const lineBytes = 16 << 20

// Line is the text being typed, of one or more lines, with a cursor. The zero
// value is empty.
type Line struct {
	text   string
	at     int // the cursor, in bytes, before a character
	killed string
}

// Text returns what has been typed.
func (l *Line) Text() string { return l.text }

// Set replaces the text and puts the cursor at its end.
func (l *Line) Set(text string) { l.text, l.at = text, len(text) }

// Insert puts text at the cursor; what is beyond the cap is left out.
func (l *Line) Insert(text string) {
	if room := lineBytes - len(l.text); len(text) > room {
		text = strings.ToValidUTF8(text[:room], "")
	}
	l.text = l.text[:l.at] + text + l.text[l.at:]
	l.at += len(text)
}

// edit does what a key says to the text and reports whether it is such a key.
func (l *Line) edit(k Key) bool {
	switch k.Kind {
	case Rune:
		l.Insert(string(k.Rune))
	case Paste:
		l.Insert(pasted(k.Text))
	case NewLine:
		l.Insert("\n")
	case Left:
		l.at = l.before()
	case Right:
		l.at = l.after()
	case Home:
		l.at = l.lineStart()
	case End:
		l.at = l.lineEnd()
	case WordLeft:
		l.at = l.wordStart()
	case WordRight:
		l.at = l.wordEnd()
	case Backspace:
		l.cut(l.before(), l.at)
	case Delete:
		l.cut(l.at, l.after())
	case KillWord:
		l.kill(l.wordStart(), l.at)
	case KillWordRight:
		l.kill(l.at, l.wordEnd())
	case KillStart:
		l.kill(l.lineStart(), l.at)
	case KillEnd:
		l.kill(l.at, l.lineEnd())
	case Yank:
		l.Insert(l.killed)
	default:
		return false
	}
	return true
}

// pasted makes pasted text one message: any line end is a line feed.
func pasted(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.ToValidUTF8(text, "\ufffd")
}

func (l *Line) cut(from, to int) {
	l.text = l.text[:from] + l.text[to:]
	l.at = from
}

func (l *Line) kill(from, to int) {
	if from < to {
		l.killed = l.text[from:to]
		l.cut(from, to)
	}
}

func (l *Line) after() int {
	n, _ := l.cluster(l.at)
	return l.at + n
}

// before walks the unit the cursor is in, since a character is known by its start.
func (l *Line) before() int {
	if l.at == 0 || l.text[l.at-1] == '\n' {
		return max(l.at-1, 0)
	}
	for i := l.unitStart(l.at - 1); ; {
		n, _ := Cluster(l.text[i:])
		if i+n >= l.at {
			return i
		}
		i += n
	}
}

func (l *Line) lineStart() int { return strings.LastIndexByte(l.text[:l.at], '\n') + 1 }

func (l *Line) lineEnd() int {
	if n := strings.IndexByte(l.text[l.at:], '\n'); n >= 0 {
		return l.at + n
	}
	return len(l.text)
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '_'
}

func (l *Line) wordStart() int {
	i, in := l.at, false
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(l.text[:i])
		if in && !wordRune(r) {
			break
		}
		in = in || wordRune(r)
		i -= n
	}
	return i
}

func (l *Line) wordEnd() int {
	i, in := l.at, false
	for i < len(l.text) {
		r, n := utf8.DecodeRuneInString(l.text[i:])
		if in && !wordRune(r) {
			break
		}
		in = in || wordRune(r)
		i += n
	}
	return i
}

// vertical moves the cursor a line up or down and reports whether there is one.
func (l *Line) vertical(down bool) bool {
	start := l.lineStart()
	column := Columns(l.text[start:l.at])
	if down {
		end := l.lineEnd()
		if end == len(l.text) {
			return false
		}
		start = end + 1
	} else {
		if start == 0 {
			return false
		}
		start = strings.LastIndexByte(l.text[:start-1], '\n') + 1
	}
	l.at = start
	for column > 0 && l.at < len(l.text) && l.text[l.at] != '\n' {
		n, columns := Cluster(l.text[l.at:])
		l.at += n
		column -= columns
	}
	return true
}
