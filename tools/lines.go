package tools

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// window collects the asked lines of a text and counts the others. It holds at
// most readMax bytes of text, however long the file or a line is.
type window struct {
	first, last int // lines asked for, from 1, both included

	body    strings.Builder
	shown   int // lines in body
	cut     bool
	full    bool // body took no more
	total   int
	more    bool // total is only as far as was counted
	crlf    int
	tail    bool // the last line has its line end
	invalid bool

	line   []byte // the head of the current line
	length int64  // its bytes so far
	start  int64  // its first byte in the file
}

// lines shows the asked lines of text.
func (r *reading) lines(ctx context.Context, text io.Reader) Result {
	limit := int(r.args.Limit)
	if limit == 0 {
		limit = readLines
	}
	w := &window{first: max(int(r.args.Offset), 1)}
	w.last = w.first + limit - 1
	if w.last < w.first {
		w.last = int(^uint(0) >> 1)
	}
	if err := w.read(ctx, text); err != nil {
		return failed("%s: %v", r.name, plain(err))
	}
	if w.first > w.total {
		return failed("%s: offset %d is past the end: the file has %s", r.name, w.first, plural(w.total, "line"))
	}
	return r.show(w)
}

func (r *reading) show(w *window) Result {
	if w.crlf > 0 {
		r.notes = append(r.notes, "CRLF")
	}
	if w.invalid {
		r.notes = append(r.notes, `not UTF-8, such bytes shown as \xNN`)
	}
	last := w.first + w.shown - 1
	if !w.tail && !w.more && last == w.total {
		r.notes = append(r.notes, "no newline at the end")
	}
	of := strconv.Itoa(w.total)
	if w.more {
		of = "at least " + of
	}
	head := fmt.Sprintf("%s: lines %d-%d of %s", r.name, w.first, last, of)
	if len(r.notes) > 0 {
		head += " (" + strings.Join(r.notes, "; ") + ")"
	}
	text := head + "\n" + strings.TrimSuffix(w.body.String(), "\n")
	rest := w.total - last
	if rest > 0 {
		text += fmt.Sprintf("\n… %s more; go on with offset %d", plural(rest, "line"), last+1)
	}
	defaulted := r.args.Limit == 0 && rest > 0
	return Result{Text: text, Truncated: w.cut || w.full || defaulted}
}

func (w *window) read(ctx context.Context, text io.Reader) error {
	in := bufio.NewReaderSize(text, 64<<10)
	if head, err := in.Peek(len(bom)); err == nil && bytes.Equal(head, bom) {
		_, _ = in.Discard(len(bom)) // Just peeked.
		w.start = int64(len(bom))
	}
	for counted := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece, err := in.ReadSlice('\n')
		counted += int64(len(piece))
		w.add(piece)
		switch {
		case err == io.EOF:
			w.end()
			return nil
		case err != nil && err != bufio.ErrBufferFull:
			return err
		case w.total > w.last && counted > readCountMax:
			w.more = true
			return nil
		}
	}
}

// add takes the next piece of the text, which ends with a line or before.
func (w *window) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	if room := readLineMax + utf8.UTFMax + 2 - len(w.line); room > 0 {
		w.line = append(w.line, piece[:min(room, len(piece))]...)
	}
	w.length += int64(len(piece))
	w.tail = piece[len(piece)-1] == '\n'
	if !w.tail {
		return
	}
	w.flush(bytes.HasSuffix(piece, []byte("\r\n")))
}

// end takes a last line without a line end.
func (w *window) end() {
	if w.length > 0 {
		w.flush(false)
	}
}

// flush counts the current line and shows it if it was asked for.
func (w *window) flush(crlf bool) {
	w.total++
	if crlf {
		w.crlf++
	}
	if w.total >= w.first && w.total <= w.last && !w.full {
		w.show()
	}
	w.start += w.length
	w.line, w.length = w.line[:0], 0
}

func (w *window) show() {
	text := bytes.TrimSuffix(bytes.TrimSuffix(w.line, []byte("\n")), []byte("\r"))
	note := ""
	if len(text) > readLineMax {
		text = wholeRunes(text[:readLineMax])
		note = fmt.Sprintf(" … %d bytes more in this line; go on with byte_offset %d",
			w.length-int64(len(text)), w.start+int64(len(text)))
	}
	if w.shown > 0 && w.body.Len()+len(text) > readMax {
		w.full = true
		return
	}
	w.cut = w.cut || note != ""
	w.invalid = w.invalid || !utf8.Valid(text)
	w.shown++
	fmt.Fprintf(&w.body, "%6d\t%s%s\n", w.total, visible(text), note)
}

// wholeRunes cuts a character off that the end of b splits.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) && len(b) > i {
				return b[:len(b)-i]
			}
			return b
		}
	}
	return b
}

// visible makes bytes valid UTF-8: those that are none become \xNN.
func visible(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&s, `\x%02x`, b[0])
		} else {
			s.Write(b[:n])
		}
		b = b[n:]
	}
	return s.String()
}
