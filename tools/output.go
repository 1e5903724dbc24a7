package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"
)

// Bounds of the output of one command, in bytes.
const (
	outputMax     = 30_000        // kept for the result, head and tail
	outputHalf    = outputMax / 2 // of each
	outputLiveMax = 256 << 10     // shown live
)

// output is all that one command writes, in order of arrival. It keeps head
// and tail, puts the whole aside in a file if it is long, and costs the same
// for each byte however many there were. Offsets count cleaned bytes.
type output struct {
	mu    sync.Mutex
	clean cleaner
	buf   []byte // the last piece, cleaned
	head  []byte
	tail  []byte // all after head, or its last outputHalf bytes at least
	total int64
	spill spill

	live     func(string)
	liveLeft int
}

// spill is the file that gets the whole of a long output.
type spill struct {
	dir    string
	name   string
	max    int64
	file   *os.File
	size   int64
	err    error // why there is no file, or why it is not whole
	opened bool
	create func(path string) (*os.File, error)
}

// Write never fails: a command is not to end because its output is long.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = o.clean.clean(o.buf[:0], p)
	o.take(o.buf)
	o.show(o.buf)
	return len(p), nil
}

// finish takes what is unfinished when no more will come.
func (o *output) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = o.clean.rest(o.buf[:0])
	o.take(o.buf)
	o.show(o.buf)
}

func (o *output) take(p []byte) {
	if o.total+int64(len(p)) > outputMax && !o.spill.opened {
		o.spill.open()
		o.spill.write(o.head)
		o.spill.write(o.tail)
	}
	if o.spill.opened {
		o.spill.write(p)
	}
	o.total += int64(len(p))
	rest := p
	if room := outputHalf - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	if len(rest) > outputHalf {
		o.tail, rest = o.tail[:0], rest[len(rest)-outputHalf:]
	}
	if len(o.tail)+len(rest) > 2*outputHalf {
		o.tail = o.tail[:copy(o.tail, o.tail[len(o.tail)-outputHalf:])]
	}
	o.tail = append(o.tail, rest...)
}

// show shows a piece live, as far as the bound allows. It holds the lock, so
// that nothing is shown after silence has returned; live never blocks.
func (o *output) show(p []byte) {
	if o.liveLeft <= 0 || len(p) == 0 {
		return
	}
	o.liveLeft -= len(p)
	o.live(string(p))
	if o.liveLeft <= 0 {
		o.live("\n… more output is not shown live …\n")
	}
}

// silence ends the live view; what comes now belongs to no call.
func (o *output) silence() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.liveLeft = 0
}

// text returns head and tail with a marker between them if bytes are cut.
func (o *output) text() (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total <= outputMax {
		return string(o.head) + string(o.tail), false
	}
	head := wholeRunes(o.head)
	tail := o.tail[max(0, len(o.tail)-outputHalf):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	cut := o.total - int64(len(head)+len(tail))
	return fmt.Sprintf("%s\n… %d bytes cut, %s …\n%s", head, cut, o.spill.where(), tail), true
}

// from returns at most readMax bytes from offset on, the offset they start at,
// which is later if nothing so old is kept, and the number of bytes so far.
func (o *output) from(offset int64) (text string, start, total int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	offset = min(max(offset, 0), o.total)
	tailStart := o.total - int64(len(o.tail))
	var p []byte
	switch {
	case offset < int64(len(o.head)):
		p = o.head[offset:]
		if int64(len(o.head)) == tailStart {
			p = append(p[:len(p):len(p)], o.tail...)
		}
	case offset < tailStart && offset < o.spill.size:
		p = o.spill.read(offset)
	default:
		offset = max(offset, tailStart)
		p = o.tail[offset-tailStart:]
	}
	for len(p) > 0 && !utf8.RuneStart(p[0]) {
		p, offset = p[1:], offset+1
	}
	if len(p) > readMax {
		p = p[:readMax]
	}
	return string(wholeRunes(p)), offset, o.total
}

// close gives the file back; it stays on disk.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spill.file != nil {
		_ = o.spill.file.Close() // What it lacks was noted when it was written.
		o.spill.file = nil
	}
	o.spill.opened = true
}

func (s *spill) open() {
	s.opened = true
	if s.dir == "" {
		s.err = fmt.Errorf("no folder for it")
		return
	}
	s.name = filepath.Join(s.dir, s.name)
	file, err := s.create(s.name)
	if err != nil {
		s.err = plain(err)
		return
	}
	s.file = file
}

// read returns what the file holds from offset on, at most readMax bytes; less
// if somebody has meddled with it.
func (s *spill) read(offset int64) []byte {
	file, err := os.Open(s.name)
	if err != nil {
		return nil
	}
	defer file.Close()
	p := make([]byte, min(readMax, s.size-offset))
	n, _ := file.ReadAt(p, offset)
	return p[:n]
}

func (s *spill) write(p []byte) {
	if s.file == nil || s.err != nil {
		return
	}
	fits := min(int64(len(p)), s.max-s.size)
	n, err := s.file.Write(p[:fits])
	s.size += int64(n)
	if err != nil {
		s.err = plain(err)
	} else if fits < int64(len(p)) {
		s.err = fmt.Errorf("the limit of a spill file is %d bytes", s.max)
	}
}

// where says where the whole output is.
func (s *spill) where() string {
	switch {
	case s.err == nil:
		return "all in " + s.name
	case s.size > 0:
		return fmt.Sprintf("the first %d bytes in %s (%v)", s.size, s.name, s.err)
	case s.dir == "":
		return "not kept"
	default:
		return fmt.Sprintf("not kept: %s: %v", s.dir, s.err)
	}
}
