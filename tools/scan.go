package tools

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"
)

// Bounds of the search in one file.
const (
	scanMax    = 1 << 20 // bytes of a file held at once; a longer line is searched in pieces
	scanStart  = 64 << 10
	scanShared = 4 << 10 // bytes that two pieces of a line have in common
	rowMax     = 400     // bytes shown of a line
)

var errBinary = errors.New("binary file")

// matcher finds lines. It may be used by several goroutines.
type matcher struct {
	line *regexp.Regexp // for one line
	// block finds out whether any line of a block can match, much faster than
	// line by line; nil if the pattern does not allow it.
	block *regexp.Regexp
}

func newMatcher(pattern string, ignoreCase bool) (*matcher, error) {
	flags := ""
	if ignoreCase {
		flags = "(?i)"
	}
	line, err := regexp.Compile(flags + pattern)
	if err != nil {
		return nil, err
	}
	m := &matcher{line: line}
	block, err := syntax.Parse("(?m)"+flags+pattern, syntax.Perl)
	if err == nil && !anchorsText(block) {
		m.block, err = regexp.Compile("(?m)" + flags + pattern)
	}
	return m, err
}

// anchorsText reports whether a pattern asks for the begin or end of the whole
// text, which is another one for a block than for a line.
func anchorsText(re *syntax.Regexp) bool {
	if re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText {
		return true
	}
	for _, sub := range re.Sub {
		if anchorsText(sub) {
			return true
		}
	}
	return false
}

// none reports whether certainly no line of the block matches.
func (m *matcher) none(block []byte) bool {
	return m.block != nil && bytes.IndexByte(block, '\r') < 0 && !m.block.Match(block)
}

// row is one line of a result.
type row struct {
	line  int
	match bool
	text  string
}

func (r row) String(name string) string {
	mark := "-"
	if r.match {
		mark = ":"
	}
	return name + mark + strconv.Itoa(r.line) + mark + r.text + "\n"
}

// scan searches one file. It holds scanMax bytes of it at most.
type scan struct {
	matcher *matcher
	context int
	limit   int
	buffer  *[]byte

	rows    []row
	matches int
	more    bool // the limit was met and another line matches

	line    int   // number of the last line begun
	before  []row // the last lines, for context
	after   int   // lines of context still to show
	partial bool  // the line goes on in the next block
	counted bool  // the line that goes on has matched already
}

func (s *scan) run(ctx context.Context, file io.Reader) error {
	if len(*s.buffer) == 0 {
		*s.buffer = make([]byte, scanStart)
	}
	held := 0
	for first := true; !s.more; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(file, (*s.buffer)[held:])
		held += n
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		block := (*s.buffer)[:held]
		if first && bytes.IndexByte(block[:min(len(block), sniffMax)], 0) >= 0 {
			return errBinary
		}
		if last {
			s.block(block, true)
			return nil
		}
		held = copy(*s.buffer, s.whole(block))
	}
	return nil
}

// whole searches the whole lines of a block and returns the rest. A line
// longer than the largest block is searched in pieces.
func (s *scan) whole(block []byte) []byte {
	end := bytes.LastIndexByte(block, '\n') + 1
	switch {
	case end > 0:
		s.block(block[:end], true)
		return block[end:]
	case len(block) < scanMax:
		larger := make([]byte, min(4*len(block), scanMax))
		copy(larger, block)
		*s.buffer = larger
		return larger[:len(block)]
	default:
		s.block(block, false)
		return block[len(block)-scanShared:]
	}
}

// block searches lines; ended is false if the last one goes on.
func (s *scan) block(block []byte, ended bool) {
	if s.context == 0 && !s.partial && ended && s.matcher.none(block) {
		s.line += bytes.Count(block, []byte("\n"))
		return
	}
	for len(block) > 0 && !s.more {
		line, rest, found := bytes.Cut(block, []byte("\n"))
		s.one(bytes.TrimSuffix(line, []byte("\r")))
		s.partial = !found && !ended
		block = rest
	}
}

// one searches a line, or the next piece of one.
func (s *scan) one(line []byte) {
	if !s.partial {
		s.line++
		s.counted = false
	}
	if s.counted {
		return
	}
	at := s.matcher.line.FindIndex(line)
	switch {
	case at != nil && s.matches == s.limit:
		s.more = true
	case at != nil:
		s.counted = true
		s.matches++
		s.rows = append(s.rows, s.before...)
		s.before = s.before[:0]
		s.rows = append(s.rows, row{s.line, true, snippet(line, at[0], at[1], s.partial)})
		s.after = s.context
	case s.after > 0:
		s.after--
		s.rows = append(s.rows, row{s.line, false, snippet(line, 0, 0, false)})
	case s.context > 0:
		if len(s.before) == s.context {
			s.before = append(s.before[:0], s.before[1:]...)
		}
		s.before = append(s.before, row{s.line, false, snippet(line, 0, 0, false)})
	}
}

// snippet shows a line, or of a long one what is around from and to.
func snippet(line []byte, from, to int, partial bool) string {
	if len(line) <= rowMax && !partial {
		return visible(line)
	}
	start := max(0, min(from-rowMax/4, len(line)-rowMax))
	end := min(len(line), start+rowMax)
	for start > 0 && start < from && !utf8.RuneStart(line[start]) {
		start++
	}
	text := visible(wholeRunes(line[start:end]))
	if start > 0 || partial {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}
