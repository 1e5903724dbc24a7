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

// pasteBytes caps one paste; what is beyond is left out.
const pasteBytes = 16 << 20

var (
	pasteStart = []byte("\x1b[200~")
	pasteEnd   = []byte("\x1b[201~")
)

// Keys cuts the bytes of a terminal into keys. It keeps what a read left open.
// The zero value is ready.
type Keys struct {
	rest    []byte
	pasting bool
	paste   []byte
}

// Feed takes the bytes of one read and returns the keys that are complete. An
// end-of-paste mark that another one follows in the same read is text of the
// paste, so pasted text cannot leave the paste and press Enter (B139).
func (k *Keys) Feed(p []byte) []Key {
	k.rest = append(k.rest, p...)
	var keys []Key
	for len(k.rest) > 0 {
		if k.pasting {
			if !k.endPaste() {
				return keys
			}
			keys = append(keys, Key{Kind: Paste, Text: string(k.paste)})
			k.paste = nil
			continue
		}
		if bytes.HasPrefix(k.rest, pasteStart) {
			k.rest, k.pasting = k.rest[len(pasteStart):], true
			continue
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

// endPaste takes what belongs to the paste and reports whether it has ended.
func (k *Keys) endPaste() bool {
	end := bytes.Index(k.rest, pasteEnd)
	for end >= 0 {
		after := k.rest[end+len(pasteEnd):]
		next, start := bytes.Index(after, pasteEnd), bytes.Index(after, pasteStart)
		if next < 0 || (start >= 0 && start < next) {
			break
		}
		end += len(pasteEnd) + next
	}
	if end >= 0 {
		k.keep(k.rest[:end])
		k.rest, k.pasting = k.rest[end+len(pasteEnd):], false
		return true
	}
	// The mark may be cut between two reads.
	hold := min(len(k.rest), len(pasteEnd)-1)
	k.keep(k.rest[:len(k.rest)-hold])
	k.rest = append([]byte(nil), k.rest[len(k.rest)-hold:]...)
	return false
}

func (k *Keys) keep(text []byte) {
	k.paste = append(k.paste, text[:min(len(text), max(0, pasteBytes-len(k.paste)))]...)
}

// Open reports whether a key has begun that more bytes may complete: an escape
// may be a key of its own or the start of another.
func (k *Keys) Open() bool { return !k.pasting && len(k.rest) > 0 }

// Flush returns what is open as the key it is if nothing follows.
func (k *Keys) Flush() []Key {
	if !k.Open() {
		return nil
	}
	alone := len(k.rest) == 1 && k.rest[0] == 0x1b
	k.rest = nil
	if alone {
		return []Key{{Kind: Escape}}
	}
	return nil
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
