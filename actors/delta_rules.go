package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
)

// deltaRules holds the deltas of one try against what [provider.Delta] promises,
// since anybody may write a provider. What breaks a promise fails the try, so
// that no machine behind the streamer meets it. An empty text is let by: it
// does no harm and is dropped.
type deltaRules struct {
	blocks int // that have started
}

// check returns the error of a delta that is none.
func (r *deltaRules) check(d *provider.Delta) error {
	why := r.broken(d)
	if why == "" {
		return nil
	}
	return &provider.Error{
		Kind:    provider.ProviderError,
		Message: "the provider broke the rules of a stream: " + why + "; this is a fault of its program, see provider.Delta",
	}
}

func (r *deltaRules) broken(d *provider.Delta) string {
	if d.Kind == provider.FinishDelta {
		return unknownStop(d.Stop)
	}
	if d.Block < 0 || d.Block > r.blocks {
		return fmt.Sprintf("block %d comes after %d blocks", d.Block, r.blocks)
	}
	if d.Block == r.blocks {
		r.blocks++
	}
	switch d.Kind {
	case provider.TextDelta, provider.ThinkingDelta:
		if !utf8.ValidString(d.Text) {
			return fmt.Sprintf("the text of block %d is not UTF-8, or was split inside a character", d.Block)
		}
	case provider.ToolCallDelta:
	case provider.BlockDelta:
		switch b := d.Done.(type) {
		case provider.ToolCall:
			return brokenCall(d.Block, b)
		case provider.Thinking:
		case provider.Opaque:
			if b.Raw != nil && !json.Valid(b.Raw) {
				return fmt.Sprintf("the opaque block %d is no JSON", d.Block)
			}
		default:
			return fmt.Sprintf("block %d is a %T", d.Block, d.Done)
		}
	default:
		return fmt.Sprintf("a delta of the unknown kind %d", d.Kind)
	}
	return ""
}

// brokenCall says what of a call could not be told in an event or sent back.
func brokenCall(block int, c provider.ToolCall) string {
	if c.Arguments != nil && (!json.Valid(c.Arguments) || bytes.TrimLeft(c.Arguments, " \t\r\n")[0] != '{') {
		return fmt.Sprintf("the arguments of block %d are no JSON object; where the model sent none they are nil", block)
	}
	for name, raw := range c.Extra {
		if raw != nil && !json.Valid(raw) {
			return fmt.Sprintf("the member %s of block %d is no JSON", name, block)
		}
	}
	return ""
}

func unknownStop(stop provider.StopReason) string {
	switch stop {
	case provider.StopEnd, provider.StopToolCalls, provider.StopLength, provider.StopContentFilter, provider.StopRefusal, provider.StopPause:
		return ""
	default:
		return fmt.Sprintf("the unknown stop reason %q", stop)
	}
}
