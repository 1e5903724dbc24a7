package edit

import (
	"bytes"
	"unicode/utf8"
)

// Kind tells keys apart.
type Kind uint8

// The keys that do something. Rune is every printable one.
const (
	Unknown Kind = iota
	Rune
	Paste
	Enter
	NewLine
	Left
	Right
	Up
	Down
	Home
	End
	WordLeft
	WordRight
	Backspace
	Delete
	KillWord
	KillWordRight
	KillStart
	KillEnd
	Yank
	Tab
	Search
	Escape
	Interrupt
	EndOfInput
	ClearScreen
	Suspend
)

// Key is a key, or a paste with its Text.
type Key struct {
	Kind Kind
	Rune rune
	Text string
}

// pasteBytes caps one paste; what is beyond is left out. While it comes, at most
// twice as much is kept.
const pasteBytes = 16 << 20

// burstBytes is the most that may follow a paste at once and still be keys.
const burstBytes = 64 << 10

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// Keys cuts the bytes of a terminal into keys. It keeps what a read left open.
// The zero value is ready.
type Keys struct {
	rest    []byte
	pasting bool
	ended   bool // an end mark has come in the paste
}

// Feed takes the bytes of one read and returns the keys that are complete. A
// paste is one only at the next [Keys.Flush].
func (k *Keys) Feed(p []byte) []Key {
	k.rest = append(k.rest, p...)
	if k.pasting {
		k.grown(len(p))
		return nil
	}
	return k.cut()
}

// cut takes the keys at the start of what is there.
func (k *Keys) cut() (keys []Key) {
	for len(k.rest) > 0 {
		if bytes.HasPrefix(k.rest, pasteStart) {
			k.rest, k.pasting, k.ended = k.rest[len(pasteStart):], true, false
			k.grown(len(k.rest))
			return keys
		}
		key, n := one(k.rest)
		if n == 0 {
			return keys
		}
		k.rest = k.rest[n:]
		if key.Kind != Unknown {
			keys = append(keys, key)
		}
	}
	k.rest = nil
	return keys
}

// grown looks for an end mark in the last n bytes of a paste, and leaves out what
// is beyond the cap.
func (k *Keys) grown(n int) {
	overlap := len(pasteEnd) - 1
	k.ended = k.ended || bytes.Contains(k.rest[max(0, len(k.rest)-n-overlap):], pasteEnd)
	if len(k.rest) < 2*pasteBytes {
		return
	}
	late := len(k.rest) - burstBytes
	last := bytes.LastIndex(k.rest[late:], pasteEnd)
	keep := late + last
	if k.ended = last >= 0; !k.ended { // one before that is text: nobody types so much in one burst
		keep = len(k.rest) - overlap // the mark may be cut between two reads
	}
	k.rest = append(k.rest[:pasteBytes], k.rest[keep:]...)
}

// Open reports whether something has begun that more bytes may complete or
// change: an escape may be a key of its own or the start of another, and the end
// mark of a paste may be a part of it.
func (k *Keys) Open() bool { return k.ended || !k.pasting && len(k.rest) > 0 }

// Flush returns what is open as the keys it is if nothing has followed for a
// while. The last end mark of a burst ends its paste: one before is text of it, so
// that pasted text cannot leave the paste and press Enter (B139). No person pastes,
// presses a key and pastes again within one.
func (k *Keys) Flush() []Key {
	if !k.Open() {
		return nil
	}
	var keys []Key
	if k.ended {
		text, after := k.paste()
		keys = []Key{{Kind: Paste, Text: text}}
		k.rest, k.pasting, k.ended = after, false, false
		keys = append(keys, k.cut()...)
		if k.pasting {
			return keys // it began behind the last end mark
		}
	}
	alone := len(k.rest) == 1 && k.rest[0] == 0x1b
	k.rest = nil
	if alone {
		keys = append(keys, Key{Kind: Escape})
	}
	return keys
}

// paste cuts what is there at its last end mark. Two pastes on each other's heels
// are one.
func (k *Keys) paste() (text string, after []byte) {
	end := bytes.LastIndex(k.rest, pasteEnd)
	pasted := bytes.ReplaceAll(k.rest[:end], append(bytes.Clone(pasteEnd), pasteStart...), nil)
	return string(pasted[:min(len(pasted), pasteBytes)]), k.rest[end+len(pasteEnd):]
}

// controls are the keys that are one byte.
var controls = map[byte]Kind{
	1: Home, 2: Left, 3: Interrupt, 4: EndOfInput, 5: End, 6: Right, 8: Backspace, 9: Tab, 10: NewLine, 11: KillEnd,
	12: ClearScreen, 13: Enter, 14: Down, 16: Up, 18: Search, 21: KillStart, 23: KillWord, 25: Yank, 26: Suspend, 127: Backspace,
}

// one returns the key at the start of b and how many bytes it has; 0 if it is
// not complete.
func one(b []byte) (Key, int) {
	switch c := b[0]; {
	case c == 0x1b:
		return escape(b)
	case c < ' ' || c == 0x7f:
		return Key{Kind: controls[c]}, 1
	case !utf8.FullRune(b):
		return Key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		return Key{}, 1
	}
	return Key{Kind: Rune, Rune: r}, n
}

// alts are the keys that are an escape and a byte.
var alts = map[byte]Kind{'b': WordLeft, 'f': WordRight, 'd': KillWordRight, 0x7f: KillWord, 8: KillWord, '\r': NewLine, '\n': NewLine}

func escape(b []byte) (Key, int) {
	if len(b) == 1 {
		return Key{}, 0
	}
	switch b[1] {
	case '[':
		return sequence(b)
	case 'O':
		if len(b) == 2 {
			return Key{}, 0
		}
		return Key{Kind: finals[b[2]]}, 3
	case 0x1b: // Escape, and then something else
		return Key{Kind: Escape}, 1
	}
	return Key{Kind: alts[b[1]]}, 2
}

// finals are the keys that a sequence's last byte tells.
var finals = map[byte]Kind{'A': Up, 'B': Down, 'C': Right, 'D': Left, 'H': Home, 'F': End}

// tildes are the keys that the number before a final ~ tells.
var tildes = map[string]Kind{"1": Home, "7": Home, "4": End, "8": End, "3": Delete}

// sequence reads ESC [ parameters final. One of any other form, or that is too
// long to be one, is nothing.
func sequence(b []byte) (Key, int) {
	const most = 32
	if len(b) > 2 && b[2] == '[' { // a function key of the console of Linux, and its letter
		switch {
		case len(b) == 3:
			return Key{}, 0
		case b[3] < ' ':
			return Key{}, 3
		default:
			return Key{}, 4
		}
	}
	for i := 2; i < len(b) && i < most; i++ {
		c := b[i]
		if c >= 0x20 && c < 0x40 {
			continue
		}
		if c < 0x20 || c > 0x7e {
			return Key{}, i // what follows is a key of its own
		}
		parameters := string(b[2:i])
		kind := finals[c]
		switch {
		case c == '~':
			kind = tildes[parameters]
		case (kind == Left || kind == Right) && len(parameters) > 2: // with Ctrl or Alt
			kind += WordLeft - Left
		}
		return Key{Kind: kind}, i + 1
	}
	if len(b) >= most {
		return Key{}, len(b)
	}
	return Key{}, 0
}
