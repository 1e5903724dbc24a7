package openai

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/streamtest"
)

// Ids and names are held for each call, so they count like any other text (I3).
func TestIdsAndNamesCountAgainstTheCap(t *testing.T) {
	big := strings.Repeat("x", 64<<10)
	for what, call := range map[string]string{
		"ids":   `{"index":%d,"id":"` + big + `%[1]d","function":{"name":"f","arguments":"{"}}`,
		"names": `{"index":%d,"id":"c%[1]d","function":{"name":"` + big + `","arguments":"{"}}`,
	} {
		many := func(w http.ResponseWriter, _ *http.Request) {
			for i := range 64 {
				say(w, `data: {"choices":[{"delta":{"tool_calls":[`+fmt.Sprintf(call, i)+`]}}]}`+"\n\n")
			}
		}
		inBubble(t, Config{MessageBytes: 1 << 20}, many, func(t *testing.T, c *Client) {
			if e := provider.AsError(send(t, c).Err); e.Kind != provider.TooLarge {
				t.Errorf("%s: %v", what, e)
			}
		})
	}
}

// A key is not shown because control characters stand in it, nor by its half
// where a text was cut.
func TestAKeyInPiecesIsNotShown(t *testing.T) {
	const key = "sk-canary-0123456789abcdef"
	for _, data := range []string{
		`{"error":{"message":"bad \u0000sk-canary\u0000-0123456789abcdef","code":401}}`,
		strings.Repeat("y", 185) + key,
		strings.Repeat("y", 190) + key + strings.Repeat("z", 5000),
	} {
		bad := func(w http.ResponseWriter, _ *http.Request) { say(w, "data: "+data+"\n\n") }
		inBubble(t, Config{APIKey: key}, bad, func(t *testing.T, c *Client) {
			if err := send(t, c).Err; err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "sk-c") {
				t.Errorf("%v", err)
			}
		})
	}
}

// I3: the arguments of a large call are in memory once.
func TestALargeCallIsHeldOnce(t *testing.T) {
	c := reader(t, Config{})
	streamtest.CheckLargeCall(t, c.Stream(withBody(t, streamtest.LargeCallBody("openai")), streamtest.Request()))
}
