package tools

import "errors"

// errWithheld is what a tool says of a place that a deny rule keeps from it,
// when the policy could not see from the arguments that the call leads there.
var errWithheld = errors.New("a deny rule covers what this leads to")

// withheld reports whether a rule keeps what lies at an absolute path from a
// tool.
func (b *builtin) withheld(tool, path string) bool {
	return b.cfg.Denied != nil && b.cfg.Denied(tool, path)
}

// withholds is withheld for the names of a tree; nil if no rule can matter.
func (b *builtin) withholds(tool string) func(path string) bool {
	if b.cfg.Denied == nil {
		return nil
	}
	return func(path string) bool { return b.cfg.Denied(tool, path) }
}
