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
}

// TestNoticesThatNobodyReadsAreDropped tells of more than a reader leaves unread,
// all at once and one after the other; neither a mailbox nor the memory of ours may
// be too small for them.
func TestNoticesThatNobodyReadsAreDropped(t *testing.T) {
	const many = 10_000
	limits := pipeline.Limits{Prompts: 4, HopBatches: 4, ReaderWindow: 4}
	again := pipeline.Notice{Level: "info", Code: "sandbox", Text: "again"}
	for name, tell := range map[string]func(*pipeline.Session){
		"a flood": func(s *pipeline.Session) {
			for range many {
				s.Tell(again)
			}
		},
		"one by one": func(s *pipeline.Session) {
			for range many / 20 {
				s.Tell(again)
				if _, err := s.History(t.Context()); err != nil { // what was told before is handled
					t.Error(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, echo{pieces: 1}, pipeline.Config{Limits: limits})
			tell(s)
			if outcome := <-s.Cancel(pipeline.CancelNow); outcome != "" {
				t.Errorf("a turn ended %q", outcome)
			}
			told := 0
			for e, err := range s.Events(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if n, ok := e.(pipeline.Notice); ok && n.Text == "last" {
					break
				}
				told++
				s.Tell(pipeline.Notice{Level: "info", Code: "sandbox", Text: "last"}) // there is room again at some time
			}
			if most := 4 * (limits.Prompts + limits.HopBatches + limits.ReaderWindow); told > most {
				t.Errorf("%d notices waited, more than %d", told, most)
			}
		})
	}
}
