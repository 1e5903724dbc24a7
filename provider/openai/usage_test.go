package openai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weir-agents/weir/provider"
)

// A usage counts however its JSON is written.
func TestUsageIsReadInWhateverFormItComes(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 3*scanDepth) + "1" + strings.Repeat("}", 3*scanDepth)
	want := &provider.Usage{Input: 7, Output: 5, CacheRead: 3, Reasoning: 2}
	const details = `"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}`
	for what, usage := range map[string]string{
		"as usual":              `{"prompt_tokens":7,"completion_tokens":5,` + details + `}`,
		"escapes in a key":      `{"prompt\u005ftokens":7,"completion_tokens":5,` + details + `}`,
		"escapes in other keys": `{"\u0061":1,"prompt_tokens":7,"completion_tokens":5,` + details + `}`,
		"escapes in details":    `{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached\u005ftokens":3},"completion_tokens_details":{"reasoning_tokens":2}}`,
		"deep members":          `{"cost":` + deep + `,"prompt_tokens":7,"completion_tokens":5,` + details + `}`,
		"deep details":          `{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"x":` + deep + `,"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}`,
	} {
		for _, member := range []string{`"usage":`, `"usa\u0067e":`, `"x_groq":{"usage":`} {
			end := "}"
			if strings.HasPrefix(member, `"x_`) {
				end = "}}"
			}
			body := `data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],` + member + usage + end + "\n\ndata: [DONE]\n\n"
			deltas, err := read(t, reader(t, Config{}), strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, deltas[len(deltas)-1].Usage); diff != "" {
				t.Errorf("%s, %s:\n%s", what, member, diff)
			}
		}
	}
}
