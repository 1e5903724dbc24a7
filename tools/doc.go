// Package tools says what a tool is, which tools there are, and what a model
// may do with them.
//
// A tool author needs [New], which makes a [Tool] of a Go function whose
// argument struct is also the JSON Schema the model sees. A [Registry] holds
// the tools of a session and checks a call before it runs. A [Policy] decides
// whether a call may run, must ask, or may not. A [Scope] is what the tools of
// one session share and what ends with it. [Builtin] returns weir's own tools,
// which act in a [Workspace].
//
// This package is a leaf: it imports nothing else of weir.
package tools
