package openai

import "bytes"

// splitter takes the thinking out of text that begins with a think tag. The
// zero value is ready.
type splitter struct {
	state splitState
	held  []byte // what may be a tag, or blanks before one
	begun bool   // thinking has been passed on
}

type splitState uint8

const (
	leading splitState = iota // nothing but blanks and a part of a tag has come; to plain or thinking
	thinking
	trimming // blanks after the closing tag; to plain
	plain
)

const (
	openTag  = "<think>"
	closeTag = "</think>"
	// heldBlanks is how many blanks are held back before they are let go
	// untrimmed: nobody thinks that long in blanks.
	heldBlanks = 1 << 10
)

// sink takes a piece of text or of thinking.
type sink func(text []byte, thinking bool)

// add takes the next piece. reasoned says that thinking has come in a field of
// its own: the text is then an answer, and a stray closing tag is dropped.
func (s *splitter) add(text []byte, reasoned bool, to sink) {
	if s.state == leading {
		text = s.begin(text, reasoned)
	}
	if s.state == thinking {
		text = s.think(text, to)
	}
	if s.state == trimming {
		if text = bytes.TrimLeft(text, blanks); len(text) > 0 {
			s.state = plain
		}
	}
	if s.state == plain && len(text) > 0 {
		to(text, false)
	}
}

// begin decides what the text begins with, and returns what comes after a tag.
func (s *splitter) begin(text []byte, reasoned bool) []byte {
	s.held = append(s.held, text...)
	first := bytes.TrimLeft(s.held, blanks)
	tag := openTag
	if reasoned {
		tag = closeTag
	}
	lead := len(s.held) - len(first)
	switch {
	case bytes.HasPrefix(first, []byte(tag)) && reasoned:
		s.state = plain
		return append(s.held[:lead], first[len(tag):]...)
	case bytes.HasPrefix(first, []byte(tag)):
		s.state = thinking
		s.held = nil
		return first[len(tag):]
	case lead < heldBlanks && bytes.HasPrefix([]byte(tag), first):
		return nil
	}
	s.state = plain
	return s.held
}

// think passes on thinking and returns the text after its closing tag.
func (s *splitter) think(text []byte, to sink) []byte {
	all := text
	if len(s.held) > 0 {
		all = append(s.held, text...)
		s.held = nil
	}
	if !s.begun {
		all = bytes.TrimLeft(all, blanks)
	}
	if i := bytes.Index(all, []byte(closeTag)); i >= 0 {
		s.pass(bytes.TrimRight(all[:i], blanks), to)
		s.state = trimming
		return all[i+len(closeTag):]
	}
	end := len(all) - tagged(all)
	body := len(bytes.TrimRight(all[:end], blanks))
	if end-body > heldBlanks {
		body = end
	}
	s.pass(all[:body], to)
	s.held = bytes.Clone(all[body:])
	return nil
}

func (s *splitter) pass(text []byte, to sink) {
	if len(text) > 0 {
		s.begun = true
		to(text, true)
	}
}

// tagged returns how many bytes at the end of text may begin the closing tag.
func tagged(text []byte) int {
	for n := min(len(closeTag)-1, len(text)); n > 0; n-- {
		if bytes.HasSuffix(text, []byte(closeTag)[:n]) {
			return n
		}
	}
	return 0
}

// flush gives out what is held back: no more comes.
func (s *splitter) flush(to sink) {
	held := s.held
	s.held = nil
	switch s.state {
	case leading:
		if len(held) > 0 {
			to(held, false)
		}
	case thinking:
		s.pass(bytes.TrimRight(held, blanks), to)
	}
	s.state = plain
}
