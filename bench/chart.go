package bench

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The size of a chart in the page, and of the room around its lines.
const (
	chartWidth, chartHeight        = 460.0, 250.0
	roomLeft, roomRight            = 52.0, 26.0
	roomTop, roomBottom            = 10.0, 34.0
	ticksMost                      = 6
	left, right, top, bottom       = roomLeft, chartWidth - roomRight, roomTop, chartHeight - roomBottom
	barsLeft, barHeight, barRoom   = 90.0, 18.0, 26.0
	stallsBarWidth, stallsTextRoom = chartWidth - barsLeft - stallsTextWidth, 6.0
	stallsTextWidth, barsTop       = 80.0, 8.0
)

// chart is a diagram of lines as the page draws it.
type chart struct {
	Title   string
	Width   float64
	Height  float64
	Box     [4]float64 // x, y, width and height of the plane
	Right   float64    // its right edge
	Lines   []line
	X, Y    []tick
	XUnit   string
	Summary string // for those who cannot see it
}

type line struct {
	Name   string
	Color  string
	Points string // as SVG writes them
}

type tick struct {
	At   float64
	Text string
}

// curve is a line before it has a place.
type curve struct {
	name, color string
	points      [][2]float64
}

// scale maps values to places.
type scale struct {
	from, to   float64 // values
	start, end float64 // places
	log        bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		return s.start + (math.Log10(max(v, s.from))-math.Log10(s.from))/(math.Log10(s.to)-math.Log10(s.from))*(s.end-s.start)
	}
	return s.start + (v-s.from)/(s.to-s.from)*(s.end-s.start)
}

// ticks are round values on the scale: on a logarithmic one powers of ten, and
// between them 2 and 5 where there is room.
func (s scale) ticks(text func(float64) string) []tick {
	var out []tick
	if s.log {
		by := []float64{1}
		if s.to/s.from <= 1000 {
			by = []float64{1, 2, 5}
		}
		for decade := math.Pow(10, math.Floor(math.Log10(s.from)+1e-9)); decade <= s.to; decade *= 10 {
			for _, b := range by {
				if v := decade * b; v >= s.from*(1-1e-9) && v <= s.to*(1+1e-9) {
					out = append(out, tick{s.at(v), text(v)})
				}
			}
		}
		return out
	}
	step := math.Pow(10, math.Floor(math.Log10((s.to-s.from)/ticksMost)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (s.to-s.from)/(step*by) <= ticksMost {
			step *= by
			break
		}
	}
	for i := math.Ceil(s.from / step); i*step <= s.to*(1+1e-9); i++ {
		out = append(out, tick{s.at(i * step), text(i * step)})
	}
	return out
}

// draw puts curves into a chart. A logarithmic x starts at the least value that
// is above 0; its y are shares, up to all.
func draw(title string, curves []curve, log bool, x, y func(float64) string) chart {
	c := chart{Title: title, Width: chartWidth, Height: chartHeight, Right: right, Box: [4]float64{left, top, right - left, bottom - top}}
	across, up := bounds(curves, log)
	if log {
		up.to = 1 // of how many is left out must be seen
		log = across.to > 2*across.from
	}
	across.log, across.start, across.end = log, left, right
	up.start, up.end = bottom, top
	var told []string
	for _, curve := range curves {
		var b strings.Builder
		for _, p := range curve.points {
			fmt.Fprintf(&b, "%.1f,%.1f ", across.at(p[0]), up.at(p[1]))
		}
		c.Lines = append(c.Lines, line{curve.name, curve.color, strings.TrimSpace(b.String())})
		told = append(told, curve.name)
	}
	c.X, c.Y = across.ticks(x), up.ticks(y)
	c.Summary = title + ": " + strings.Join(told, ", ")
	return c
}

// bounds are the values that hold all points; y starts at 0.
func bounds(curves []curve, log bool) (x, y scale) {
	x.from, x.to = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, p := range c.points {
			if !log || p[0] > 0 {
				x.from = min(x.from, p[0])
			}
			x.to = max(x.to, p[0])
			y.to = max(y.to, p[1])
		}
	}
	switch {
	case math.IsInf(x.from, 1):
		x.from, x.to = 1, 10
	case log:
		x.from, x.to = round(x.from, false), round(x.to, true)
	}
	if x.to <= x.from {
		x.to = x.from + max(1, x.from)
		if log {
			x.to = 10 * x.from
		}
	}
	if y.to <= 0 {
		y.to = 1
	}
	return x, y
}

// round returns the next of 1, 2 and 5 with zeros that is not below v, or not
// above it.
func round(v float64, up bool) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	steps := []float64{1, 2, 5, 10}
	for i, s := range steps {
		if at := s * decade; up && at >= v*(1-1e-9) {
			return at
		} else if !up && i+1 < len(steps) && steps[i+1]*decade > v*(1+1e-9) {
			return at
		}
	}
	return 10 * decade
}

// microText writes µs with the unit that fits.
func microText(v float64) string {
	return time.Duration(v * float64(time.Microsecond)).String()
}

func percentText(v float64) string { return fmt.Sprintf("%g %%", math.Round(1000*v)/10) }

// plainText writes v without an exponent.
func plainText(v float64) string {
	if math.Abs(v) >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

func secondText(v float64) string { return fmt.Sprintf("%.3g s", v) }
