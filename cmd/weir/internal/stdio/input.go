package stdio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

const (
	// Moment is how long a pipe may take to say anything at all.
	Moment = 250 * time.Millisecond
	// Silence is how long a pipe that has begun may say nothing without ending.
	Silence = 3 * time.Second
	// ContextBytes caps what is read.
	ContextBytes = 16 << 20
)

// File is the part of [os.File] that reading needs.
type File interface {
	io.Reader
	Stat() (fs.FileInfo, error)
}

// Input is what standard input gave to a one-shot run.
type Input struct {
	Text string
	// Open says that the stream was silent for [Silence] without an end: Text
	// is what had come by then.
	Open bool
}

// ReadContext reads in as context beside a prompt: a regular file to its end;
// a pipe or socket to its end too, but not at all if it neither says anything
// nor ends within [Moment], and no further when it falls silent for [Silence];
// a device, so a terminal too, not at all (B016). It is an error if there is
// more than [ContextBytes]. A goroutine that still reads ends with in.
func ReadContext(in File) (Input, error) {
	info, err := in.Stat()
	if err != nil { // closed: nothing to read
		return Input{}, nil
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		text, err := ReadAll(in)
		return Input{Text: text}, err
	case mode&(fs.ModeNamedPipe|fs.ModeSocket) != 0:
		return readPipe(in)
	default:
		return Input{}, nil
	}
}

// ReadAll reads in to its end, however long that takes. It is an error if there
// is more than [ContextBytes].
func ReadAll(in io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(in, ContextBytes+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(data) > ContextBytes {
		return "", errTooMuch
	}
	return string(data), nil
}

var errTooMuch = fmt.Errorf("standard input has more than %d MiB: name the file in the prompt instead", ContextBytes>>20)

type chunk struct {
	data []byte
	err  error
}

func readPipe(in io.Reader) (Input, error) {
	chunks, stop := make(chan chunk), make(chan struct{})
	defer close(stop)
	// Ends at the end of in, or at the first read after stop is closed.
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := in.Read(buf)
			select {
			case chunks <- chunk{buf[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	var all []byte
	wait := time.NewTimer(Moment)
	defer wait.Stop()
	for {
		select {
		case <-wait.C:
			return Input{Text: string(all), Open: len(all) > 0}, nil
		case c := <-chunks:
			all = append(all, c.data...)
			switch {
			case len(all) > ContextBytes:
				return Input{}, errTooMuch
			case errors.Is(c.err, io.EOF):
				return Input{Text: string(all)}, nil
			case c.err != nil:
				return Input{}, fmt.Errorf("read standard input: %w", c.err)
			}
			wait.Reset(Silence)
		}
	}
}
