package openai

import "bytes"

// scan fills c from a chunk of the usual shape without allocating. It returns
// false, and c is then worthless, for anything it does not know for sure: a
// member of an unusual type, a key that comes twice, an escape in a key, what
// is not JSON. chunk.parse is then asked.
func (c *chunk) scan(data []byte) bool {
	c.reset()
	s := &c.scanner
	*s = scanner{b: data}
	ok := s.object(c, (*scanner).top)
	s.space()
	return ok && s.i == len(s.b) && len(c.choices)+len(c.usages) > 0 // else it may be no chunk
}

// scanner walks over JSON text and checks its grammar as it goes.
type scanner struct {
	b     []byte
	i     int
	depth int
	seen  int // which members of the object at hand have come
}

// Which of the members that count have come: one that comes twice is unusual.
const (
	seenChoices = 1 << iota
	seenUsage
	seenObject
	seenIndex
	seenDelta
	seenFinish
	seenContent
	seenReasoning
	seenReasoningContent
	seenRefusal
	seenCalls
	seenID
	seenFunction
	seenName
	seenArguments
)

// member reads the value of one member into c.
type member func(s *scanner, c *chunk, key []byte) bool

// object walks over an object and gives each member to m.
func (s *scanner) object(c *chunk, m member) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	outer := s.seen
	s.seen = 0
	for {
		key, ok := s.text()
		if !ok || bytes.IndexByte(key, '\\') >= 0 || !s.take(':') || !m(s, c, key) {
			return false
		}
		if s.take('}') {
			s.seen = outer
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// once notes that a member has come and reports whether it is the first time.
func (s *scanner) once(which int) bool {
	first := s.seen&which == 0
	s.seen |= which
	return first
}

func (s *scanner) top(c *chunk, key []byte) bool {
	switch string(key) {
	case "choices":
		return s.once(seenChoices) && (s.null() || s.array(c, (*scanner).choice))
	case "usage":
		if !s.once(seenUsage) {
			return false
		}
		return s.null() || s.usage(c)
	case "object":
		text, ok := s.text()
		return ok && s.once(seenObject) && string(text) != "error"
	case "error", "x_groq":
		return s.null()
	}
	return s.skip()
}

func (s *scanner) usage(c *chunk) bool {
	s.space()
	start := s.i
	if s.i >= len(s.b) || s.b[s.i] != '{' || !s.skip() {
		return false
	}
	c.usages = append(c.usages, s.b[start:s.i])
	return true
}

// array walks over an array of objects.
func (s *scanner) array(c *chunk, element func(*scanner, *chunk) bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !element(s, c) {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// choice reads one choice. A choice that may not be the first is unusual.
func (s *scanner) choice(c *chunk) bool {
	c.add()
	return s.object(c, (*scanner).choiceMember)
}

func (s *scanner) choiceMember(c *chunk, key []byte) bool {
	to := &c.choices[len(c.choices)-1]
	switch string(key) {
	case "index":
		n, ok := s.digits()
		return ok && n == 0 && s.once(seenIndex)
	case "delta":
		return s.once(seenDelta) && (s.null() || s.object(c, (*scanner).deltaMember))
	case "finish_reason":
		return s.once(seenFinish) && s.optional(&to.finish)
	case "error", "usage":
		return s.null()
	}
	return s.skip()
}

func (s *scanner) deltaMember(c *chunk, key []byte) bool {
	to := &c.choices[len(c.choices)-1]
	var text literal
	switch string(key) {
	case "content":
		if !s.once(seenContent) || !s.optional(&text) {
			return false
		}
		if text != nil {
			to.text = append(to.text, piece{text: text})
		}
		return true
	case "reasoning_content", "reasoning":
		which := seenReasoning
		if len(key) > len("reasoning") {
			which = seenReasoningContent
		}
		if !s.once(which) || !s.optional(&text) {
			return false
		}
		return s.thinking(to, text, which)
	case "refusal":
		return s.once(seenRefusal) && s.optional(&to.refusal)
	case "tool_calls":
		return s.once(seenCalls) && (s.null() || s.array(c, (*scanner).call))
	case "function_call", "reasoning_details":
		return s.null()
	}
	return s.skip()
}

// thinking takes one of the two fields; reasoning_content is the first choice.
func (s *scanner) thinking(to *choice, text literal, which int) bool {
	switch {
	case text == nil:
	case len(to.thinking) == 0:
		to.thinking = append(to.thinking, text)
	case which == seenReasoningContent:
		to.thinking[0] = text
	}
	return true
}

func (s *scanner) call(c *chunk) bool {
	to := &c.choices[len(c.choices)-1]
	to.calls = append(to.calls, entry{})
	return s.object(c, (*scanner).callMember)
}

func (s *scanner) callMember(c *chunk, key []byte) bool {
	calls := c.choices[len(c.choices)-1].calls
	to := &calls[len(calls)-1]
	switch string(key) {
	case "index":
		if !s.once(seenIndex) {
			return false
		}
		if s.null() {
			return true
		}
		n, ok := s.digits()
		to.index, to.indexed = float64(n), true
		return ok
	case "id":
		return s.once(seenID) && s.optional(&to.id)
	case "type":
		return s.skip()
	case "function":
		return s.once(seenFunction) && (s.null() || s.object(c, (*scanner).functionMember))
	}
	return s.null() // any other member is kept, and that is parse's
}

func (s *scanner) functionMember(c *chunk, key []byte) bool {
	calls := c.choices[len(c.choices)-1].calls
	to := &calls[len(calls)-1]
	switch string(key) {
	case "name":
		return s.once(seenName) && s.optional(&to.name)
	case "arguments":
		return s.once(seenArguments) && s.optional(&to.args)
	}
	return s.null() // likewise
}

// optional reads a string or null; an empty string is an absent one.
func (s *scanner) optional(to *literal) bool {
	if s.null() {
		return true
	}
	text, ok := s.text()
	if len(text) > 0 {
		*to = text
	}
	return ok
}
