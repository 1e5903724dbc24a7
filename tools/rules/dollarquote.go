package rules

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

var simpleEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'e': 0x1b, 'E': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// decodeDollarQuote decodes what stands in $'…'. It says no where shells and
// locales differ: control letters, NUL, `\x{`, and escapes nobody defines.
func decodeDollarQuote(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		c := text[i]
		if plain, ok := simpleEscapes[c]; ok {
			b.WriteByte(plain)
			continue
		}
		n, code, ok := numericEscape(text[i:])
		if !ok || code == 0 {
			return "", false
		}
		if c == 'u' || c == 'U' {
			b.WriteRune(code)
		} else {
			b.WriteByte(byte(code))
		}
		i += n - 1
	}
	return b.String(), utf8.ValidString(b.String())
}

// numericEscape reads the digits of an escape at the start of text, which has
// no backslash, and says how many bytes it takes.
func numericEscape(text string) (n int, code rune, ok bool) {
	digits, base, most := text, 8, 3
	skip := 0
	switch text[0] {
	case 'x':
		skip, base, most = 1, 16, 2
	case 'u':
		skip, base, most = 1, 16, 4
	case 'U':
		skip, base, most = 1, 16, 8
	}
	digits = digits[skip:]
	end := 0
	for end < len(digits) && end < most && isDigit(digits[end], base) {
		end++
	}
	v, err := strconv.ParseUint(digits[:end], base, 32)
	if err != nil || base == 8 && v > 0xff || !utf8.ValidRune(rune(v)) {
		return 0, 0, false
	}
	return skip + end, rune(v), true
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(rune(c)), base, 8)
	return err == nil
}
