package provider

import "encoding/json"

// DeltaKind tells the kinds of [Delta] apart.
type DeltaKind uint8

// The kinds of delta. A stream is any number of the first four and then one
// FinishDelta, which is its last.
const (
	// TextDelta adds Text to the text block number Block.
	TextDelta DeltaKind = iota + 1
	// ThinkingDelta adds Text to the thinking block number Block.
	ThinkingDelta
	// ToolCallDelta shows that the arguments of call number Block grow by the
	// raw piece Text. It is for display and for counting; what may be acted on
	// comes as a BlockDelta.
	ToolCallDelta
	// BlockDelta carries, in Done, the whole of block number Block: a ToolCall,
	// an Opaque, or a Thinking. Of a Thinking only Signature and Redacted
	// count: its text came as ThinkingDeltas. Every call of a stream has one,
	// before the FinishDelta; where a later one for the same block comes it
	// replaces the earlier (an eager reader may act on the earlier).
	BlockDelta
	// FinishDelta ends the stream with Stop and Usage.
	FinishDelta
)

// Delta is one decoded increment of a stream. Frozen once yielded. A session
// fails a step whose provider breaks what is said here, as provider_error.
type Delta struct {
	Kind DeltaKind
	// More says that another delta is decoded already and will be yielded
	// without a read from the network, so a consumer may gather. It is false
	// on the last delta before a read: a consumer that gathered passes on now.
	// A provider that cannot tell leaves it false.
	More bool
	// Block is the index of the block in the finished message, from 0.
	// Indexes are given in the order in which blocks start, without holes.
	Block int
	// Text is never empty in a TextDelta or ThinkingDelta (a session drops one
	// that is) and never splits a UTF-8 character.
	Text string
	// ID and Name of the call, as far as they are known, in a ToolCallDelta.
	ID, Name string
	// Done is set in a BlockDelta.
	Done Block
	// Stop and Usage are set in a FinishDelta; Usage is nil if the stream told none.
	Stop  StopReason
	Usage *Usage
}

// StopReason is why the model stopped; the values are those of the event contract.
type StopReason string

// MarshalJSON writes a reason that is none as null: the contract knows no empty one.
func (s StopReason) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(s))
}

// The stop reasons. Tools may be run only after StopToolCalls.
const (
	StopEnd           StopReason = "stop"
	StopToolCalls     StopReason = "tool_calls"
	StopLength        StopReason = "length"
	StopContentFilter StopReason = "content_filter"
	StopRefusal       StopReason = "refusal"
	StopPause         StopReason = "pause"
)

// Usage counts the tokens of one request. Input counts all prompt tokens,
// cached ones too.
type Usage struct {
	Input      int  `json:"input"`
	Output     int  `json:"output"`
	CacheRead  int  `json:"cache_read,omitempty"`
	CacheWrite int  `json:"cache_write,omitempty"`
	Reasoning  int  `json:"reasoning,omitempty"`
	Estimated  bool `json:"estimated,omitempty"`
}

// Add returns the sum of u and v; it is estimated if either is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Output:     u.Output + v.Output,
		CacheRead:  u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning:  u.Reasoning + v.Reasoning,
		Estimated:  u.Estimated || v.Estimated,
	}
}
