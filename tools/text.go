package tools

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// resultMax bounds the text of any result, in bytes. Each tool's own cap is
// lower; this one holds whatever goes wrong with those.
const resultMax = 256 << 10

// quoteCapped quotes s for a message, with its middle left out if it is long.
func quoteCapped(s string) string { return strconv.Quote(capped(s, quotedMax)) }

// capped returns s if it has at most n bytes, else its head with the number of
// bytes left out. It cuts between characters.
func capped(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && cut > n-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… %d bytes more", s[:cut], len(s)-cut)
}

// shown writes a file name so that one name is one line and no byte of it can
// do anything but be read: control characters, odd blanks and bytes that are
// no UTF-8 become Go escapes.
func shown(name string) string {
	if !needsEscape(name) {
		return name
	}
	quoted := strconv.Quote(name)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func needsEscape(name string) bool {
	for i, r := range name {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(name[i:]); n == 1 {
				return true
			}
		}
		if !strconv.IsPrint(r) {
			return true
		}
	}
	return false
}

// isBlank holds for the characters that look like a plain blank.
func isBlank(r rune) bool { return r != '\t' && r != '\n' && unicode.Is(unicode.Zs, r) }

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return strconv.Itoa(n) + " " + noun + "es"
	}
	if base, ok := strings.CutSuffix(noun, "y"); ok {
		return strconv.Itoa(n) + " " + base + "ies"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
