package bench

import (
	"fmt"
	"maps"
	"slices"
)

// stallLeast is the least stall that is shown, in milliseconds.
const stallLeast = 0.1

// bars show for how long each stage stalled.
type bars struct {
	Width, Height float64
	Bars          []stallBar
}

type stallBar struct {
	Stage, Text      string
	Y, Width, Height float64
	TextX, TextY     float64
}

// stallBars are those of weir's stages; the other subjects have none.
func stallBars(rows []Row) bars {
	out := bars{Width: chartWidth}
	for _, r := range rows {
		if r.Plot == nil || len(r.Plot.Stalls) == 0 {
			continue
		}
		most := slices.Max(slices.Collect(maps.Values(r.Plot.Stalls)))
		if most < stallLeast {
			continue // six bars of nothing
		}
		for _, stage := range stageNames() {
			v := r.Plot.Stalls[stage]
			b := stallBar{Stage: stage, Text: fmt.Sprintf("%.1f ms", v), Y: out.Height + barsTop, Height: barHeight}
			b.Width = v / most * stallsBarWidth
			b.TextX, b.TextY = barsLeft+b.Width+stallsTextRoom, b.Y+barHeight*0.72
			out.Bars = append(out.Bars, b)
			out.Height += barRoom
		}
		out.Height += barsTop
	}
	return out
}
