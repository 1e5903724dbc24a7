package openai

import (
	"math"
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
	s := scanner{b: raw}
	s.object(nil, func(s *scanner, _ *chunk, key []byte) bool {
		switch string(key) {
		case "prompt_tokens":
			return u.count(s, &u.total.Input, true)
		case "completion_tokens":
			return u.count(s, &u.total.Output, true)
		case "prompt_cache_hit_tokens":
			return u.count(s, &u.total.CacheRead, false)
		case "prompt_tokens_details", "completion_tokens_details":
			return u.details(s)
		}
		return s.skip()
	})
}

func (u *usage) details(s *scanner) bool {
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != '{' {
		return s.skip()
	}
	return s.object(nil, func(s *scanner, _ *chunk, key []byte) bool {
		switch string(key) {
		case "cached_tokens":
			return u.count(s, &u.total.CacheRead, false)
		case "cache_write_tokens":
			return u.count(s, &u.total.CacheWrite, false)
		case "reasoning_tokens":
			return u.count(s, &u.total.Reasoning, false)
		}
		return s.skip()
	})
}

// count takes a number into to; what is no number, or no count, is passed over.
func (u *usage) count(s *scanner, to *int, tells bool) bool {
	s.space()
	start := s.i
	if !s.skip() {
		return false
	}
	n, err := strconv.ParseFloat(string(s.b[start:s.i]), 64)
	if err != nil || !(n >= 0 && n <= math.MaxInt32) {
		return true
	}
	u.told = u.told || tells
	if n > 0 {
		*to = int(n)
	}
	return true
}

// get returns the usage, nil if none was told.
func (u *usage) get() *provider.Usage {
	if !u.told {
		return nil
	}
	total := u.total
	return &total
}
