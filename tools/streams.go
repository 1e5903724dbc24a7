package tools

import (
	"io"
	"os"
	"sync"
	"time"
)

// open makes n pipes and returns their writing ends.
func (p *process) open(n int) (writers []*os.File, err error) {
	for range n {
		reader, writer, err := os.Pipe()
		if err != nil {
			return writers, err
		}
		p.pipes, writers = append(p.pipes, reader), append(writers, writer)
	}
	return writers, nil
}

// closeAll closes pipes, by which nothing is lost.
func closeAll(pipes []*os.File) {
	for _, pipe := range pipes {
		_ = pipe.Close()
	}
}

// drain ends when the last writer of each pipe has, or when abandon closes them.
func (p *process) drain(out []io.Writer) {
	defer close(p.drained)
	var others sync.WaitGroup
	for i, pipe := range p.pipes[1:] {
		others.Go(func() { pour(out[1+i], pipe) })
	}
	pour(out[0], p.pipes[0])
	others.Wait()
	if p.out != nil {
		p.out.finish()
		p.out.close()
	}
}

// pour passes on what comes through a pipe until its end, and closes it. Writing
// never fails.
func pour(out io.Writer, pipe *os.File) {
	buf := make([]byte, 32<<10)
	for {
		n, err := pipe.Read(buf)
		if n > 0 {
			_, _ = out.Write(buf[:n])
		}
		if err != nil {
			_ = pipe.Close() // Only read from.
			return
		}
	}
}

// settle gives what the shell started a moment to end, so that a pipe's last
// words are not lost, and reports whether the output is complete.
func (p *process) settle() bool {
	timer := time.NewTimer(settleTime)
	defer timer.Stop()
	select {
	case <-p.drained:
		return true
	case <-timer.C:
		return false
	}
}

// abandon ends the reading although somebody still holds a pipe.
func (p *process) abandon() {
	closeAll(p.pipes)
	<-p.drained
}
