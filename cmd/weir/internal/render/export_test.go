package render

import (
	"maps"

	"github.com/weir-agents/weir/pipeline"
)

// Stories are those behind all golden files, for the tests from outside.
func Stories() map[string][]pipeline.Event {
	all := maps.Clone(stories)
	maps.Copy(all, pages)
	return all
}
