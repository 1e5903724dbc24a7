package actors

import (
	"sync"
	"time"
)

// theTool is who runs between the hooks of a call.
const theTool = "the tool"

// course is how far a call has come. Its goroutine tells it, and may be given up
// while it still does.
type course struct {
	mu    sync.Mutex
	who   string // whose code runs
	began time.Time
	took  time.Duration // by the tool itself
}

// enter says whose code runs from now on.
func (c *course) enter(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.who == theTool {
		c.took = time.Since(c.began)
	}
	c.who, c.began = who, time.Now()
}

// look returns whose code runs, and how long the tool has run.
func (c *course) look() (who string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.who == theTool {
		return c.who, time.Since(c.began)
	}
	return c.who, c.took
}
