package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import "github.com/weir-agents/weir/provider"

// What a token is taken for where no vendor has counted. Text is what a
// tokenizer makes of English and code, on average; it is corrected by what the
// model reports (fullness.measure).
const (
	bytesToken     = 4    // bytes of text
	messageTokens  = 4    // what a dialect puts around a message
	imageTokens    = 1600 // vendors scale pictures down to about so much
	documentBytes  = 24   // bytes of a document such as a PDF that cost a token
	measuredTokens = 2000 // a smaller request tells too little about the rest
	scaleMin       = 0.5  // a server that reports less is taken to be wrong
	scaleMax       = 4.0  // and one that reports more to add a text of its own
)

// EstimateTokens returns about how many tokens req costs a model, by its bytes:
// good to a quarter for English and code, less for other scripts. The cost is
// one walk over the blocks; no text is read.
func EstimateTokens(req provider.Request) int {
	n := textTokens(len(req.System)) + toolTokens(req.Tools)
	for _, m := range req.Messages {
		n += MessageTokens(m)
	}
	return n
}

// MessageTokens returns the part of m in EstimateTokens.
func MessageTokens(m provider.Message) int {
	n := messageTokens
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Image:
			n += imageTokens
		case provider.File:
			n += imageTokens + len(b.Data)/documentBytes
		case provider.ToolResult:
			n += textTokens(len(b.Text)) + imageTokens*len(b.Images)
		case provider.ToolCall: // arguments stand in it twice, as text and parsed
			n += textTokens(provider.BlockBytes(b) - len(b.Arguments))
		default:
			n += textTokens(provider.BlockBytes(b))
		}
	}
	return n
}

func textTokens(bytes int) int { return (bytes + bytesToken - 1) / bytesToken }

func toolTokens(tools []provider.ToolSpec) int {
	n := 0
	for _, t := range tools {
		n += messageTokens + textTokens(len(t.Name)+len(t.Description)+len(t.Schema))
	}
	return n
}

// Fill is what fills the model's window: estimates in tokens, corrected by what
// the model last reported.
type Fill struct {
	// Window is how many tokens the model takes, 0 if that is not known.
	Window int `json:"window"`
	// System and Tools are in every request; the others are the history's, by
	// who said it. Results are those of tool calls.
	System    int `json:"system"`
	Tools     int `json:"tools"`
	User      int `json:"user"`
	Assistant int `json:"assistant"`
	Results   int `json:"results"`
	// Total is their sum.
	Total int `json:"total"`
	// Messages is the length of the history.
	Messages int `json:"messages"`
	// Reported is what the model told of its latest request, nil if it never did.
	Reported *provider.Usage `json:"reported,omitempty"`
}

// fullness keeps count of what fills the window.
type fullness struct {
	at              float64 // the part of window that is trigger; 0: the history is never made shorter
	window, trigger int     // tokens
	system, tools   int     // not corrected, like the next
	roles           map[provider.Role]int
	counted         int     // messages of the history that are in roles
	scale           float64 // a reported token is so many estimated ones; 0: none was reported
	reported        *provider.Usage
	asked           Ref // the step that was prepared last
	weight          int // of its request, not corrected
	rest            int // no compaction below: what the one before left or could not make less
}

func newFullness(c Compaction, base provider.Request) fullness {
	f := fullness{system: textTokens(len(base.System)), tools: toolTokens(base.Tools)}
	if c.Compact != nil {
		f.at = c.At
	}
	f.resize(c.Window)
	return f
}

// resize is told how much the model takes that is asked from now on.
func (f *fullness) resize(window int) {
	f.window, f.trigger, f.rest = window, int(f.at*float64(window)), 0
}

// count takes in what has been added to the history.
func (f *fullness) count(history []provider.Message) {
	if f.roles == nil {
		f.roles = map[provider.Role]int{}
	}
	for _, m := range history[f.counted:] {
		f.roles[m.Role] += MessageTokens(m)
	}
	f.counted = len(history)
}

// recount starts over: the history is another one.
func (f *fullness) recount(history []provider.Message) {
	f.roles, f.counted = nil, 0
	f.count(history)
}

// raw is the estimate of all that was counted, not corrected.
func (f *fullness) raw() int {
	n := f.system + f.tools
	for _, tokens := range f.roles {
		n += tokens
	}
	return n
}

// factor is what an estimate is multiplied by.
func (f *fullness) factor() float64 {
	if f.scale == 0 {
		return 1
	}
	return f.scale
}

// tokens corrects an estimate.
func (f *fullness) tokens(raw int) int { return int(float64(raw) * f.factor()) }

// measure learns from what the model reports about the request of a step.
func (f *fullness) measure(ref Ref, u *provider.Usage) {
	if u == nil {
		return
	}
	f.reported = u
	if u.Estimated || u.Input <= 0 || ref.Turn != f.asked.Turn || ref.Step != f.asked.Step || f.weight < measuredTokens {
		return
	}
	f.scale = min(max(float64(u.Input)/float64(f.weight), scaleMin), scaleMax)
}

// fill returns the breakdown.
func (f *fullness) fill() Fill {
	out := Fill{
		Window: f.window, System: f.tokens(f.system), Tools: f.tokens(f.tools),
		User: f.tokens(f.roles[provider.User]), Assistant: f.tokens(f.roles[provider.Assistant]),
		Results: f.tokens(f.roles[provider.Tool]), Messages: f.counted, Reported: f.reported,
	}
	out.Total = out.System + out.Tools + out.User + out.Assistant + out.Results
	return out
}
