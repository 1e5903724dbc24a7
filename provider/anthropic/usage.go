package anthropic

import "github.com/weir-agents/weir/provider"

// usage gathers counts, number by number: the last one counts, but 0 does not
// replace another.
type usage struct {
	told                                   bool
	input, output, read, written, thinking int
}

func (u *usage) add(o object) {
	u.set(&u.input, o, "input_tokens")
	u.set(&u.output, o, "output_tokens")
	u.set(&u.read, o, "cache_read_input_tokens")
	u.set(&u.written, o, "cache_creation_input_tokens")
	u.set(&u.thinking, o.object("output_tokens_details"), "thinking_tokens")
}

func (u *usage) set(to *int, o object, name string) {
	n, ok := o.number(name)
	if !ok {
		return
	}
	u.told = true
	if n > 0 {
		*to = n
	}
}

// total returns nil if no number came. Here the vendor counts cached tokens
// apart from the input, and weir does not.
func (u *usage) total() *provider.Usage {
	if !u.told {
		return nil
	}
	return &provider.Usage{
		Input:      u.input + u.read + u.written,
		Output:     u.output,
		CacheRead:  u.read,
		CacheWrite: u.written,
		Reasoning:  u.thinking,
	}
}
