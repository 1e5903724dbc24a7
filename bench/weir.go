package bench

import (
	"context"
	"errors"

	"github.com/weir-agents/weir/pipeline"
)

// weir is the whole pipeline, read by Session.Run.
type weir struct {
	source Source
	door   *pipeline.Pipeline
}

func openWeir(src Source) (Client, error) {
	m, err := src.model()
	if err != nil {
		return nil, err
	}
	p, err := pipeline.New(m, pipeline.Config{Model: src.modelName()})
	if err != nil {
		return nil, err
	}
	return &weir{src, p}, nil
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
	w.source.close()
}

type weirSession struct{ *pipeline.Session }

func (s weirSession) Read(ctx context.Context, question string, take func(string) bool) error {
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
