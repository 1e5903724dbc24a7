package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// argumentError is a fault that the model can mend by writing its call
// differently.
type argumentError string

func (e argumentError) Error() string { return string(e) }

// edited is what edits made of a text.
type edited struct {
	text   []byte
	places int // how many were replaced
	// mixed says what line end new lines got where both kinds stood.
	mixed string
}

// applyEdits does all edits, each on the result of the one before, or none. It
// never changes a byte outside their places. It ends soon after ctx.
func applyEdits(ctx context.Context, before []byte, edits []edit) (edited, error) {
	if isUTF16(before) {
		return edited{}, errors.New("the file is UTF-16, which this tool cannot edit; use a command")
	}
	mark, text := splitBOM(before)
	done := edited{text: text}
	for i, e := range edits {
		err := done.apply(ctx, e)
		switch {
		case ctx.Err() != nil:
			return edited{}, context.Cause(ctx)
		case err != nil && len(edits) > 1:
			return edited{}, argumentError(fmt.Sprintf("edit %d of %d: %v; none was done", i+1, len(edits), err))
		case err != nil:
			return edited{}, argumentError(err.Error())
		case len(done.text) > changeMax:
			return edited{}, fmt.Errorf("the result is larger than %d bytes", changeMax)
		}
	}
	done.text = append(bytes.Clone(mark), done.text...)
	return done, nil
}

// splitBOM sets a byte order mark apart: it is not part of the text.
func splitBOM(b []byte) (mark, text []byte) {
	if bytes.HasPrefix(b, bom) {
		return b[:len(bom)], b[len(bom):]
	}
	return nil, b
}

func (d *edited) apply(ctx context.Context, e edit) error {
	text := d.text
	_, old := splitBOM([]byte(e.Old))
	_, repl := splitBOM([]byte(e.New))
	if len(old) == 0 {
		return errors.New("old is nothing but a byte order mark")
	}
	if !utf8.Valid(text) && !isASCII(repl) {
		return errors.New("the file is not UTF-8 and new holds characters beyond ASCII, which would mix encodings; keep new to ASCII, or use a command")
	}
	spans, err := find(ctx, text, old, e.All)
	if err != nil {
		return err
	}
	if len(spans) == 0 {
		return errors.New(mismatch(ctx, text, string(old)))
	}
	if len(spans) > 1 && !e.All {
		times := strconv.Itoa(len(spans))
		if len(spans) > placesMax {
			times = "more than " + strconv.Itoa(placesMax)
		}
		return fmt.Errorf("old occurs %s times, at lines %s; add lines around it to make it unique, or set all", times, lineList(text, spans))
	}
	if e.All {
		spans = apart(spans)
	}
	if len(text)+len(spans)*(len(repl)-len(old)) > changeMax {
		return fmt.Errorf("the result is larger than %d bytes", changeMax)
	}
	out := make([]byte, 0, len(text)+len(spans)*max(0, len(repl)-len(old)))
	done := 0
	ends := lineEnds{text: text, next: -1, last: -1}
	for _, s := range spans {
		out = append(out, text[done:s.from]...)
		out = append(out, ends.give(repl, s)...)
		done = s.to
	}
	d.text, d.places = append(out, text[done:]...), d.places+len(spans)
	if ends.mixed != "" {
		d.mixed = ends.mixed
	}
	return nil
}

func isASCII[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// apart leaves out places that overlap one before them.
func apart(spans []span) []span {
	var kept []span
	end := 0
	for _, s := range spans {
		if s.from >= end {
			kept = append(kept, s)
			end = s.to
		}
	}
	return kept
}

// lineList names the lines of places, the first ten of them.
func lineList(text []byte, spans []span) string {
	var b strings.Builder
	line, at := 1, 0
	for i, s := range spans {
		if i == 10 {
			b.WriteString(", …")
			break
		}
		line += bytes.Count(text[at:s.from], []byte("\n"))
		at = s.from
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(line))
	}
	return b.String()
}
