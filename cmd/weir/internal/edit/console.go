package edit

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// escapeTime is how long an escape waits for the rest of a key.
const escapeTime = 50 * time.Millisecond

// The modes a console sets, and how they are undone.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// Config says what a Console works with.
type Config struct {
	In  *os.File
	Out io.Writer
	// History is what Up and Ctrl-R look through; nil is an empty one.
	History *History
	// Complete is that of [Editor].
	Complete func(before string) []string
	// Act is called by the goroutine that reads keys, so it must not block, for
	// Cancel and Abort, with how many lines were sent before. It reports whether
	// the line is to be emptied.
	Act func(act Act, sent int) (reset bool)
}

// Sent is a line that was sent.
type Sent struct {
	Text string
	// Answer says that a question was open when it was sent.
	Answer bool
}

// Console is a terminal with a line being typed at its bottom, under what the
// program writes. Its methods may be called from several goroutines at once.
type Console struct {
	cfg   Config
	raw   *raw
	lines chan Sent
	done  chan struct{} // closed by Close
	once  sync.Once

	mu      sync.Mutex
	editor  Editor
	area    area
	prompt  string
	sent    int      // lines
	drafts  []string // lines put aside for a question
	failed  error    // of a write; nothing is drawn after it
	closed  bool
	unsaved bool // and the person knows
}

// Open takes the terminal over. Close gives it back.
func Open(cfg Config) (*Console, error) {
	if cfg.History == nil {
		cfg.History = &History{}
	}
	r, err := makeRaw(cfg.In)
	if err != nil {
		return nil, err
	}
	c := &Console{
		cfg: cfg, raw: r, lines: make(chan Sent), done: make(chan struct{}),
		editor: Editor{History: cfg.History, Complete: cfg.Complete},
	}
	c.measure()
	if _, err := io.WriteString(cfg.Out, pasteOn); err != nil {
		_ = r.restore() // the write's error says more
		return nil, err
	}
	chunks := make(chan []byte)
	// Ends at the end of the terminal or with the process.
	go c.read(chunks)
	// Ends when chunks is closed or the console is.
	go c.serve(chunks)
	return c, nil
}

// Lines returns the channel of the lines sent; it is closed when the person
// leaves or the terminal is gone.
func (c *Console) Lines() <-chan Sent { return c.lines }

// Close gives the terminal back as it was. It may be called again.
func (c *Console) Close() {
	c.once.Do(func() {
		close(c.done)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
		if c.failed == nil {
			c.area.status, c.area.bottom = "", View{}
			out := c.area.end(c.erase())
			_, _ = c.cfg.Out.Write(append(out, pasteOff...)) // nobody is left to tell
		}
		_ = c.raw.restore() // a terminal that is gone needs no restoring
	})
}

// Write shows output above what is typed.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.area.put(c.erase(), p)
	return len(p), c.flush(c.area.draw(out))
}

// Show is Write, and block takes the place of the one before: output that may
// still change, in rows that are separated by line feeds, under all that was
// written. It is given again as output once it does not change any more.
func (c *Console) Show(p, block []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.area.put(c.erase(), p)
	c.area.block = string(block)
	return c.flush(c.area.draw(out))
}

// Size returns how many columns and rows the terminal has now.
func (c *Console) Size() (columns, rows int) { return Size(c.cfg.In) }

// Ask sets what stands before the input. A question puts the line aside that
// is being typed, and takes a single line; the prompt brings it back.
func (c *Console) Ask(prompt string, question bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if prompt == c.prompt && question == c.editor.Single {
		return c.failed
	}
	if question && !c.editor.Single {
		c.drafts = append(c.drafts, c.editor.Line.Text())
		c.editor.Reset()
	}
	if !question && c.editor.Single {
		c.editor.Reset()
		c.editor.Line.Set(c.drafts[0])
		c.drafts = nil
	}
	c.prompt, c.editor.Single = prompt, question
	return c.redraw(nil)
}

// Status sets the line above the input, cut to the terminal; "" for none.
func (c *Console) Status(text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.area.status == text {
		return c.failed
	}
	c.area.status = text
	return c.redraw(nil)
}

// redraw draws the area anew; before goes out first, in its place.
func (c *Console) redraw(before []byte) error {
	out := append(c.erase(), before...)
	c.lay()
	return c.flush(c.area.draw(out))
}

// erase takes the area off the screen as it is now: the terminal has broken the
// rows anew before its signal comes, or while one is on the way.
func (c *Console) erase() []byte {
	if c.measure() && len(c.area.bottom.Rows) > 0 {
		c.lay()
	}
	return c.area.erase(nil)
}

// measure takes the terminal's size and reports whether it is another.
func (c *Console) measure() bool {
	width, height := c.area.width, c.area.height
	c.area.width, c.area.height = Size(c.cfg.In)
	return c.area.width != width || c.area.height != height
}

// lay lays out what is typed.
func (c *Console) lay() {
	c.area.bottom = c.editor.View(c.prompt, c.area.width, max(c.area.height/3, 1))
}

func (c *Console) flush(out []byte) error {
	if c.failed != nil || c.closed {
		return c.failed
	}
	_, c.failed = c.cfg.Out.Write(out)
	return c.failed
}

func (c *Console) read(chunks chan<- []byte) {
	defer close(chunks)
	for {
		buf := make([]byte, 4<<10)
		n, err := c.cfg.In.Read(buf)
		if n > 0 {
			select {
			case chunks <- buf[:n]:
			case <-c.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (c *Console) serve(chunks <-chan []byte) {
	defer close(c.lines)
	defer func() { // a panic of ours must not leave the terminal raw
		if r := recover(); r != nil {
			c.Close()
			panic(r)
		}
	}()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	var keys Keys
	escape := time.NewTimer(escapeTime)
	for {
		var got []Key
		select {
		case p, ok := <-chunks:
			if !ok {
				return
			}
			got = keys.Feed(p)
			escape.Reset(escapeTime)
		case <-escape.C:
			got = keys.Flush()
		case <-resized:
			c.resize()
		case <-c.done:
			return
		}
		for _, k := range got {
			if !c.handle(k) {
				return
			}
		}
	}
}

func (c *Console) resize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.redraw(nil) // the next write of the program reports it
}

// handle does what a key says and reports whether more are wanted.
func (c *Console) handle(k Key) bool {
	c.mu.Lock()
	act, text := c.editor.Handle(k)
	switch act {
	case Submit:
		shown := c.area.put(nil, []byte(c.echo(text)+c.keep(text)))
		_ = c.redraw(shown) // the next write of the program reports it
		c.sent++
		sent := Sent{text, c.editor.Single}
		c.mu.Unlock()
		select {
		case c.lines <- sent:
			return true
		case <-c.done:
			return false
		}
	case Leave:
		c.mu.Unlock()
		return false
	case Cancel, Abort:
		sent := c.sent
		c.mu.Unlock()
		reset := c.cfg.Act(act, sent)
		c.mu.Lock()
		if reset {
			c.editor.Reset()
		}
	case Clear:
		c.area.drawn = nil
		_ = c.redraw([]byte("\x1b[H\x1b[2J"))
	case Stop:
		c.suspend()
	case None:
	}
	_ = c.redraw(nil) // the next write of the program reports it
	c.mu.Unlock()
	return true
}
