package script

import (
	"testing"

	"github.com/weir-agents/weir/provider"
)

// B022: half a surrogate pair in arguments makes every later request invalid,
// so it is mended as the adapters do it.
func TestB022AHalfPairInArgumentsIsMended(t *testing.T) {
	s, err := Parse([]byte(`{"steps":[{"blocks":[{"call":"f","arguments":"{\"path\":\"zz\\ud83d\"}"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, err := provider.Complete(t.Context(), New(s), provider.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.Calls()[0].Arguments); got != `{"path":"zz\ufffd"}` && got != "{\"path\":\"zz\ufffd\"}" {
		t.Errorf("arguments %s", got)
	}
}
