package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"github.com/weir-agents/weir/provider"
)

// Stream sends one request and yields its answer, as provider.Provider's
// Stream has to. send makes the vendor's SDK send the request under its
// context; the SDK's HTTP client is c.
func (c *Client) Stream(ctx context.Context, send func(context.Context) error, fold func() Fold) iter.Seq2[provider.Delta, error] {
	return func(yield func(provider.Delta, error) bool) {
		ex := &exchange{}
		err := send(context.WithValue(ctx, exchangeKey{}, ex))
		switch {
		case ctx.Err() != nil:
			if ex.body != nil {
				_ = ex.body.Close()
			}
			yield(provider.Delta{}, ctx.Err())
			return
		case ex.err != nil:
			yield(provider.Delta{}, ex.err)
			return
		case err != nil || ex.body == nil:
			yield(provider.Delta{}, c.unsent(ex, err))
			return
		}
		s := &stream{
			ctx: ctx, client: c, body: ex.body, fold: fold(), yield: yield,
			frames: provider.NewFrameReader(ex.body, c.opts.LineBytes),
		}
		s.run()
	}
}

// unsent is the error of a request that the SDK did not send: not a failure of
// the network, so sending it again does not help.
func (c *Client) unsent(ex *exchange, err error) error {
	if ex.body != nil {
		_ = ex.body.Close()
	}
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return e
	}
	if err == nil {
		err = errors.New("the SDK sent nothing")
	}
	return &provider.Error{
		Kind: provider.HTTPError, Message: "the request cannot be sent: " + c.secrets().redact(err.Error(), false),
		Err: c.hidden(err, false),
	}
}

// stream drives the reading of one answer.
type stream struct {
	ctx    context.Context
	client *Client
	body   *body
	frames *provider.FrameReader
	fold   Fold
	out    Out
	yield  func(provider.Delta, error) bool
	some   bool // a frame has come
	kept   bool // the connection is given back
}

func (s *stream) run() {
	defer func() { // also if the consumer leaves the loop, or panics in it
		if !s.kept {
			_ = s.body.Close()
		}
	}()
	first, err := s.frames.Sniff()
	switch {
	case err != nil:
		s.cut(err)
	case first == '{':
		s.whole()
	case first == '<':
		page := make([]byte, 4<<10)
		n, _ := s.frames.Body().Read(page)
		words, _ := Words(page[:n])
		s.fail(&provider.Error{
			Kind:    provider.NotAStream,
			Message: "the answer is a web page, not an event stream: " + words,
		})
	default:
		s.events()
	}
}

// events reads frames until the stream ends, and passes on what is decoded
// before every read: a consumer never waits for what is already here.
func (s *stream) events() {
	for {
		if !s.frames.Ready() && !s.pass(true) {
			return
		}
		frame, err := s.frames.Next()
		if err != nil {
			s.cut(err)
			return
		}
		s.some = true
		done, err := s.take(frame)
		switch {
		case err != nil:
			s.fail(err)
			return
		case done:
			s.end(false)
			return
		case !s.pass(false):
			return
		}
	}
}

// take folds one frame.
func (s *stream) take(f provider.Frame) (done bool, err error) {
	switch {
	case string(f.Event) == "error":
		return false, FaultOf(f.Data).Error()
	case f.Done():
		return true, nil
	}
	done, err = s.fold.Frame(f, &s.out)
	if err == nil {
		err = s.out.over(s.client.opts.MessageBytes)
	}
	if s.fold.Finished() {
		s.body.settle()
	}
	return done, err
}

// whole reads an answer that is one JSON object.
func (s *stream) whole() {
	limited := &io.LimitedReader{R: s.frames.Body(), N: int64(s.client.opts.MessageBytes) + 1}
	var object json.RawMessage
	err := json.NewDecoder(limited).Decode(&object)
	switch {
	case limited.N <= 0:
		s.fail(tooLarge(s.client.opts.MessageBytes))
	case err != nil:
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			s.fail(BadJSON([]byte(err.Error())))
			return
		}
		s.some = true
		s.cut(err)
	default:
		if !utf8.Valid(object) { // each byte that is not UTF-8 becomes U+FFFD
			object = []byte(string([]rune(string(object))))
		}
		if err := s.fold.Whole(object, &s.out); err != nil {
			s.fail(err)
			return
		}
		s.end(false)
	}
}

// cut ends a stream whose body ended or broke: with a finish reason it is
// complete all the same.
func (s *stream) cut(err error) {
	if s.ctx.Err() != nil {
		s.fail(s.ctx.Err())
		return
	}
	if s.fold.Finished() {
		s.end(true)
		return
	}
	s.fail(s.client.broken(s.body, err, s.some || s.frames.Cut()))
}

// end gives out the rest of a complete answer.
func (s *stream) end(broken bool) {
	if s.kept = !broken; s.kept {
		s.body.release()
	}
	s.fold.Flush(&s.out)
	err := s.fold.End(&s.out)
	if err == nil {
		err = s.out.over(s.client.opts.MessageBytes)
	}
	if err != nil {
		s.yieldError(err)
		return
	}
	s.pass(true)
}

// fail ends a stream that is no answer.
func (s *stream) fail(err error) {
	_ = s.body.Close()
	s.fold.Flush(&s.out)
	s.yieldError(err)
}

func (s *stream) yieldError(err error) {
	if !s.pass(true) {
		return
	}
	if e, ok := errors.AsType[*provider.Error](err); ok {
		e.Usage = s.fold.Usage()
		if s.out.aside != "" && (e.Kind == provider.EmptyResponse || e.Kind == provider.TruncatedStream) {
			e.Message += "; the server says: " + s.out.aside
		}
		if e.RetryAfter == 0 {
			e.RetryAfter = RetryAfter(s.body.resp.Header, time.Now())
		}
		err = s.client.located(e, s.body.resp)
	}
	s.yield(provider.Delta{}, err)
}

// pass yields what is decoded: all of it if the next thing is a read, or else
// what is surely not the last before one. It returns false if the consumer
// left the loop.
func (s *stream) pass(all bool) bool {
	if all {
		s.out.seal()
	}
	n := len(s.out.sealed)
	if n == 0 {
		return true
	}
	keep := 0
	if !all && s.out.open.Kind != provider.ToolCallDelta && len(s.out.Text) == 0 {
		keep = 1 // it may be the last before a read
	}
	before := time.Time{}
	if !s.body.until.IsZero() {
		before = time.Now()
	}
	for i := range n - keep {
		d := s.out.sealed[i]
		d.More = !all || i < n-1
		if !s.yield(d, nil) {
			return false
		}
	}
	if !before.IsZero() { // the consumer's time is not the server's
		s.body.until = s.body.until.Add(time.Since(before))
	}
	kept := copy(s.out.sealed, s.out.sealed[n-keep:])
	clear(s.out.sealed[kept:])
	s.out.sealed = s.out.sealed[:kept]
	return true
}
