package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	// frameBytes is the size of an idle reader's buffer.
	frameBytes = 4 << 10
	// keepBytes is the largest buffer that is kept while it is nearly empty.
	keepBytes = 8 << 10
	// LineBytes is the default cap of a [FrameReader].
	LineBytes = 16 << 20
	// emptyReads is how many reads in a row may bring neither byte nor error.
	emptyReads = 100
)

// Frame is one server-sent event that carries data. Keep-alives (no data, blank
// data, a comment or null sent as data) never become frames.
type Frame struct {
	Event []byte // the event's name, empty if it has none
	Data  []byte // valid UTF-8, blanks around it trimmed
}

// Done reports whether the frame is the `[DONE]` that ends a stream.
func (f Frame) Done() bool { return string(f.Data) == "[DONE]" }

// FrameReader cuts the body of a response into frames. It holds one buffer of
// 4 KiB, which grows to hold a longer frame and shrinks before the next read;
// a frame costs no allocation. One goroutine uses it.
type FrameReader struct {
	r     io.Reader
	limit int // most bytes of a line, and of the data of a frame
	err   error

	buf      []byte
	pos, end int // buf[pos:end] is read and not parsed yet
	lf, cr   int // no LF in buf[pos:lf], no CR in buf[pos:cr]
	ds, de   int // buf[ds:de] is the data of the open frame
	begun    bool
	skipLF   bool // the last line ended with CR: an LF now belongs to it
	hasData  bool // the open frame has a data line
	ready    bool // the open frame is whole and not handed out yet
	settled  bool // what was open at the end of the body is decided
	cut      bool // the body ended inside an event

	event  []byte // of the open frame
	given  []byte // of the frame handed out last
	mended []byte // data that had to be made valid UTF-8
}

// NewFrameReader returns a reader of r. A line, or the data lines of one event
// together, may have lineBytes bytes; 0 stands for [LineBytes].
func NewFrameReader(r io.Reader, lineBytes int) *FrameReader {
	if lineBytes <= 0 {
		lineBytes = LineBytes
	}
	return &FrameReader{r: r, limit: lineBytes, buf: make([]byte, frameBytes)}
}

// Next returns the next frame, valid until Next is called again. The error is
// io.EOF after the last frame, io.ErrUnexpectedEOF if the body ends inside one,
// an *[Error] of kind too_large, or that of the underlying reader. An event
// still open where the body ends or breaks is a frame if its data is JSON or
// `[DONE]`, or if it is named error.
func (f *FrameReader) Next() (Frame, error) {
	for !f.Ready() {
		if f.err != nil {
			return Frame{}, f.err
		}
		f.fill()
	}
	f.ready = false
	f.event, f.given = f.given[:0], f.event
	data := bytes.TrimSpace(f.buf[f.ds:f.de])
	f.ds, f.de, f.hasData = 0, 0, false
	if cap(f.mended) > keepBytes {
		f.mended = nil
	}
	if !utf8.Valid(data) {
		f.mended = mend(f.mended[:0], data)
		data = f.mended
	}
	return Frame{Event: f.given, Data: data}, nil
}

// Ready reports whether a whole frame is in the buffer, so that Next returns it
// without a read. The frame handed out last stays valid.
func (f *FrameReader) Ready() bool {
	for !f.ready {
		start, end, ok := f.line()
		switch {
		case ok && start == end:
			f.dispatch()
		case ok:
			f.field(start, end)
		case f.err != nil && !f.settled:
			f.settle()
		default:
			return false
		}
	}
	return true
}

// Cut reports, once Next has returned an error, whether the body ended or
// broke inside an event, which is then lost.
func (f *FrameReader) Cut() bool { return f.cut }

// Sniff returns the first byte of the body that is not blank, without taking
// it; blank lines and a byte order mark before it are gone. More blanks before
// it than a line may have are too_large. It is called before the first Next.
func (f *FrameReader) Sniff() (byte, error) {
	blank := 0 // how many blanks from pos on have been looked at
	for {
		from := f.pos + blank
		rest := bytes.TrimLeft(f.buf[from:f.end], "\n\r\t ")
		blanks := f.buf[from : f.end-len(rest)]
		blank += len(blanks)
		if i := bytes.LastIndexAny(blanks, "\n\r"); i >= 0 {
			past := from - f.pos + i + 1
			f.pos += past
			blank -= past
		}
		if !f.begun && bytes.HasPrefix(rest, bom) {
			f.begun = true
			f.pos, blank = f.end-len(rest)+len(bom), 0
			continue
		}
		marked := !f.begun && f.err == nil && bytes.HasPrefix(bom, rest) // as far as it has come
		switch {
		case blank > f.limit:
			f.tooLarge()
			return 0, f.err
		case len(rest) > 0 && !marked:
			return rest[0], nil
		case f.err != nil:
			return 0, f.err
		}
		f.fill()
	}
}

// Body returns what has been read and not parsed yet, and after it the rest of
// the body: for a body that [FrameReader.Sniff] shows to be no event stream.
// Next is not called any more.
func (f *FrameReader) Body() io.Reader {
	rest := f.r
	if f.err != nil {
		rest = broken{f.err}
	}
	return io.MultiReader(bytes.NewReader(f.buf[f.pos:f.end]), rest)
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

var bom = []byte("\xef\xbb\xbf")

// line takes the next whole line from the buffer and says where it is.
func (f *FrameReader) line() (start, end int, ok bool) {
	if f.skipLF && f.pos < f.end {
		f.skipLF = false
		if f.buf[f.pos] == '\n' {
			f.pos++
		}
	}
	f.find(&f.lf, '\n')
	f.find(&f.cr, '\r')
	start, end = f.pos, min(f.lf, f.cr)
	if end-start > f.limit {
		f.tooLarge()
		return 0, 0, false
	}
	if end == f.end {
		return 0, 0, false
	}
	f.pos = end + 1
	f.skipLF = f.buf[end] == '\r'
	return f.unmarked(start, end), end, true
}

// find moves *at to the first c at or after pos, to end if there is none. Each
// byte is looked at once for each c, however often a line is asked for.
func (f *FrameReader) find(at *int, c byte) {
	*at = max(*at, f.pos)
	if i := bytes.IndexByte(f.buf[*at:f.end], c); i >= 0 {
		*at += i
		return
	}
	*at = f.end
}

// unmarked returns start, or the place after a byte order mark there if the
// line is the body's first.
func (f *FrameReader) unmarked(start, end int) int {
	if !f.begun {
		f.begun = true
		if bytes.HasPrefix(f.buf[start:end], bom) {
			start += len(bom)
		}
	}
	return start
}

// field takes the line buf[ls:le], which is not blank, into the open frame.
func (f *FrameReader) field(ls, le int) {
	name, value := f.buf[ls:le], le
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name, value = name[:i], ls+i+1
		if value < le && f.buf[value] == ' ' {
			value++
		}
	}
	switch string(name) {
	case "data":
		f.addData(value, le)
	case "event":
		f.event = append(f.event[:0], f.buf[value:le]...)
	default: // a comment, id, retry or a field of tomorrow
	}
}

// addData joins buf[start:end] to the data in place: what it overwrites is
// parsed already.
func (f *FrameReader) addData(start, end int) {
	if !f.hasData {
		f.hasData = true
		f.ds, f.de = start, end
		return
	}
	if f.de-f.ds+1+end-start > f.limit {
		f.tooLarge()
		return
	}
	f.buf[f.de] = '\n'
	f.de += 1 + copy(f.buf[f.de+1:], f.buf[start:end])
}

// dispatch ends the open frame: it is ready, or a keep-alive and gone.
func (f *FrameReader) dispatch() {
	data := bytes.TrimSpace(f.buf[f.ds:f.de])
	alive := len(data) == 0 || data[0] == ':' || string(data) == "null"
	if alive && string(f.event) != "error" {
		f.drop()
		return
	}
	f.ready = true
}

func (f *FrameReader) drop() {
	f.ds, f.de, f.hasData, f.event = 0, 0, false, f.event[:0]
}

// fill reads once.
func (f *FrameReader) fill() {
	f.room()
	for range emptyReads {
		n, err := f.r.Read(f.buf[f.end:])
		f.end += n
		f.err = err
		if n > 0 || err != nil {
			return
		}
	}
	f.err = io.ErrNoProgress
}

// tooLarge ends the reading; nothing that is open counts.
func (f *FrameReader) tooLarge() {
	f.drop()
	f.pos, f.settled = f.end, true
	f.err = &Error{Kind: TooLarge, Message: fmt.Sprintf("an event of the answer is longer than %d bytes", f.limit)}
}

// room makes space for a read: the unparsed bytes move to the front, behind
// the data of the open frame, into a buffer that is larger if they fill this
// one and small again if they need no large one.
func (f *FrameReader) room() {
	data, rest := f.buf[f.ds:f.de], f.buf[f.pos:f.end]
	held := len(data) + len(rest)
	small := held <= frameBytes/2
	if f.end < len(f.buf) && held > 0 && (!small || len(f.buf) <= keepBytes) {
		return
	}
	to := f.buf
	// Room for a line up to the limit, and for the byte that passes it.
	size := min(2*len(f.buf), len(data)+f.limit+frameBytes)
	switch {
	case held > len(f.buf)*3/4 && size > len(f.buf):
		to = make([]byte, size)
	case small && len(f.buf) > keepBytes:
		to = make([]byte, frameBytes)
	}
	n := copy(to, data)
	copy(to[n:], rest)
	shift := f.pos - n
	f.buf, f.ds, f.de, f.pos, f.end = to, 0, n, n, held
	f.lf, f.cr = max(f.lf-shift, n), max(f.cr-shift, n)
}

// settle decides on what is open where the body ends.
func (f *FrameReader) settle() {
	f.settled = true
	if f.pos < f.end {
		start, end := f.unmarked(f.pos, f.end), f.end
		f.pos = f.end
		f.field(start, end)
	}
	f.dispatch()
	if !f.ready || string(f.event) == "error" {
		return
	}
	data := bytes.TrimSpace(f.buf[f.ds:f.de])
	if string(data) == "[DONE]" || json.Valid(data) {
		return
	}
	f.ready, f.cut = false, true
	f.drop()
	if errors.Is(f.err, io.EOF) {
		f.err = io.ErrUnexpectedEOF
	}
}

// mend appends data to dst with U+FFFD for each byte that is not UTF-8.
func mend(dst, data []byte) []byte {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		dst = utf8.AppendRune(dst, r)
		data = data[n:]
	}
	return dst
}
