package rules

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Show returns text as an approval prompt shows it: what a person cannot see, or
// takes for a common blank, stands as its Go escape between ⟦ and ⟧; newlines
// and tabs stay. Those are control and format characters (bidirectional and
// zero-width ones among them), blanks other than the space, unassigned
// characters and bytes that are no UTF-8. The bracket ⟦ itself is escaped too,
// so two different texts are never shown alike. Nothing else changes.
func Show(text string) string { return show(text, true) }

// ShowLine is [Show] for what must stay on one line, such as a path: newlines
// and tabs are escaped too.
func ShowLine(text string) string { return show(text, false) }

func show(text string, lines bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `⟦\x%02x⟧`, text[i])
		case lines && (r == '\n' || r == '\t'):
			b.WriteRune(r)
		case r == '⟦':
			b.WriteString(`⟦\u27e6⟧`)
		case !strconv.IsPrint(r) || zeroWidth(r):
			escaped := strconv.QuoteRuneToASCII(r)
			b.WriteString("⟦" + escaped[1:len(escaped)-1] + "⟧")
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// zeroWidth finds the characters that are invisible without being format
// characters: fillers, joiners and variation selectors.
func zeroWidth(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == 0x2800
}

// excerptMax caps what a reason quotes, in bytes.
const excerptMax = 200

// excerpt quotes a piece of a command or path in a reason.
func excerpt(text string) string {
	if len(text) > excerptMax {
		cut := excerptMax
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return fmt.Sprintf("`%s…` (%d bytes)", ShowLine(text[:cut]), len(text))
	}
	return "`" + ShowLine(text) + "`"
}
