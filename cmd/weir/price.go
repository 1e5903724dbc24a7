package main

import (
	"strconv"
	"strings"
)

// price is what a million tokens cost, in USD.
type price struct{ in, out, cacheRead, cacheWrite float64 }

// knownPrices are list prices of models by the start of their names; the
// longest that fits counts.
var knownPrices = map[string]price{
	"gpt-4.1":           {2, 8, 0.5, 2},
	"gpt-4.1-mini":      {0.4, 1.6, 0.1, 0.4},
	"gpt-5":             {1.25, 10, 0.125, 1.25},
	"gpt-5-mini":        {0.25, 2, 0.025, 0.25},
	"gpt-5-nano":        {0.05, 0.4, 0.005, 0.05},
	"claude-opus-4-5":   {5, 25, 0.5, 6.25},
	"claude-sonnet-4-5": {3, 15, 0.3, 3.75},
	"claude-haiku-4-5":  {1, 5, 0.1, 1.25},
}

// highPrice is counted for a model whose price is not known, so that --max-cost
// stops too early rather than too late.
var highPrice = price{15, 75, 15, 18.75}

// priceOf returns the price of a model and whether it is known. own is what
// --price says, "" if it was not given.
func priceOf(model, own string) (p price, known bool, err error) {
	if own != "" {
		in, out, two := strings.Cut(own, ",")
		p.in, err = strconv.ParseFloat(strings.TrimSpace(in), 64)
		if err == nil && two {
			p.out, err = strconv.ParseFloat(strings.TrimSpace(out), 64)
		}
		if err != nil || !two || p.in < 0 || p.out < 0 {
			return p, false, usagef("--price is %q, must be two numbers such as 3,15: USD for a million tokens in and out", own)
		}
		p.cacheRead, p.cacheWrite = p.in, p.in
		return p, true, nil
	}
	best := ""
	for name := range knownPrices {
		if dated(model, name) && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return highPrice, false, nil
	}
	return knownPrices[best], true, nil
}

// dated reports whether model is name, or name with a date or "latest" behind it:
// gpt-5-2025-08-07 is gpt-5, gpt-5.1 and gpt-5-pro are not.
func dated(model, name string) bool {
	rest, ok := strings.CutPrefix(model, name)
	if !ok || rest == "" || rest == "-latest" {
		return ok
	}
	return len(rest) > 2 && rest[0] == '-' && rest[1] == '2' && rest[2] == '0'
}
