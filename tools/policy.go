package tools

// Decision is what a [Policy] says of a call.
type Decision uint8

// The decisions.
const (
	Deny Decision = iota // the zero Verdict lets nothing through
	Ask
	Allow
)

// Verdict is a decision with its reason.
type Verdict struct {
	Decision Decision
	// By says what decided: "rule" or "mode".
	By string
	// Reason is one sentence for the person or, on a denial, for the model.
	Reason string
	// Suggestion is the rule that "always" would add; empty if none fits.
	Suggestion string
}

// Policy decides about calls. Implementations are safe for several goroutines
// at once and may touch the file system, so they are not called in a Receive.
type Policy interface {
	Decide(call Call, spec Spec) Verdict
	// Remember adds a rule that a person chose with "always", for the rest of
	// the session. It returns an error if the rule cannot be read.
	Remember(rule string) error
}
