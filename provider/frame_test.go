package provider

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// frames reads all of r and returns each frame as `event|data`, and the error.
func frames(r io.Reader, lineBytes int) ([]string, error) {
	var all []string
	f := NewFrameReader(r, lineBytes)
	for {
		frame, err := f.Next()
		if err != nil {
			return all, err
		}
		all = append(all, string(frame.Event)+"|"+string(frame.Data))
	}
}

func TestFramesFollowTheRules(t *testing.T) {
	eof, cut := io.EOF, io.ErrUnexpectedEOF
	tests := map[string]struct {
		body string
		want []string
		err  error // io.ErrUnexpectedEOF: cut inside an event
	}{
		"nothing":                  {"", nil, eof},
		"one":                      {"data: {}\n\n", []string{"|{}"}, eof},
		"named":                    {"event: ping\ndata: {}\n\ndata: 1\n\n", []string{"ping|{}", "|1"}, eof},
		"the last name counts":     {"event: a\nevent: b\ndata: 1\n\n", []string{"b|1"}, eof},
		"no space":                 {"event:x\ndata:1\n\n", []string{"x|1"}, eof},
		"CRLF":                     {"data: 1\r\n\r\ndata: 2\r\n\r\n", []string{"|1", "|2"}, eof},
		"CR":                       {"data: 1\r\rdata: 2\r\r", []string{"|1", "|2"}, eof},
		"mixed line ends":          {"data: 1\r\n\ndata: 2\n\r\ndata: 3\r\rdata: 4\n\r", []string{"|1", "|2", "|3", "|4"}, eof},
		"CR joins, CRLF is one":    {"data: 1\rdata: 2\r\ndata: 3\n\n", []string{"|1\n2\n3"}, eof},
		"many data lines":          {"data: [\ndata: 1\n: within\ndata: ]\n\n", []string{"|[\n1\n]"}, eof},
		"data without colon":       {"data: 1\ndata\ndata: 2\n\n", []string{"|1\n\n2"}, eof},
		"byte order mark":          {"\xef\xbb\xbfdata: 1\n\n", []string{"|1"}, eof},
		"mark in the middle stays": {"data: 1\n\n\xef\xbb\xbfdata: 2\n\n", []string{"|1"}, eof},
		"other fields":             {"id: 4\nretry: 3\nfoo: bar\ndata: 1\nbaz\n\n", []string{"|1"}, eof},
		"comments":                 {": a\n\n:\n\n:b\ndata: 1\n:c\n\n: d\n\n", []string{"|1"}, eof},
		"keep-alives":              {"data:\n\ndata:  \t\n\ndata: null\n\ndata: : x\n\ndata::x\n\ndata\n\nevent: ping\n\ndata: 1\n\n", []string{"|1"}, eof},
		"a name is not kept":       {"event: ping\n\ndata: 1\n\n", []string{"|1"}, eof},
		"an error without data":    {"event: error\n\n", []string{"error|"}, eof},
		"bytes that are not UTF-8": {"data: a\xff\xfeb \xc3\n\n", []string{"|a\ufffd\ufffdb \ufffd"}, eof},
		"not quite data":           {"dat: 1\ndatas: 2\nDATA: 3\n data: 4\n\n", nil, eof},
		"open but whole":           {"data: 1\n\ndata: {\"a\":2}", []string{"|1", `|{"a":2}`}, eof},
		"open after its line":      {"data: {\"a\":2}\n", []string{`|{"a":2}`}, eof},
		"open after CR":            {"data: {\"a\":2}\r", []string{`|{"a":2}`}, eof},
		"open done":                {"data: [DONE]", []string{"|[DONE]"}, eof},
		"open error":               {"event: error\ndata: too bad", []string{"error|too bad"}, eof},
		"open and cut":             {"data: 1\n\ndata: {\"a\":", []string{"|1"}, cut},
		"open comment":             {"data: 1\n\n: ping", []string{"|1"}, eof},
		"open keep-alive":          {"data: 1\n\ndata: ", []string{"|1"}, eof},
		"open over two lines":      {"data: {\ndata: }", []string{"|{\n}"}, eof},
		"blanks around done":       {"data:  [DONE] \n\n", []string{"|[DONE]"}, eof},
	}
	for name, tt := range tests {
		for kind, r := range map[string]io.Reader{
			"at once":      strings.NewReader(tt.body),
			"by byte":      iotest.OneByteReader(strings.NewReader(tt.body)),
			"end with the": iotest.DataErrReader(strings.NewReader(tt.body)),
		} {
			got, err := frames(r, 0)
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("%s, %s: %v, want %v\n%s", name, kind, err, tt.err, diff)
			}
		}
	}
}

func TestABrokenBodyStillGivesItsOpenFrame(t *testing.T) {
	broke := errors.New("connection reset")
	body := io.MultiReader(strings.NewReader("data: 1\n\ndata: {\"a\":2}\n"), iotest.ErrReader(broke))
	got, err := frames(body, 0)
	if diff := cmp.Diff([]string{"|1", `|{"a":2}`}, got); diff != "" || !errors.Is(err, broke) {
		t.Errorf("%v\n%s", err, diff)
	}
	got, err = frames(io.MultiReader(strings.NewReader("data: {"), iotest.ErrReader(broke)), 0)
	if len(got) > 0 || !errors.Is(err, broke) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestALineUpToTheCapIsRead(t *testing.T) {
	for _, size := range []int{frameBytes - 1, frameBytes, frameBytes + 1, 3 * frameBytes, LineBytes} {
		body := "data: " + strings.Repeat("x", size-len("data: ")) + "\n\n"
		got, err := frames(strings.NewReader(body), size)
		if !errors.Is(err, io.EOF) || len(got) != 1 || len(got[0]) != size-len("data: ")+1 {
			t.Errorf("a line of %d bytes: %d frames, %v", size, len(got), err)
		}
		_, err = frames(strings.NewReader("data: 1\n\n"+body), size-1)
		var e *Error
		if !errors.As(err, &e) || e.Kind != TooLarge || e.Retryable {
			t.Errorf("a line of %d bytes over a cap of one less: %v", size, err)
		}
	}
	lines := strings.Repeat("data: 12345678\n", 10)
	if _, err := frames(strings.NewReader(lines+"\n"), 50); AsError(err).Kind != TooLarge {
		t.Errorf("many data lines passed the cap of a frame: %v", err)
	}
}

func TestTheBufferIsSmallAgainAfterAGiantLine(t *testing.T) {
	more, body := io.Pipe()
	f := NewFrameReader(more, 0)
	go func() {
		_, _ = io.WriteString(body, "data: "+strings.Repeat("x", 1<<20)+"\n\ndata: 1\n\n")
		_ = body.Close()
	}()
	for {
		if _, err := f.Next(); err != nil {
			break
		}
	}
	if len(f.buf) > keepBytes {
		t.Errorf("the buffer of an idle reader has %d bytes", len(f.buf))
	}
}

// onlyOnce fails the test if it is read when Ready had said that it need not be.
type onlyOnce struct {
	r     io.Reader
	ready bool
	t     *testing.T
}

func (o *onlyOnce) Read(p []byte) (int, error) {
	if o.ready {
		o.t.Error("Next read although a frame was ready")
	}
	return o.r.Read(p)
}

func TestReadyTellsWhetherNextReads(t *testing.T) {
	body := ": x\n\ndata: 1\n\ndata: 2\r\rdata: 3\n\ndata: 4\n: half"
	r := &onlyOnce{r: strings.NewReader(body), t: t}
	f := NewFrameReader(r, 0)
	var got []bool
	for {
		r.ready = f.Ready()
		got = append(got, r.ready)
		frame, err := f.Next()
		if err != nil {
			break
		}
		before := string(frame.Data)
		f.Ready()
		if string(frame.Data) != before {
			t.Errorf("Ready changed frame %q to %q", before, frame.Data)
		}
	}
	// The first needs a read, the last the end of the body.
	if diff := cmp.Diff([]bool{false, true, true, false, false}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSniffShowsTheFirstByteAndTakesNothing(t *testing.T) {
	for body, want := range map[string]byte{
		"data: 1\n\n": 'd', "\n\n  {\"a\":1}": '{', "\xef\xbb\xbf<html>": '<', "  <": '<', "\xef\xbbx": 0xEF,
	} {
		f := NewFrameReader(iotest.OneByteReader(strings.NewReader(body)), 0)
		if got, err := f.Sniff(); got != want || err != nil {
			t.Errorf("%q: sniffed %q, %v", body, got, err)
		}
		rest, err := io.ReadAll(f.Body())
		if trimmed := strings.TrimLeft(body, "\n"); err != nil || !strings.HasSuffix(trimmed, string(rest)) ||
			len(rest) < len(strings.TrimPrefix(trimmed, string(bom))) {
			t.Errorf("%q: the body read %q, %v", body, rest, err)
		}
	}
	if _, err := NewFrameReader(strings.NewReader(" \n "), 0).Sniff(); !errors.Is(err, io.EOF) {
		t.Errorf("a blank body: %v", err)
	}
}

func TestBlanksBeforeTheFirstByteHaveTheCapOfALine(t *testing.T) {
	const limit = 1 << 20
	for name, body := range map[string]string{
		"blanks": strings.Repeat(" ", limit+1), "blanks after a mark": string(bom) + strings.Repeat("\t", limit+1),
		"blanks before data": strings.Repeat(" ", limit+1) + "{}", "blanks after lines": "\n\r\n" + strings.Repeat(" ", limit+1),
	} {
		for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body))} {
			f := NewFrameReader(r, limit)
			if _, err := f.Sniff(); AsError(err).Kind != TooLarge || AsError(err).Retryable {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := f.Next(); AsError(err).Kind != TooLarge {
				t.Errorf("%s, read on: %v", name, err)
			}
		}
	}
	// Up to the cap they are skipped, and each is looked at once: by byte, a
	// second look at all of them would take minutes.
	body := string(bom) + strings.Repeat(" ", limit) + "{}"
	f := NewFrameReader(iotest.OneByteReader(strings.NewReader(body)), limit)
	if first, err := f.Sniff(); first != '{' || err != nil {
		t.Errorf("sniffed %q, %v", first, err)
	}
	f = NewFrameReader(strings.NewReader(string(bom)+strings.Repeat("\n", limit)+"data: 1\n\n"), limit)
	if first, err := f.Sniff(); first != 'd' || err != nil || len(f.buf) > keepBytes {
		t.Errorf("sniffed %q, %v, with a buffer of %d bytes", first, err, len(f.buf))
	}
}

// splits reads data in pieces whose lengths come from a seed.
type splits struct {
	data []byte
	rnd  *rand.Rand
}

func (s *splits) Read(p []byte) (int, error) {
	if len(s.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+s.rnd.IntN(9))], s.data)
	s.data = s.data[n:]
	return n, nil
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("\xef\xbb\xbfdata: 1\r\n\r\nevent: error\rdata: [DONE]\n\n:x\ndata:\xff\ndata: {}"), uint64(1), uint16(40))
	f.Add([]byte("data: {\ndata: }\n\ndata: null\n\n\r\r\r\ndata"), uint64(7), uint16(5))
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, lineBytes uint16) {
		want, wantErr := frames(bytes.NewReader(body), int(lineBytes)+1)
		got, err := frames(&splits{body, rand.New(rand.NewPCG(seed, 0))}, int(lineBytes)+1)
		if diff := cmp.Diff(want, got); diff != "" || wantErr.Error() != err.Error() {
			t.Errorf("split otherwise: %v, want %v\n%s", err, wantErr, diff)
		}
		f := NewFrameReader(bytes.NewReader(body), int(lineBytes)+1)
		if _, err := f.Sniff(); err == nil {
			got, err = nil, nil
			for {
				frame, e := f.Next()
				if err = e; e != nil {
					break
				}
				got = append(got, string(frame.Event)+"|"+string(frame.Data))
			}
			if diff := cmp.Diff(want, got); diff != "" && !bytes.Contains(body, bom) {
				t.Errorf("after Sniff: %v\n%s", err, diff)
			}
		}
	})
}

func BenchmarkFrames(b *testing.B) {
	body := bytes.Repeat([]byte("data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lamp\"}}]}\n\n"), 1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		f := NewFrameReader(bytes.NewReader(body), 0)
		for {
			if _, err := f.Next(); err != nil {
				break
			}
		}
	}
}
