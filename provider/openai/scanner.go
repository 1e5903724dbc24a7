package openai

// scanDepth is how deep a value may be nested that the scanner skips.
const scanDepth = 32

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// take takes c, and blanks before it, if it comes next.
func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// null takes a null if it comes next.
func (s *scanner) null() bool {
	s.space()
	return s.word("null")
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i >= len(w) && string(s.b[s.i:s.i+len(w)]) == w {
		s.i += len(w)
		return true
	}
	return false
}

// text takes a string and returns what stands between its quotes.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	start := s.i
	for s.i < len(s.b) {
		b := s.b[s.i:]
		n := 0
		for n < len(b) && b[n] != '"' && b[n] != '\\' && b[n] >= ' ' {
			n++
		}
		s.i += n
		switch {
		case n == len(b) || b[n] < ' ':
			return nil, false
		case b[n] == '"':
			s.i++
			return s.b[start : s.i-1], true
		case !s.escape():
			return nil, false
		}
	}
	return nil, false
}

func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return false
	}
	switch s.b[s.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i += 2
		return true
	case 'u':
		if s.i+6 > len(s.b) {
			return false
		}
		for _, d := range s.b[s.i+2 : s.i+6] {
			if (d < '0' || d > '9') && (d < 'a' || d > 'f') && (d < 'A' || d > 'F') {
				return false
			}
		}
		s.i += 6
		return true
	}
	return false
}

// digits takes a small number without sign, fraction and exponent.
func (s *scanner) digits() (n int, ok bool) {
	s.space()
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		n = n*10 + int(s.b[s.i]-'0')
		s.i++
	}
	size := s.i - start
	if size == 0 || size > 9 || size > 1 && s.b[start] == '0' {
		return 0, false
	}
	return n, s.i < len(s.b) && s.b[s.i] != '.' && s.b[s.i] != 'e' && s.b[s.i] != 'E'
}

// skip takes any value.
func (s *scanner) skip() bool {
	s.space()
	if s.i >= len(s.b) {
		return false
	}
	switch c := s.b[s.i]; c {
	case '"':
		_, ok := s.text()
		return ok
	case '{', '[':
		s.depth++
		ok := s.depth <= scanDepth && s.skipInside(c)
		s.depth--
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) skipInside(open byte) bool {
	s.i++
	end := open + 2 // both brackets are two behind in ASCII
	if s.take(end) {
		return true
	}
	for {
		if open == '{' {
			if _, ok := s.text(); !ok || !s.take(':') {
				return false
			}
		}
		if !s.skip() {
			return false
		}
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// number takes a number.
func (s *scanner) number() bool {
	s.sign('-', '-')
	switch first := s.i; {
	case !s.run():
		return false
	case s.b[first] == '0' && s.i > first+1:
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.run() {
			return false
		}
	}
	if s.i < len(s.b) && (s.b[s.i] == 'e' || s.b[s.i] == 'E') {
		s.i++
		s.sign('+', '-')
		return s.run()
	}
	return true
}

func (s *scanner) sign(a, b byte) {
	if s.i < len(s.b) && (s.b[s.i] == a || s.b[s.i] == b) {
		s.i++
	}
}

// run takes one digit or more.
func (s *scanner) run() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}
