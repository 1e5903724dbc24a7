package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// events is what every reader gets.
type events = iter.Seq2[pipeline.Event, error]

// onTerminal is a reader that shows the answer as it comes.
func onTerminal(w io.Writer, turn events) error {
	for event, err := range turn {
		if err != nil {
			return err
		}
		if e, ok := event.(pipeline.TextDelta); ok {
			if _, err := io.WriteString(w, e.Text); err != nil {
				return err // leaving the loop cancels the turn
			}
		}
	}
	return nil
}

// inMemory is a reader that keeps the answer.
func inMemory(turn events) (string, error) {
	var all strings.Builder
	err := onTerminal(&all, turn)
	return all.String(), err
}

// socket is what a WebSocket connection looks like: a write blocks while the
// other side does not read, and that is all the flow control there is to do.
type socket interface{ WriteMessage(text []byte) error }

// overSocket is a reader that sends each event as one JSON object.
func overSocket(conn socket, turn events) error {
	for event, err := range turn {
		if err != nil {
			return err
		}
		text, err := pipeline.AppendEvent(nil, event)
		if err != nil {
			return err
		}
		if err := conn.WriteMessage(text); err != nil {
			return err
		}
	}
	return nil
}

// browser is the far end of a socket: it lists the kinds of event it got.
type browser struct{ got []string }

func (b *browser) WriteMessage(text []byte) error {
	var line struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	b.got = append(b.got, line.Type)
	return nil
}

// The reader is whatever ranges over a turn. Another one changes nothing else:
// the same session is shown on a terminal, kept in memory, and sent away.
func Example_swapTheReader() {
	answer, err := script.Parse([]byte(`{"loop": true, "steps": ["Panta rhei."]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pipeline.New(script.New(answer), pipeline.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	session, err := p.Open("")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()

	if err := onTerminal(os.Stdout, session.Run(ctx, "Say it.")); err != nil {
		fmt.Println(err)
	}
	fmt.Println()

	kept, err := inMemory(session.Run(ctx, "And again."))
	fmt.Println(len(kept), "bytes kept,", err)

	var far browser
	err = overSocket(&far, session.Run(ctx, "Once more."))
	fmt.Println(strings.Join(far.got, " "), err)
	// Output:
	// Panta rhei.
	// 11 bytes kept, <nil>
	// turn_started step_started text_delta message_completed turn_ended <nil>
}
