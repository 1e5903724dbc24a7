// Package gather holds long texts that come bit by bit, in memory once.
package gather

import "unsafe"

const (
	firstBytes = 256 // most texts are short, and many streams are open at once
	pieceBytes = 32 << 10
)

// Text is a text under assembly. It is kept in pieces of at most 32 KiB, so
// nothing of it is copied as it grows: no buffer that doubles. The zero value
// is ready.
type Text struct {
	pieces [][]byte
	size   int
}

// Add adds text, at the cost of copying it.
func Add[T string | []byte](t *Text, text T) {
	t.size += len(text)
	for len(text) > 0 {
		n := len(t.pieces)
		if n == 0 || len(t.pieces[n-1]) == cap(t.pieces[n-1]) {
			size := firstBytes
			if n > 0 {
				size = min(2*cap(t.pieces[n-1]), pieceBytes)
			}
			t.pieces = append(t.pieces, make([]byte, 0, size))
			n++
		}
		last := &t.pieces[n-1]
		k := min(len(text), cap(*last)-len(*last))
		*last = append(*last, text[:k]...)
		text = text[k:]
	}
}

// Len returns the length of the text in bytes.
func (t *Text) Len() int { return t.size }

// Whole returns the text in one slice, which nobody may change, and lets go of
// the pieces: it costs a copy of the text, and nothing where nothing has come
// since the last time. What is added later leaves the slice as it is.
func (t *Text) Whole() []byte {
	switch len(t.pieces) {
	case 0:
		return nil
	case 1:
		last := t.pieces[0]
		t.pieces[0] = last[:len(last):len(last)]
		return t.pieces[0]
	}
	all := make([]byte, 0, t.size)
	for i, p := range t.pieces {
		all = append(all, p...)
		t.pieces[i] = nil
	}
	t.pieces = append(t.pieces[:0:0], all)
	return all
}

// String returns b as a string without copying it: from now on nobody may
// change b.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
