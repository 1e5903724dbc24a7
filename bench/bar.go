package bench

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// bar shows how far a run is: on a terminal in one line that is drawn over, else
// a line for each measurement.
type bar struct {
	to       io.Writer
	terminal bool
	begun    time.Time
	columns  func() int // nil: those that are usual
}

const (
	barWidth  = 24
	lineWidth = 79 // where the terminal does not say
)

// width is how long the line may be: one that is broken is not drawn over.
func (b *bar) width() int {
	if b.columns == nil {
		return lineWidth
	}
	return max(1, b.columns()-1)
}

func newBar(h Host) *bar {
	return &bar{to: h.Err, terminal: h.ErrTerminal, begun: time.Now(), columns: h.ErrColumns}
}

func (b *bar) show(done, all int, what string) {
	if !b.terminal {
		fmt.Fprintf(b.to, "[%d/%d] %s\n", done+1, all, what)
		return
	}
	fmt.Fprintf(b.to, "\r\x1b[K%s", b.line(done, all, what, time.Since(b.begun)))
}

// line is what the bar shows; the time that is left is a guess from the time that
// has gone.
func (b *bar) line(done, all int, what string, gone time.Duration) string {
	full := barWidth * done / max(1, all)
	left := "  –  "
	if done > 0 {
		d := (gone / time.Duration(done) * time.Duration(all-done)).Round(time.Second)
		left = fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
	}
	line := []rune(fmt.Sprintf("%s%s %3d %% %s  %s",
		strings.Repeat("█", full), strings.Repeat("░", barWidth-full), 100*done/max(1, all), left, what))
	return string(line[:min(len(line), b.width())])
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.terminal {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}
