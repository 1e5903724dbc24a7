package script_test

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/script"
)

func TestFaultsAreTheErrorsAnAdapterReports(t *testing.T) {
	began := script.Text{Text: "a"}
	overloaded := script.Fault{Kind: script.Errored, Type: "overloaded_error", Message: "Overloaded"}
	for name, c := range map[string]struct {
		blocks []script.Block
		want   provider.Error
	}{
		"cut":         {[]script.Block{began, script.Fault{Kind: script.Cut}}, provider.Error{Kind: provider.TruncatedStream, Retryable: true}},
		"cut at once": {[]script.Block{script.Fault{Kind: script.Cut}}, provider.Error{Kind: provider.EmptyResponse, Retryable: true}},
		"reset": {
			[]script.Block{began, script.Fault{Kind: script.Reset}},
			provider.Error{Kind: provider.TruncatedStream, Retryable: true, Err: syscall.ECONNRESET},
		},
		"reset at once": {
			[]script.Block{script.Fault{Kind: script.Reset}},
			provider.Error{Kind: provider.Unreachable, Retryable: true, Err: syscall.ECONNRESET},
		},
		"error": {[]script.Block{began, overloaded}, provider.Error{Kind: provider.ProviderError, Message: "Overloaded", Retryable: true}},
		"error that lasts": {
			[]script.Block{script.Fault{Kind: script.Errored, Type: "invalid_request_error", Message: "no"}},
			provider.Error{Kind: provider.ProviderError, Message: "no"},
		},
		"error whose number counts": {
			[]script.Block{script.Fault{Kind: script.Errored, Type: "invalid_request_error", Code: "503", Message: "no"}},
			provider.Error{Kind: provider.ProviderError, Message: "no", Retryable: true},
		},
		"bad json": {[]script.Block{began, script.Fault{Kind: script.BadJSON, Body: "{"}}, provider.Error{Kind: provider.BadJSON, Retryable: true}},
		"html":     {[]script.Block{script.Fault{Kind: script.HTML}}, provider.Error{Kind: provider.NotAStream}},
		"status": {
			[]script.Block{script.Fault{Kind: script.HTTP, Status: 529}},
			provider.Error{Kind: provider.HTTPError, Message: "529: overloaded", Status: 529, Retryable: true},
		},
		"status that lasts": {
			[]script.Block{script.Fault{Kind: script.HTTP, Status: 400, Body: "plain words"}},
			provider.Error{Kind: provider.HTTPError, Message: "400 Bad Request: plain words", Status: 400},
		},
		"call without a name": {[]script.Block{script.Call{Arguments: "{}"}}, provider.Error{Kind: provider.BadToolCall, Retryable: true}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, noStream := range []bool{false, true} {
				req := ask("hi")
				req.NoStream = noStream
				_, err := provider.Complete(t.Context(), say(c.blocks...), req)
				var got *provider.Error
				if !errors.As(err, &got) {
					t.Fatalf("got %v", err)
				}
				if got.Message == "" {
					t.Error("the error says nothing")
				}
				told := *got
				if c.want.Message == "" {
					told.Message = ""
				}
				if c.want.Status == 0 && c.want.Kind != provider.Unreachable {
					c.want.Status = 200
				}
				if told != c.want {
					t.Errorf("got %#v, want %#v", told, c.want)
				}
			}
		})
	}
}

func TestRetryAfterInAllItsForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, f := range map[time.Duration]script.Fault{
			2 * time.Second:         {RetryAfter: "2"},
			1500 * time.Millisecond: {RetryAfterMS: 1500, RetryAfter: "2"},
			5 * time.Second:         {RetryAfter: time.Now().Add(5 * time.Second).UTC().Format(http.TimeFormat)},
			0:                       {RetryAfter: "soon"},
		} {
			f.Kind, f.Status = script.HTTP, 429
			_, err := provider.Complete(t.Context(), say(f), ask("hi"))
			if got := provider.AsError(err).RetryAfter; got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	})
}

func TestStallsAndTheIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long, short := script.Fault{Kind: script.Stall}, script.Fault{Kind: script.Stall, Duration: time.Second}
		for name, c := range map[string]struct {
			blocks []script.Block
			kind   provider.ErrorKind
			after  time.Duration
		}{
			"for ever, first": {[]script.Block{long}, provider.FirstByteTimeout, time.Minute},
			"for ever, later": {[]script.Block{script.Text{Text: "a"}, long}, provider.IdleTimeout, time.Minute},
			"for a while":     {[]script.Block{short, script.Text{Text: "a"}}, "", time.Second},
		} {
			p := script.New(script.Script{IdleTimeout: time.Minute, Steps: []script.Step{{Blocks: c.blocks}}})
			start := time.Now()
			_, err := provider.Complete(t.Context(), p, ask("hi"))
			if err != nil != (c.kind != "") || err != nil && provider.AsError(err).Kind != c.kind {
				t.Errorf("%s: got %v", name, err)
			}
			if got := time.Since(start); got != c.after {
				t.Errorf("%s: after %v", name, got)
			}
		}
	})
}

func TestPanicFaultPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "script: the script says panic" {
			t.Errorf("recovered %v", got)
		}
	}()
	_, err := provider.Complete(context.Background(), say(script.Fault{Kind: script.Panic}), ask("hi"))
	t.Errorf("no panic, and %v", err)
}

func TestPacingWaitsBeforeAndBetweenPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script.New(script.Script{
			First: time.Second, Gap: 10 * time.Millisecond,
			Steps: []script.Step{
				{Blocks: []script.Block{script.Text{Text: "a b c"}, script.Call{Name: "x", Arguments: "{}"}}},
				{First: script.None, Gap: time.Minute, Blocks: []script.Block{script.Text{Text: "a b"}}},
			},
		})
		for n, want := range []time.Duration{1030 * time.Millisecond, time.Minute} {
			start := time.Now()
			if _, err := provider.Complete(t.Context(), p, answered(n)); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start); got != want {
				t.Errorf("step %d took %v, want %v", n+1, got, want)
			}
		}
	})
}

func TestStopReasonsAreMendedAsReadersMendThem(t *testing.T) {
	call, text := script.Call{ID: "c", Name: "x", Arguments: "{}"}, script.Text{Text: "a"}
	for _, c := range []struct {
		block script.Block
		said  provider.StopReason
		want  provider.StopReason
	}{
		{call, "", provider.StopToolCalls},
		{call, provider.StopEnd, provider.StopToolCalls},
		{call, provider.StopLength, provider.StopLength},
		{text, "", provider.StopEnd},
		{text, provider.StopToolCalls, provider.StopEnd},
		{text, provider.StopPause, provider.StopPause},
		{script.Thinking{Text: "a"}, provider.StopToolCalls, ""},
	} {
		p := script.New(script.Script{Steps: []script.Step{{Blocks: []script.Block{c.block}, Stop: c.said}}})
		all, err := play(t, p, ask("hi"))
		if c.want == "" {
			if provider.AsError(err).Kind != provider.EmptyResponse {
				t.Errorf("%T with %q: %v", c.block, c.said, err)
			}
			continue
		}
		if got := all[len(all)-1].Stop; got != c.want {
			t.Errorf("%T with %q: got %q, want %q", c.block, c.said, got, c.want)
		}
	}
}
