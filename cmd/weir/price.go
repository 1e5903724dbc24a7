package main

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// price is what a million tokens cost, in USD.
type price struct{ in, out, cacheRead, cacheWrite float64 }

//go:embed prices.toml
var priceLists string

// knownPrices are the prices of the vendors' lists, by the names of models.
var knownPrices = sync.OnceValue(func() map[string]price {
	var file struct {
		List []struct {
			URL, Seen string
			Models    map[string][4]float64
		}
	}
	if err := toml.Unmarshal([]byte(priceLists), &file); err != nil {
		panic("weir: the lists of prices cannot be read: " + err.Error())
	}
	all := map[string]price{}
	for _, l := range file.List {
		for name, p := range l.Models {
			all[name] = price{p[0], p[1], p[2], p[3]}
		}
	}
	return all
})

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
		if err != nil || !two || !(p.in >= 0 && p.out >= 0) || math.IsInf(p.in+p.out, 0) { // nor not a number
			return p, false, usagef("--price is %q, must be two numbers such as 3,15: USD for a million tokens in and out", own)
		}
		p.cacheRead, p.cacheWrite = p.in, p.in
		return p, true, nil
	}
	best := ""
	for name := range knownPrices() {
		if dated(model, name) && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		return highPrice, false, nil
	}
	return knownPrices()[best], true, nil
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
