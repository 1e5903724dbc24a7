package main

import (
	"context"
	"sync"

	"github.com/weir-agents/weir/cmd/weir/internal/workspace"
)

// lookAtGit has the status of the repository read before the first step of the
// session that begins. Its later steps are told the same, so that what the
// provider keeps of a prompt goes on to fit.
func (h *house) lookAtGit() {
	status := sync.OnceValue(func() string {
		denied := func(path string) bool { return h.policy.Denied("list_dir", path) }
		// It is short, so it needs no end by a cancel.
		s, ok := workspace.ReadStatus(context.Background(), h.work.Roots()[0], denied, workspace.DefaultStatusLimits)
		if !ok {
			return ""
		}
		return "\n\n" + s.String()
	})
	h.status.Store(&status)
}
