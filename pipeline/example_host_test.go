package pipeline_test

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/weir-agents/weir/actors"
	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/script"
)

// ferry is an actor of a host program that drives a session. The events come to
// it as messages, never more than it has granted credit for, so its own mailbox
// is bounded by that.
type ferry struct {
	session *actor.PID
	root    *actor.RootContext
	self    *actor.PID
	prompts []string
	over    chan struct{}
}

// Take implements actors.Reader: it runs in the session's actor and only sends.
func (f *ferry) Take(b actors.Batch) { f.root.Send(f.self, b) }

func (f *ferry) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		f.root, f.self = c.ActorSystem().Root, c.Self()
		c.Send(f.session, actors.Attach{To: f})
		f.next(c)
	case actors.Batch:
		for _, e := range m.Events {
			f.event(c, e)
		}
		// The credit goes back when the events have been dealt with: a ferry that
		// is slow slows the model.
		c.Send(f.session, actors.Grant{From: actors.Reporter, Batches: len(m.Events)})
	}
}

func (f *ferry) event(c actor.Context, e actors.Event) {
	switch e := e.(type) {
	case actors.TextDelta:
		fmt.Println("text:", e.Text)
		if e.Text == "And one that never ends" {
			c.Send(f.session, actors.Cancel{Mode: actors.CancelNow})
		}
	case actors.TurnEnded:
		fmt.Println("turn:", e.Outcome)
		f.next(c)
	}
}

// next asks the next question, or says that all is over.
func (f *ferry) next(c actor.Context) {
	if len(f.prompts) == 0 {
		close(f.over)
		return
	}
	c.Send(f.session, actors.Prompt{Text: f.prompts[0]})
	f.prompts = f.prompts[1:]
}

// A program that has an ActorSystem already drives a session by its PID, with
// messages and credit in the place of the range loop.
func Example_hostActor() {
	system := pipeline.NewActorSystem() // the host's own, in a real program
	answers, err := script.Parse([]byte(`{"steps": [
		"A short answer",
		{"blocks": [{"text": ["And one that never ends", {"gate": "never"}]}]}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pipeline.New(script.New(answers), pipeline.Config{ActorSystem: system})
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
	host := &ferry{session: session.PID(), prompts: []string{"First?", "Second?"}, over: make(chan struct{})}
	pid := system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return host }))
	<-host.over
	if err := system.Root.StopFuture(pid).Wait(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// text: A short answer
	// turn: completed
	// text: And one that never ends
	// turn: canceled
}
