package wire

import "github.com/weir-agents/weir/provider"

// Fold turns the frames of one response of a dialect into deltas.
type Fold interface {
	// Frame takes one frame that is neither `[DONE]` nor named error. It
	// returns true if the frame ends the stream, so that nothing after it is
	// read. An error is a *provider.Error, or one made by [BadJSON].
	Frame(f provider.Frame, out *Out) (done bool, err error)
	// Whole takes the JSON object of a response that was not streamed.
	Whole(object []byte, out *Out) error
	// Finished reports whether a finish reason has come: the answer is then
	// complete, whatever becomes of the connection.
	Finished() bool
	// Flush gives out text that was held back. It comes once, before End or
	// before the stream's error.
	Flush(out *Out)
	// End gives out the definitive blocks and the finish, or says why the
	// answer is none. It is called if Finished, or if a frame ended the stream.
	End(out *Out) error
	// Usage returns what the response has told so far, nil for nothing.
	Usage() *provider.Usage
}

// BadJSON is the error of a frame, or of a whole response, that is no JSON
// object. Its message is not yet fit to be shown.
func BadJSON(data []byte) error {
	return &provider.Error{
		Kind:      provider.BadJSON,
		Message:   "an event of the answer is no JSON object: " + string(data[:min(len(data), 8*badBytes)]),
		Retryable: true,
	}
}
