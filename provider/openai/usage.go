package openai

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/weir-agents/weir/provider"
)

// usage gathers the counts of a stream: they are totals, of which the last
// counts, number by number, but a 0 does not replace another number.
type usage struct {
	told  bool
	total provider.Usage
}

// add takes a usage object, which is valid JSON.
func (u *usage) add(raw []byte) {
	if !u.scan(raw) { // a key with escapes, very deep members
		u.parse(asObject(raw))
	}
}

// at returns where the number of that name goes, nil for one of no use.
func (u *usage) at(name string) *int {
	switch name {
	case "prompt_tokens":
		return &u.total.Input
	case "completion_tokens":
		return &u.total.Output
	case "prompt_cache_hit_tokens":
		return &u.total.CacheRead
	}
	return nil
}

// within returns the same for a number in one of the details.
func (u *usage) within(name string) *int {
	switch name {
	case "cached_tokens":
		return &u.total.CacheRead
	case "cache_write_tokens":
		return &u.total.CacheWrite
	case "reasoning_tokens":
		return &u.total.Reasoning
	}
	return nil
}

func isDetails(name string) bool {
	return name == "prompt_tokens_details" || name == "completion_tokens_details"
}

// scan takes a usage object without allocating. It returns false if it did not
// get to its end.
func (u *usage) scan(raw []byte) bool {
	s := scanner{b: raw}
	return s.object(nil, func(s *scanner, _ *chunk, key []byte) bool {
		if !isDetails(string(key)) {
			return u.next(s, u.at(string(key)))
		}
		s.space()
		if s.i >= len(s.b) || s.b[s.i] != '{' {
			return s.skip()
		}
		return s.object(nil, func(s *scanner, _ *chunk, key []byte) bool {
			return u.next(s, u.within(string(key)))
		})
	})
}

// next takes the value that comes next in s.
func (u *usage) next(s *scanner, to *int) bool {
	s.space()
	start := s.i
	ok := s.skip()
	if ok && to != nil {
		u.count(string(s.b[start:s.i]), to)
	}
	return ok
}

// parse takes any usage object.
func (u *usage) parse(o object) {
	for _, name := range slices.Sorted(maps.Keys(o)) { // of two places for a number always the same counts
		raw := o[name]
		if to := u.at(name); to != nil {
			u.count(string(raw), to)
		}
		if !isDetails(name) {
			continue
		}
		for name, raw := range asObject(raw) {
			if to := u.within(name); to != nil {
				u.count(string(raw), to)
			}
		}
	}
}

// count takes a number into to; what is no number, or no count, is passed over.
func (u *usage) count(text string, to *int) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= math.MaxInt32) {
		return
	}
	u.told = u.told || to == &u.total.Input || to == &u.total.Output
	if n > 0 {
		*to = int(n)
	}
}

// get returns the usage, nil if none was told.
func (u *usage) get() *provider.Usage {
	if !u.told {
		return nil
	}
	total := u.total
	return &total
}
