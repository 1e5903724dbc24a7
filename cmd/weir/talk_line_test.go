package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/weir-agents/weir/cmd/weir/internal/render"
)

// TestALineSentBeforeAQuestionDoesNotAnswerIt hands a talk lines that were typed
// at the prompt and arrive when a question is open.
func TestALineSentBeforeAQuestionDoesNotAnswerIt(t *testing.T) {
	var out bytes.Buffer
	said := func(k *talk, text string) string {
		out.Reset()
		k.desk = &plainDesk{Writer: &out}
		k.sink = &screenSink{w: &out, screen: render.Screen{}}
		if err := k.line(line{text: text, prompt: true}, true); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	trust := &talk{trusting: true}
	if got := said(trust, "y"); got != trustPrompt || !trust.trusting {
		t.Errorf("the question for trust: %q, open %v", got, trust.trusting)
	}
	asks := &talk{asking: make([]openQuestion, 1)}
	if got := said(asks, "!"); !strings.Contains(got, "! runs what stands behind it") || len(asks.asking) != 1 {
		t.Errorf("the question for consent: %q, %d open", got, len(asks.asking))
	}
	plan := &talk{planning: true}
	if got := said(plan, "!"); !strings.Contains(got, "! runs what stands behind it") || plan.planning {
		t.Errorf("the question for a plan: %q, open %v", got, plan.planning)
	}
}
