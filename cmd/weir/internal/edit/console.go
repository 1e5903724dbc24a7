package edit

import (
	"io"
	"os"
	"sync"
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
	// Question is the one that was on the screen while it was typed, 0 if none was.
	Question int
}

// Console is a terminal with a line being typed at its bottom, under what the
// program writes. Its methods may be called from several goroutines at once.
type Console struct {
	cfg   Config
	raw   *raw
	keys  *keyboard
	lines chan Sent
	done  chan struct{} // closed by Close
	once  sync.Once
	left  bool // lines is closed; of the goroutine that handles keys

	mu      sync.Mutex
	editor  Editor
	area    area
	prompt  string
	asks    int      // the question that is open; 0 for none
	next    []asking // each comes once all is taken that was typed before it
	fed     int64    // bytes taken
	open    bool     // a key has begun that what comes may change
	pasting bool     // a paste has begun and not ended
	early   bool     // it began before the question that is open
	draft   string   // the line put aside for a question
	sent    int      // lines
	failed  error    // of a write; nothing is drawn after it
	closed  bool
	unsaved bool // and the person knows
}

// asking is what is to stand before the input.
type asking struct {
	prompt   string
	question int
	after    int64 // bytes that were typed before
}

// askingMax is how many questions may come and go while a line waits to be taken;
// beyond, the last takes the place of the one before.
const askingMax = 64

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
		cfg: cfg, raw: r, keys: newKeyboard(cfg.In), lines: make(chan Sent), done: make(chan struct{}),
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
// leaves or the terminal is gone. After that no key but those that cancel counts.
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

// Ask shows output as Write does, and sets what stands before the input. A
// question, which has a number other than 0, puts the line aside that is being
// typed, and takes a single line; the prompt brings it back. What was typed before
// another question came up does not answer it: it belongs to what was open then,
// or to nothing.
func (c *Console) Ask(output, prompt string, question int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	typed := c.keys.typed() // what comes while it is shown is an answer
	if output != "" {
		out := c.area.put(c.erase(), []byte(output))
		if err := c.flush(c.area.draw(out)); err != nil {
			return err
		}
	}
	now := asking{prompt: c.prompt, question: c.asks}
	if n := len(c.next); n > 0 {
		now = c.next[n-1]
	}
	if prompt == now.prompt && question == now.question {
		return c.failed
	}
	c.next = append(c.next[:min(len(c.next), askingMax-1)], asking{prompt, question, typed})
	return c.settle()
}

// settle turns to what is asked next, if all before it is taken.
func (c *Console) settle() error {
	drawn := true
	for len(c.next) > 0 && c.fed >= c.next[0].after && !c.open {
		c.turn(c.next[0])
		c.next, drawn = c.next[1:], false
	}
	if drawn {
		return c.failed
	}
	return c.redraw(nil)
}

// turn turns to what is asked.
func (c *Console) turn(to asking) {
	question, single := to.question, to.question != 0
	switch {
	case single && c.asks == 0:
		c.draft = c.editor.Line.Text()
		c.editor.Reset()
	case single && c.asks != question: // half an answer to another question is none
		c.editor.Reset()
	case !single && c.asks != 0:
		c.editor.Reset()
		c.editor.Line.Set(c.draft)
		c.draft = ""
	}
	c.early = single && c.pasting && (c.early || c.asks != question)
	c.prompt, c.asks, c.editor.Single = to.prompt, question, single
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
	if c.closed { // the terminal is not ours any more
		return c.failed
	}
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

func (c *Console) resize() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.redraw(nil) // the next write of the program reports it
}

// leave closes the lines, once.
func (c *Console) leave() {
	if !c.left {
		c.left = true
		close(c.lines)
	}
}

// handle does what a key says and reports whether more are wanted.
func (c *Console) handle(k Key) bool {
	if c.left && k.Kind != Interrupt && k.Kind != Escape {
		return true
	}
	c.mu.Lock()
	if k.Kind == Paste && c.early {
		c.early = false
		c.draft += pasted(k.Text)
		c.mu.Unlock()
		return true
	}
	act, text := c.editor.Handle(k)
	switch act {
	case Submit:
		shown := c.area.put(nil, []byte(c.echo(text)+c.keep(text)))
		_ = c.redraw(shown) // the next write of the program reports it
		c.sent++
		sent := Sent{text, c.asks}
		c.mu.Unlock()
		select {
		case c.lines <- sent:
			return true
		case <-c.done:
			return false
		}
	case Leave:
		c.leave()
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
