package stdio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stream is standard input of a kind.
type stream struct {
	io.Reader
	mode fs.FileMode
}

func (s stream) Stat() (fs.FileInfo, error) { return info{mode: s.mode}, nil }

type info struct {
	fs.FileInfo
	mode fs.FileMode
}

func (i info) Mode() fs.FileMode { return i.mode }

// read reads a pipe into which feed writes, and says how long it took.
func read(t *testing.T, feed func(w io.WriteCloser)) (in Input, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go feed(w)
		began := time.Now()
		var err error
		if in, err = ReadContext(stream{r, fs.ModeNamedPipe}); err != nil {
			t.Error(err)
		}
		took = time.Since(began)
		_ = r.Close()
	})
	return in, took
}

func say(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

func TestB016_ASilentPipeHoldsNothingUp(t *testing.T) {
	in, took := read(t, func(io.WriteCloser) {})
	if in != (Input{}) || took != Moment {
		t.Errorf("%+v after %v", in, took)
	}
}

func TestAPipeIsReadToItsEnd(t *testing.T) {
	in, took := read(t, func(w io.WriteCloser) {
		say(w, "one ")
		time.Sleep(Silence / 2) // the bubble's clock: the producer is slow
		say(w, "two")
		_ = w.Close()
	})
	if diff := cmp.Diff(Input{Text: "one two"}, in); diff != "" || took != Silence/2 {
		t.Errorf("after %v\n%s", took, diff)
	}
}

func TestAnEmptyPipeIsNoContext(t *testing.T) {
	if in, took := read(t, func(w io.WriteCloser) { _ = w.Close() }); in != (Input{}) || took != 0 {
		t.Errorf("%+v after %v", in, took)
	}
}

func TestAPipeThatFallsSilentIsLeftAndSaidToBeOpen(t *testing.T) {
	in, took := read(t, func(w io.WriteCloser) { say(w, "one") })
	if diff := cmp.Diff(Input{Text: "one", Open: true}, in); diff != "" || took != Silence {
		t.Errorf("after %v\n%s", took, diff)
	}
}

func TestFilesAreReadAndDevicesAreNot(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		0: "text", fs.ModeDevice | fs.ModeCharDevice: "", fs.ModeNamedPipe: "text", fs.ModeSocket: "text", fs.ModeDir: "",
	} {
		in, err := ReadContext(stream{strings.NewReader("text"), mode})
		if err != nil || in.Text != want {
			t.Errorf("%v: %+v, %v", mode, in, err)
		}
	}
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestStandardInputHasACap(t *testing.T) {
	for _, mode := range []fs.FileMode{0, fs.ModeNamedPipe} {
		if _, err := ReadContext(stream{zeros{}, mode}); !errors.Is(err, errTooMuch) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

func TestAWriteWaitsForItsReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := NewOutput(w)
		defer o.Close()
		done := make(chan error, 1)
		go func() {
			_, err := o.Write([]byte(strings.Repeat("x", 3*pieceBytes)))
			done <- err
		}()
		time.Sleep(time.Hour) // the bubble's clock: nobody reads
		select {
		case err := <-done:
			t.Fatalf("an unread write returned: %v", err)
		default:
		}
		go func() { _, _ = io.Copy(io.Discard, r) }()
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = w.Close()
	})
}

func TestAfterACancelAReaderThatReadsNothingLosesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := NewOutput(w)
		done := make(chan error, 1)
		go func() {
			_, err := o.Write(make([]byte, 4*pieceBytes))
			done <- err
		}()
		synctest.Wait()
		began := time.Now()
		o.Hurry()
		// It reads a piece every 0.9 s, twice, and then no more.
		for range 2 {
			time.Sleep(Patience * 9 / 10)
			_, _ = io.ReadFull(r, make([]byte, pieceBytes))
		}
		if err := <-done; !errors.Is(err, ErrGaveUp) {
			t.Errorf("the write ended with %v", err)
		}
		if took := time.Since(began); took < 2*Patience || took > 4*Patience {
			t.Errorf("it took %v", took)
		}
		if _, err := o.Write([]byte("more")); !errors.Is(err, ErrGaveUp) {
			t.Errorf("a further write: %v", err)
		}
		_ = r.Close()
		o.Close()
	})
}

func TestAReaderThatReadsLosesNothingAfterACancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		o := NewOutput(w)
		defer o.Close()
		o.Hurry()
		var reader sync.WaitGroup
		reader.Go(func() {
			for range 8 {
				time.Sleep(Patience / 2)
				_, _ = io.ReadFull(r, make([]byte, pieceBytes))
			}
		})
		if n, err := o.Write(make([]byte, 8*pieceBytes)); n != 8*pieceBytes || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		reader.Wait()
	})
}

func TestAFailedWriteIsReportedForEver(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	o := NewOutput(full)
	defer o.Close()
	for range 2 {
		if _, err := o.Write([]byte("x")); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("writing to a full device: %v", err)
		}
	}
}
