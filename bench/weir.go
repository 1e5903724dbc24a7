package bench

import (
	"context"
	"errors"
	"net/http"

	"github.com/weir-agents/weir/pipeline"
	"github.com/weir-agents/weir/provider/openai"
)

// weir is the whole pipeline, read by Session.Run.
type weir struct {
	client *openai.Client
	door   *pipeline.Pipeline
}

func openWeir(url string, transport http.RoundTripper) (Client, error) {
	c, err := openai.New(openai.Config{BaseURL: url, Transport: transport})
	if err != nil {
		return nil, err
	}
	p, err := pipeline.New(c, pipeline.Config{Model: model})
	if err != nil {
		return nil, err
	}
	return &weir{c, p}, nil
}

func (w *weir) Session() (Session, error) {
	s, err := w.door.Open("")
	if err != nil {
		return nil, err
	}
	return weirSession{s}, nil
}

func (w *weir) Close() {
	w.door.Close()
	w.client.Close()
}

type weirSession struct{ *pipeline.Session }

func (s weirSession) Read(ctx context.Context, take func(string) bool) error {
	for event, err := range s.Run(ctx, question) {
		switch e := event.(type) {
		case pipeline.TextDelta:
			if !take(e.Text) {
				return nil
			}
		case pipeline.TurnEnded:
			if e.Error != nil {
				return errors.New(e.Error.Message)
			}
		case nil:
			return err
		}
	}
	return nil
}
