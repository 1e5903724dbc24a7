package edit

import (
	"io"
	"os"
	"sync"
)

// Paper is a terminal that only shows: nothing is typed at it, and its modes stay
// as they are. Its methods may be called from several goroutines at once.
type Paper struct {
	tty  *os.File
	out  io.Writer
	mu   sync.Mutex
	area area
}

// NewPaper returns a paper that writes to out and takes the size of tty.
func NewPaper(tty *os.File, out io.Writer) *Paper { return &Paper{tty: tty, out: out} }

// Write shows output, also half a line.
func (p *Paper) Write(output []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.area.block == "" {
		return p.out.Write(output)
	}
	return len(output), p.show(output, p.area.block)
}

// Show is that of [Console].
func (p *Paper) Show(output, block []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(block) == 0 && p.area.block == "" {
		_, err := p.out.Write(output)
		return err
	}
	return p.show(output, string(block))
}

func (p *Paper) show(output []byte, block string) error {
	p.area.width, p.area.height = Size(p.tty)
	out := p.area.erase(nil)
	if block == "" { // what is left of a line goes on without the area
		out = append(append(append(out, p.area.style...), p.area.open...), output...)
		p.area = area{}
	} else {
		out = p.area.put(out, output)
		p.area.block = block
		out = p.area.draw(out)
	}
	_, err := p.out.Write(out)
	return err
}

// Size returns how many columns and rows the terminal has now.
func (p *Paper) Size() (columns, rows int) { return Size(p.tty) }
