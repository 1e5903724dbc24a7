package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/tools"
)

// asksAll asks about every call.
type asksAll struct{ bypass }

func (asksAll) Decide(tools.Call, tools.Spec) tools.Verdict {
	return tools.Verdict{Decision: tools.Ask, By: "mode", Reason: "it is asked"}
}

// All calls of a message ask at once, and take their answers in any order; what
// runs runs in the order of the calls.
func TestAllCallsOfAMessageAskAtOnceAndTakeAnswersInAnyOrder(t *testing.T) {
	step := `{"blocks":[{"call":"quick","id":"a"},{"call":"quick","id":"b"},{"call":"quick","id":"c"},{"call":"quick","id":"d"}]}`
	for _, order := range []string{"a b c d", "d c b a", "c a d b", "b d a c"} {
		model := script.New(parse(t, `{"steps":[`+step+`,"done"]}`))
		quick := waits{"quick", tools.Exec, func(tools.Call) <-chan struct{} { return now() }}
		s := open(t, model, pipeline.Config{Tools: registry(t, quick), Policy: asksAll{}})
		answers := map[string]string{"a": "allow", "b": "deny", "c": "allow_always", "d": "allow"}
		var asked, got []string
		var events []pipeline.Event
		for e, err := range s.Run(t.Context(), "go") {
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
			switch e := e.(type) {
			case pipeline.ApprovalRequested:
				if asked = append(asked, e.Call); len(asked) < 4 {
					continue // nothing is answered before all have asked
				}
				for call := range strings.FieldsSeq(order) {
					s.Resolve(call, answers[call], "")
				}
			case pipeline.ApprovalResolved:
				got = append(got, strings.TrimSuffix(fmt.Sprintf("%s %s by %s: %s", e.Call, e.Decision, e.By, e.Note), ": "))
			case pipeline.ToolFinished:
				got = append(got, strings.TrimSpace(e.Call+" ended "+e.ErrorKind))
			}
		}
		checkRules(t, events)
		slices.Sort(got)
		want := []string{
			"a allow by user", "a ended", "b deny by user", "b ended denied",
			"c allow by user: allowed once: no rule can cover this", "c ended", "d allow by user", "d ended",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", order, d)
		}
	}
}
