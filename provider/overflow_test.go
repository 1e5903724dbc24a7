package provider

import "testing"

func TestOverflowIsToldFromOtherRefusals(t *testing.T) {
	for _, c := range []struct {
		err  Error
		want bool
	}{
		{Error{Kind: HTTPError, Status: 400, Message: "This model's maximum context length is 8192 tokens."}, true},
		{Error{Kind: HTTPError, Status: 400, Message: "prompt is too long: 210000 tokens > 200000 maximum"}, true},
		{Error{Kind: HTTPError, Status: 400, Message: "the request exceeds the available context size, try increasing it"}, true},
		{Error{Kind: HTTPError, Status: 413, Message: "Request Entity Too Large"}, true},
		{Error{Kind: HTTPError, Status: 500, Message: "input is too long for the context window"}, true},
		{Error{Kind: ProviderError, Message: "context_length_exceeded"}, true},
		{Error{Kind: HTTPError, Status: 429, Message: "too many tokens per minute"}, false},
		{Error{Kind: HTTPError, Status: 400, Message: "messages: roles must alternate"}, false},
		{Error{Kind: HTTPError, Status: 401, Message: "context length"}, false},
		{Error{Kind: Unreachable, Message: "dial: context window"}, false},
		{Error{Kind: TruncatedStream}, false},
	} {
		if got := c.err.Overflow(); got != c.want {
			t.Errorf("%v: overflow %v, want %v", c.err.Error(), got, c.want)
		}
	}
}
