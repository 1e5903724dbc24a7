package edit

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

func (c *Console) read(chunks chan<- []byte) {
	defer close(chunks)
	for {
		buf := make([]byte, 4<<10)
		n, _, err := c.keys.read(buf)
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
	defer c.leave()
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
		select {
		case p, ok := <-chunks:
			if !ok || !c.take(&keys, p) {
				return
			}
			escape.Reset(escapeTime)
		case <-escape.C:
			if !c.pause(&keys) {
				return
			}
			if keys.Open() {
				escape.Reset(escapeTime)
			}
		case <-resized:
			c.resize()
		case <-c.done:
			return
		}
	}
}

// take takes typed bytes, first those from before the question that comes next,
// and reports whether more are wanted.
func (c *Console) take(keys *Keys, p []byte) bool {
	for len(p) > 0 {
		c.mu.Lock()
		n := len(p)
		if len(c.next) > 0 {
			n = int(min(int64(n), max(c.next[0].after-c.fed, 1)))
		}
		c.mu.Unlock()
		if !c.press(keys.Feed(p[:n])) {
			return false
		}
		c.mu.Lock()
		c.fed += int64(n)
		c.mu.Unlock()
		c.taken(keys)
		p = p[n:]
	}
	return true
}

// pause says that nothing more has come for a while, and reports whether more is
// wanted.
func (c *Console) pause(keys *Keys) bool {
	c.mu.Lock()
	more := c.keys.typed() > c.fed
	c.mu.Unlock()
	if more { // it has, and only waits to be taken
		return true
	}
	if !c.press(keys.Flush()) {
		return false
	}
	c.taken(keys)
	return true
}

// taken turns to what is asked next, unless a key or a paste has begun that what
// comes may change: it was typed before, too.
func (c *Console) taken(keys *Keys) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pasting, c.open = keys.pasting, keys.Open()
	_ = c.settle() // the next write of the program reports it
}

func (c *Console) press(keys []Key) bool {
	for _, k := range keys {
		if !c.handle(k) {
			return false
		}
	}
	return true
}
