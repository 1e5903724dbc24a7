package edit

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
)

// echoLines is how many lines of what was sent stay on the screen, and echoRunes
// how much of each.
const (
	echoLines = 12
	echoRunes = 2000
)

// echo is what stays on the screen of a line that was sent.
func (c *Console) echo(text string) string {
	if strings.TrimSpace(text) == "" && !c.editor.Single {
		return ""
	}
	indent := strings.Repeat(" ", Columns(c.prompt))
	var b strings.Builder
	b.WriteString(c.prompt)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 {
			b.WriteString(indent)
		}
		if i == echoLines && len(lines) > echoLines+1 {
			b.WriteString("…\n")
			break
		}
		b.WriteString(render.Line(line, echoRunes) + "\n")
	}
	return b.String()
}

// keep puts what was sent into the history. If that cannot be written it
// returns a line that says so, the first time.
func (c *Console) keep(text string) string {
	if c.editor.Single {
		return ""
	}
	err := c.cfg.History.Add(text)
	if err == nil || c.unsaved {
		return ""
	}
	c.unsaved = true
	return "◇ the history is not saved: " + render.Line(err.Error(), 0) + "\n"
}

// suspendTime is how long the stop of the process may take to come about. Where
// no shell is there to continue it, it does not come.
const suspendTime = 200 * time.Millisecond

// suspend stops the process as Ctrl-Z does elsewhere, and goes on when it is
// continued. The caller holds the lock.
func (c *Console) suspend() {
	_ = c.flush(append(c.erase(), pasteOff...))
	_ = c.raw.restore() // it was raw a moment ago
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(os.Getpid(), syscall.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-time.After(suspendTime):
		}
	}
	_ = c.raw.again() // if it fails, keys need an Enter
	_ = c.flush([]byte(pasteOn))
}
