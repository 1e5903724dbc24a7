package tools

import (
	"bytes"
	"context"
	"slices"
)

// span is a place in a text, from inclusive to exclusive.
type span struct{ from, to int }

// placesMax bounds the places that are counted where one is wanted.
const placesMax = 1000

// find returns every place of old, overlapping ones too unless all are meant:
// two that overlap are two answers to which one is meant, and of those it looks
// for no more than one beyond placesMax. A newline of old stands for LF and CRLF
// alike, which is how read_file shows them, unless old says CRLF itself. Its
// time grows with text and old, not with their product, and it ends with ctx.
func find(ctx context.Context, text, old []byte, all bool) ([]span, error) {
	s := search{text: text, old: old, loose: bytes.IndexByte(old, '\n') >= 0 && !bytes.Contains(old, crlf)}
	spans, err := s.run(ctx, all)
	for i, s := range spans { // A line end is one thing: none is split.
		if s.from > 0 && text[s.from] == '\n' && text[s.from-1] == '\r' {
			spans[i].from--
		}
	}
	return slices.Compact(spans), err
}

// search looks for old by the table of Knuth, Morris and Pratt: no byte of the
// text is compared again after a partial match, however long old is.
type search struct {
	text, old []byte
	loose     bool // a CR before LF is passed over
}

// searchStep is how many bytes are looked at between two looks at ctx.
const searchStep = 1 << 16

func (s *search) run(ctx context.Context, all bool) ([]span, error) {
	var spans []span
	back := borders(s.old)
	matched := 0
	for i, c := range s.text {
		if i%searchStep == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s.loose && c == '\r' && i+1 < len(s.text) && s.text[i+1] == '\n' {
			continue
		}
		for matched > 0 && s.old[matched] != c {
			matched = int(back[matched-1])
		}
		if s.old[matched] == c {
			matched++
		}
		if matched < len(s.old) {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		spans = append(spans, span{s.start(i + 1), i + 1})
		if matched = int(back[matched-1]); all {
			matched = 0
		} else if len(spans) > placesMax {
			break
		}
	}
	return spans, nil
}

// start is where the match that ends before end begins.
func (s *search) start(end int) int {
	if !s.loose {
		return end - len(s.old)
	}
	for range s.old {
		if end--; end > 0 && s.text[end] == '\n' && s.text[end-1] == '\r' {
			end--
		}
	}
	return end
}

// borders tells for each beginning of old how much of its end is a shorter
// beginning of old.
func borders(old []byte) []int32 {
	back := make([]int32, len(old))
	matched := int32(0)
	for i := 1; i < len(old); i++ {
		for matched > 0 && old[matched] != old[i] {
			matched = back[matched-1]
		}
		if old[matched] == old[i] {
			matched++
		}
		back[i] = matched
	}
	return back
}
