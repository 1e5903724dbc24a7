package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider/internal/gather"
)

func TestPiecesOfAStringMeet(t *testing.T) {
	for _, tt := range []struct{ pieces, want string }{
		{``, ``},
		{`plain`, `plain`},
		{`a\n\t\"\\\/\b\f\r`, "a\n\t\"\\/\b\f\r"},
		{`\u0041\u00e9\u20AC`, "Aé€"},
		{`\ud83d\udea4`, "🚤"},
		{`\ud83d|\udea4`, "🚤"},
		{`\ud83d||\udea4`, "🚤"},
		{`a\ud83d|b`, "a\ufffdb"},
		{`a\ud83d|\n`, "a\ufffd\n"},
		{`\ud83d\ud83d|\udea4`, "\ufffd🚤"},
		{`\udea4|\ud83d`, "\ufffd\ufffd"},
		{`\ud83dx\udea4`, "\ufffdx\ufffd"},
		{`\ud83d|\u0041`, "\ufffdA"},
	} {
		var half Half
		var got []byte
		for piece := range strings.SplitSeq(tt.pieces, "|") {
			got = half.Append(got, []byte(piece))
		}
		if got = half.Flush(got); string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.pieces, got, tt.want)
		}
	}
}

// FuzzText holds the decoding of a string to encoding/json, and a string cut
// in two at any place between its characters to the whole.
func FuzzText(f *testing.F) {
	f.Add(`a\ud83d\udea4\n`, 3)
	f.Add(`\u00e9\\u`, 6)
	f.Fuzz(func(t *testing.T, lit string, cut int) {
		var want string
		if json.Unmarshal([]byte(`"`+lit+`"`), &want) != nil || !utf8.ValidString(lit) {
			return
		}
		var half Half
		if got := half.Flush(half.Append(nil, []byte(lit))); string(got) != want {
			t.Errorf("%s: %q, want %q", lit, got, want)
		}
		if cut <= 0 || cut >= len(lit) || json.Unmarshal([]byte(`"`+lit[:cut]+`"`), new(string)) != nil ||
			json.Unmarshal([]byte(`"`+lit[cut:]+`"`), new(string)) != nil {
			return
		}
		got := half.Append(half.Append(nil, []byte(lit[:cut])), []byte(lit[cut:]))
		if got = half.Flush(got); string(got) != want {
			t.Errorf("%s|%s: %q, want %q", lit[:cut], lit[cut:], got, want)
		}
	})
}

func TestArgumentsAreAnObjectOrNothing(t *testing.T) {
	for text, want := range map[string]string{
		``: `{}`, " \n": `{}`, `null`: `{}`, `{}`: `{}`, ` {"a":1} `: `{"a":1}`,
		`"{\"a\":1}"`:                 `{"a":1}`,
		`"\"{}\""`:                    ``,
		`"text"`:                      ``,
		`"{"`:                         ``,
		`[]`:                          ``,
		`1`:                           ``,
		`{"a":`:                       ``,
		`{"a":1}}`:                    ``,
		`{"a":1}{}`:                   ``,
		`{'a':1}`:                     ``,
		`{"a":"\ud83d"}`:              `{"a":"\ufffd"}`,
		`{"a":"\ud83d\udea4\udea4"}`:  `{"a":"\ud83d\udea4\ufffd"}`,
		`{"a":"\\ud83d","\udea4":""}`: `{"a":"\\ud83d","\ufffd":""}`,
	} {
		if got := Arguments(text); string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// FuzzArguments holds the tracker to the parser, and lone halves out.
func FuzzArguments(f *testing.F) {
	f.Add(` {"a":[1,"}"]} `, 4)
	f.Add(`{"a":"\ud83d\\"}x`, 9)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text = strings.TrimLeft(text, Blanks)
		cut = min(max(cut, 0), len(text))
		var p Partial
		var all gather.Text
		gather.Add(&all, text[:cut])
		p.Add([]byte(text[:cut]))
		if got, want := p.Complete(&all), IsObject(text[:cut]); got != want {
			t.Errorf("%q: complete %t, want %t", text[:cut], got, want)
		}
		gather.Add(&all, text[cut:])
		p.Add([]byte(text[cut:]))
		if got, want := p.Complete(&all), IsObject(text); got != want {
			t.Errorf("%q after %d: complete %t, want %t", text, cut, got, want)
		}
		args := Arguments(text)
		var o map[string]any
		if args != nil && (json.Unmarshal(args, &o) != nil || o == nil) {
			t.Errorf("%q gave %s, which is no object", text, args)
		}
	})
}
