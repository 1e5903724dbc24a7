package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// feed feeds text in one read and flushes.
func feed(text string) []Key {
	var k Keys
	return append(k.Feed([]byte(text)), k.Flush()...)
}

func TestKeysAreKnown(t *testing.T) {
	one := func(kind Kind) []Key { return []Key{{Kind: kind}} }
	letter := func(r rune) Key { return Key{Kind: Rune, Rune: r} }
	paste := func(text string) Key { return Key{Kind: Paste, Text: text} }
	for text, want := range map[string][]Key{
		"a日": {letter('a'), letter('日')}, "\r": one(Enter), "\n": one(NewLine), "\x1b\r": one(NewLine), "\x03": one(Interrupt), "\x04": one(EndOfInput),
		"\x1b": one(Escape), "\x1b[A": one(Up), "\x1bOB": one(Down), "\x1b[C": one(Right), "\x1b[D": one(Left), "\x1b[H": one(Home), "\x1b[4~": one(End),
		"\x1b[3~": one(Delete), "\x1b[1;5D": one(WordLeft), "\x1b[1;3C": one(WordRight), "\x1bb": one(WordLeft), "\x1bf": one(WordRight),
		"\x7f": one(Backspace), "\x08": one(Backspace), "\x17": one(KillWord), "\x1b\x7f": one(KillWord), "\x12": one(Search), "\t": one(Tab), "\x1a": one(Suspend),
		"\x1b\x1b[A": {{Kind: Escape}, {Kind: Up}},
		// What is no key does nothing, and takes nothing of what follows.
		"\x1b[15~a": {letter('a')}, "\x1b[?1;2ca": {letter('a')}, "\xff\xfea": {letter('a')}, "\x00\x1ca": {letter('a')}, "\x1b[1\x03": one(Interrupt),
		"\x1b[[Aa": {letter('a')}, "\x1b[[\x03": one(Interrupt), "\x1b[[": nil,
		// Pastes.
		"\x1b[200~a\r\x03\x1b[A\x1b[201~b":           {paste("a\r\x03\x1b[A"), letter('b')},
		"\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~":     {paste("ab")},
		"\x1b[200~x\x1b[201~\r":                      {paste("x"), {Kind: Enter}},
		"\x1b[200~x\x1b[201~\rrm -r\r\x1b[201~":      {paste("x\x1b[201~\rrm -r\r")}, // B139
		"\x1b[200~x\x1b[201~\r\x1b[200~y\x1b[201~\r": {paste("x\x1b[201~\r\x1b[200~y"), {Kind: Enter}},
		"\x1b[200~x\x1b[201~a\x1b[200~":              {paste("x"), letter('a')},
		"200~201~[":                                  {letter('2'), letter('0'), letter('0'), letter('~'), letter('2'), letter('0'), letter('1'), letter('~'), letter('[')},
	} {
		if diff := cmp.Diff(want, feed(text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestKeysAreBlindToReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"a", "日", "👍🏽", "\r", "\n", "\x1b[A", "\x1b[1;5D", "\x1bOH", "\x1b[3~", "\x1bb", "\x03", "\x1b[200~one\ntwo\x1b[201~", "\x1b[200~\x1b[201~",
		})).Draw(t, "keys"), "")
		want := feed(text)
		var k Keys
		var got []Key
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			got = append(got, k.Feed([]byte(rest[:n]))...)
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, append(got, k.Flush()...)); diff != "" {
			t.Fatalf("%q:\n%s", text, diff)
		}
	})
}

// TestB139_NoPasteLeavesItself pastes an end mark and keys that would send, in
// reads of any size: until the terminal falls silent nothing of it is a key.
func TestB139_NoPasteLeavesItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "\r", "\n", "\x03", "\x1b[201~", "\x1b[200~", "!rm -r x\r", "\x1b[20", "1~"})).Draw(t, "pasted"), "")
		var k Keys
		var keys []Key
		for rest := "\x1b[200~" + text + "\x1b[201~"; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			keys = append(keys, k.Feed([]byte(rest[:n]))...)
			rest = rest[n:]
		}
		want := []Key{{Kind: Paste, Text: strings.ReplaceAll(text, "\x1b[201~\x1b[200~", "")}}
		if diff := cmp.Diff(want, append(keys, k.Flush()...)); diff != "" {
			t.Fatalf("%q:\n%s", text, diff)
		}
	})
}

func TestAPasteIsCutAtItsCap(t *testing.T) {
	var k Keys
	for _, part := range []string{"\x1b[200~", strings.Repeat("x", pasteBytes), "\x1b[201~\r", strings.Repeat("y", pasteBytes+1), "\x1b[20", "1~\r"} {
		if keys := k.Feed([]byte(part)); keys != nil || len(k.rest) > 2*pasteBytes {
			t.Fatalf("%d keys, %d bytes", len(keys), len(k.rest))
		}
	}
	want := []Key{{Kind: Paste, Text: strings.Repeat("x", pasteBytes)}, {Kind: Enter}}
	if got := k.Flush(); !cmp.Equal(want, got) {
		t.Errorf("%d keys, the first %v of %d bytes", len(got), got[0].Kind, len(got[0].Text))
	}
}

func TestAnyBytesAreTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Keys
		for _, p := range rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "reads") {
			k.Feed(p)
		}
		k.Flush()
		if len(k.rest) > 0 && !k.pasting {
			t.Fatalf("kept %q", k.rest)
		}
	})
}
