package script

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenRunes is the longest run of letters that one token-like piece takes.
const tokenRunes = 12

// cut returns how many bytes of text, which is not empty, its first piece has.
func cut(text string, split int) int {
	switch {
	case split == Whole:
		return len(text)
	case split > 0:
		n := 0
		for range split {
			_, size := utf8.DecodeRuneInString(text[n:])
			n += size
		}
		return n
	}
	return token(text)
}

// token takes the blanks at the start of text and then a run of letters and
// digits or a run of anything else, much as a model's tokens are cut.
func token(text string) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\n' || text[n] == '\t') {
		n++
	}
	word := false
	for i := range tokenRunes {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 {
			break
		}
		w := r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		if i > 0 && (w != word || unicode.IsSpace(r)) {
			break
		}
		word = w
		n += size
	}
	return n
}

// repeatBytes is about how much of a Repeat is held at once.
const repeatBytes = 4 << 10

// unroll returns text some whole number of times, so that its pieces are cut
// from a string that is made once. Its last piece may be a short one.
func (r Repeat) unroll(split int) string {
	return strings.Repeat(r.Text, 1+max(repeatBytes, utf8.UTFMax*split)/len(r.Text))
}

// whole returns the longest start of text of at most n bytes that ends with a
// character.
func whole(text string, n int64) string {
	if int64(len(text)) <= n {
		return text
	}
	k := int(n)
	for k > 0 && !utf8.RuneStart(text[k]) {
		k--
	}
	return text[:k]
}
