package pipeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/pipeline"
)

func TestANoticeOfTheEmbeddersStandsInTheEvents(t *testing.T) {
	line, err := pipeline.New(echo{pieces: 1}, pipeline.Config{PanicOnRefusal: true})
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	s, err := line.Open("")
	if err != nil {
		t.Fatal(err)
	}
	s.Tell(pipeline.Notice{Level: "info", Code: "sandbox", Text: "none", Got: "none"})
	last := uint64(0)
	told := []pipeline.Notice{}
	for e, err := range s.Run(t.Context(), "hi") {
		if err != nil {
			t.Fatal(err)
		}
		if h := e.Head(); h.Seq != last+1 || h.Session != s.ID() {
			t.Errorf("seq %d of session %q behind %d", h.Seq, h.Session, last)
		}
		last = e.Head().Seq
		if n, ok := e.(pipeline.Notice); ok {
			n.Envelope = pipeline.Envelope{Turn: n.Turn}
			told = append(told, n)
		}
	}
	if diff := cmp.Diff([]pipeline.Notice{{Level: "info", Code: "sandbox", Text: "none", Got: "none"}}, told); diff != "" {
		t.Error(diff)
	}
	for range 10_000 { // nobody reads them, and no mailbox of ours may be too small for them
		s.Tell(pipeline.Notice{Level: "info", Code: "sandbox", Text: "again"})
	}
	if outcome := <-s.Cancel(pipeline.CancelNow); outcome != "" {
		t.Errorf("a turn ended %q", outcome)
	}
}
