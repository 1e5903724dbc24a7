package wire

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
)

const (
	// runBytes is the length from which a piece of a secret is a secret: any so
	// many of its bytes in a row. A secret that is shorter counts only whole,
	// and only where it is no part of a word: a dummy such as "test" would
	// otherwise be found in honest words ("latest").
	runBytes = 8
	// tailBytes is how much of the beginning of a secret counts where it ends a
	// text: the text was cut there, by us or before it came here.
	tailBytes = 4
	// mark stands where a secret was.
	mark = "[key]"
)

type run [runBytes]byte

// secrets finds what must not be shown. Letter case counts nowhere, since hosts
// and headers lose it.
type secrets struct {
	runs  map[run]bool
	long  []string // every form of at least runBytes
	short []string // and the shorter ones
}

// newSecrets prepares the search for all and for what servers make of them.
func newSecrets(all []string) *secrets {
	s := &secrets{runs: map[run]bool{}}
	var forms []string
	for _, secret := range all {
		if secret = strings.TrimSpace(secret); secret != "" {
			forms = append(forms, formsOf(secret)...)
		}
	}
	for i, form := range forms {
		forms[i] = string(viewOf(form).text)
	}
	slices.Sort(forms)
	for _, form := range slices.Compact(forms) {
		if len(form) < runBytes {
			s.short = append(s.short, form)
			continue
		}
		s.long = append(s.long, form)
		for i := range len(form) - runBytes + 1 {
			s.runs[run([]byte(form[i:]))] = true
		}
	}
	return s
}

// formsOf returns secret and the ways to write it that [view.decoded] does not
// undo: in hex, with its blanks as +, and in base64, also as a part of more.
func formsOf(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret)), strings.ReplaceAll(secret, " ", "+")}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, text := range []string{secret, secret + ":", ":" + secret} { // the last two: alone in a Basic header
			all = append(all, encoding.EncodeToString([]byte(text)))
		}
		if len(secret) < runBytes {
			continue // its inner part would be found anywhere
		}
		for before := range 3 {
			all = append(all, innerBase64(encoding, before, secret))
		}
	}
	return all
}

// innerBase64 returns those characters of the base64 of any text with secret
// at an offset of before (mod 3) that secret alone decides.
func innerBase64(encoding *base64.Encoding, before int, secret string) string {
	text := encoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
	if bits := 8 * (before + len(secret)); bits%6 != 0 {
		text = text[:len(text)-1]
	}
	return text[(8*before+5)/6:]
}

// redact takes the secrets out of text, however they are written. What is
// foreign may hold them short, in our own words those are words.
func (s *secrets) redact(text string, foreign bool) string {
	hidden := make([]bool, len(text))
	found := false
	for v, more := viewOf(text), true; more; v, more = v.decoded() {
		found = s.hide(v, hidden, foreign) || found
	}
	if !found {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hidden[i]:
			b.WriteByte(text[i])
		case i == 0 || !hidden[i-1]:
			b.WriteString(mark)
		}
	}
	return strings.ToValidUTF8(b.String(), "")
}

// hide marks what v shows of the secrets in the text that v is of.
func (s *secrets) hide(v view, hidden []bool, foreign bool) (found bool) {
	cover := func(start, end int) {
		found = true
		for i := v.from[start]; i < v.to[end-1]; i++ {
			hidden[i] = true
		}
	}
	for i := range len(v.text) - runBytes + 1 {
		if s.runs[run(v.text[i:])] {
			cover(i, i+runBytes)
		}
	}
	text := strings.TrimRight(string(v.text), "….\ufffd")
	for _, form := range s.long {
		for n := min(len(form), len(text)); n >= tailBytes; n-- {
			if strings.HasSuffix(text, form[:n]) {
				cover(len(text)-n, len(text))
				break
			}
		}
	}
	if !foreign {
		return found
	}
	text = string(v.text)
	for _, form := range s.short {
		for at := 0; ; {
			i := strings.Index(text[at:], form)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(form)
			if (start == 0 || !inWord(text[start-1])) && (end == len(text) || !inWord(text[end])) {
				cover(start, end)
			}
			at = start + 1
		}
	}
	return found
}

func inWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= utf8.RuneSelf
}

// quote makes the words of others fit to be shown: one line without control
// characters and secrets, of at most size bytes. It is the only way for them
// into an error. What is put behind them comes after: words may end within a
// secret.
func (c *Client) quote(words string, size int) string {
	if most := 8*size + 1<<10; len(words) > most {
		words = words[:most]
	}
	return clip(c.secrets().redact(plain(words), true), size)
}

// redacted takes the secrets out of what was not quoted in e: the address, and
// whatever holds e's cause.
func (c *Client) redacted(e *provider.Error) *provider.Error {
	s := c.secrets()
	e.Message, e.URL = s.redact(e.Message, false), s.redact(e.URL, false)
	e.Err = c.hidden(e.Err, true)
	return e
}

// hidden returns err, or its text alone if there are secrets in it.
func (c *Client) hidden(err error, foreign bool) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if shown := c.secrets().redact(said, foreign); shown != said {
		return errors.New(shown)
	}
	return err
}
