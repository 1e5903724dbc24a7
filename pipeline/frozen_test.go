package pipeline_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// unread runs a story with a session whose events nobody reads, in virtual
// time, and closes it.
func unread(t *testing.T, answers string, limits pipeline.Limits, story func(t *testing.T, s *pipeline.Session)) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, script.New(parse(t, answers)), pipeline.Config{ActorSystem: pipeline.NewActorSystem(), Limits: limits})
		story(t, s)
		began := time.Now()
		s.Close()
		if d := time.Since(began); d > 0 {
			t.Errorf("Close took %v", d)
		}
		time.Sleep(time.Second) // virtual: protoactor's dead-letter throttle
	})
}

const again = `{"select":"sequence","loop":true,"steps":["done"]}`

// I7: when turn after turn goes unread, until no prompt is taken any more, a
// cancel ends what waits for the reader's credit, at once.
func TestACancelEndsATurnThatCannotBeginForUnreadOnes(t *testing.T) {
	for name, text := range map[string]string{"many turns": "x", "large prompts": strings.Repeat("x", 200<<10)} {
		t.Run(name, func(t *testing.T) {
			unread(t, again, pipeline.Limits{}, func(t *testing.T, s *pipeline.Session) {
				var err error
				for err == nil {
					_, err = s.Post(t.Context(), text)
					synctest.Wait()
				}
				if !errors.Is(err, pipeline.ErrBusy) {
					t.Fatal(err)
				}
				began := time.Now()
				if o := <-s.Cancel(pipeline.CancelNow); o != pipeline.Canceled || time.Since(began) > 0 {
					t.Errorf("the turn ended %q after %v", o, time.Since(began))
				}
			})
		})
	}
}

// The way to the end of a canceled turn takes none of the reader's patience,
// however often it is gone.
func TestUnreadTurnsAreCanceledWithoutTheReader(t *testing.T) {
	gated := `{"select":"sequence","loop":true,"steps":[{"blocks":[{"text":["a",{"gate":"never"}]}]}]}`
	unread(t, gated, pipeline.Limits{}, func(t *testing.T, s *pipeline.Session) {
		began := time.Now()
		turns := 0
		for ; ; turns++ {
			var err error
			for range 4 {
				if err == nil {
					_, err = s.Post(t.Context(), "go")
				}
			}
			<-s.Cancel(pipeline.CancelNow)
			if err != nil {
				if !errors.Is(err, pipeline.ErrBusy) {
					t.Fatal(err)
				}
				break
			}
		}
		if turns < 8 { // the limit is 64 turns, or 64 events of prompts
			t.Errorf("only %d turns went unread", turns)
		}
		if d := time.Since(began); d > 0 {
			t.Errorf("it took %v of waiting", d)
		}
	})
}
