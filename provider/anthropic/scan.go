package anthropic

// shape is what a content_block_delta brings.
type shape uint8

const (
	noShape shape = iota
	textPiece
	thinkingPiece
	inputPiece
)

// piece is a content_block_delta of one of the shapes that nearly all of a
// stream is made of.
type piece struct {
	shape shape
	index int
	text  []byte // as it stands between its quotes
}

// scanPiece reads data if it is a content_block_delta of a usual shape, whose
// members may come in any order and with any blanks. It takes nothing that
// the full parser would not take as well, or would read differently: all else
// is left to that one.
func scanPiece(data []byte) (p piece, ok bool) {
	s := scanner{b: data}
	var seen struct{ typ, index, delta bool }
	if !s.open() {
		return p, false
	}
	for more := true; more; more = s.comma() {
		key, plain, ok := s.str()
		if !ok || !plain || !s.token(':') {
			return p, false
		}
		switch string(key) {
		case "type":
			typ, plain, ok := s.str()
			if !ok || !plain || seen.typ || string(typ) != "content_block_delta" {
				return p, false
			}
			seen.typ = true
		case "index":
			if seen.index || !s.number(&p.index) {
				return p, false
			}
			seen.index = true
		case "delta":
			if seen.delta || !s.delta(&p) {
				return p, false
			}
			seen.delta = true
		default:
			return p, false
		}
	}
	return p, s.token('}') && s.end() && seen.typ && seen.index && seen.delta
}

// scanner reads JSON from the front of b. It gives up, by returning false, on
// whatever is not JSON.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) delta(p *piece) bool {
	var named, valued shape
	if !s.open() {
		return false
	}
	for more := true; more; more = s.comma() {
		key, plain, ok := s.str()
		if !ok || !plain || !s.token(':') {
			return false
		}
		value, plain, ok := s.str()
		if !ok {
			return false
		}
		if string(key) == "type" {
			if !plain || named != noShape {
				return false
			}
			named = shapeOf(value)
			continue
		}
		if valued != noShape {
			return false
		}
		valued = memberShape(key)
		p.text = value
	}
	p.shape = named
	return named != noShape && named == valued && s.token('}')
}

func shapeOf(typ []byte) shape {
	switch string(typ) {
	case "text_delta":
		return textPiece
	case "thinking_delta":
		return thinkingPiece
	case "input_json_delta":
		return inputPiece
	default:
		return noShape
	}
}

func memberShape(name []byte) shape {
	switch string(name) {
	case "text":
		return textPiece
	case "thinking":
		return thinkingPiece
	case "partial_json":
		return inputPiece
	default:
		return noShape
	}
}

func (s *scanner) blanks() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// token takes c and the blanks before it.
func (s *scanner) token(c byte) bool {
	s.blanks()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

func (s *scanner) open() bool  { return s.token('{') }
func (s *scanner) comma() bool { return s.token(',') }

func (s *scanner) end() bool {
	s.blanks()
	return s.i == len(s.b)
}

// number takes an integer of up to six digits.
func (s *scanner) number(n *int) bool {
	s.blanks()
	start := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		*n = *n*10 + int(s.b[s.i]-'0')
		s.i++
		if s.i-start > 6 {
			return false
		}
	}
	if s.i == start || s.b[start] == '0' && s.i > start+1 || s.i == len(s.b) {
		return false
	}
	switch s.b[s.i] {
	case '.', 'e', 'E':
		return false
	}
	return true
}

// str takes a string and returns what is between its quotes.
func (s *scanner) str() (text []byte, plain, ok bool) {
	if !s.token('"') {
		return nil, false, false
	}
	start := s.i
	plain = true
	for s.i < len(s.b) {
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[start : s.i-1], plain, true
		case c == '\\':
			plain = false
			n := escapeLen(s.b[s.i:])
			if n == 0 {
				return nil, false, false
			}
			s.i += n
		case c < ' ':
			return nil, false, false
		default:
			s.i++
		}
	}
	return nil, false, false
}

// escapeLen returns how long the escape at the front of b is, 0 if it is none
// that JSON knows.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if !isHex(c) {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
