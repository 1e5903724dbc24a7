package bench_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/weir-agents/weir/bench"
	"github.com/weir-agents/weir/provider/script"
	"github.com/weir-agents/weir/provider/sim"
)

// A server that knows nothing of weir is measured with the key of the
// environment; what cannot be known of it is left out and named.
func TestAnEndpointIsMeasuredFromOutside(t *testing.T) {
	const key = "sk-of-the-test"
	server := sim.New(script.Script{
		Models: []string{"beacon-2"}, Loop: script.LoopLast,
		Steps: []script.Step{{Blocks: []script.Block{script.Text{Text: "It said \"keep off\",\nand one did. 灯台"}}}},
	}, sim.Config{Key: key})
	up := httptest.NewServer(server)
	defer up.Close()
	var out, said bytes.Buffer
	env := func(name string) string { return map[string]string{"OPENAI_API_KEY": key + "\n"}[name] }
	args := []string{"--base-url", up.URL + "/v1", "--short", "--rate", "100", "--streams", "2", "--prompt", `What says "<the light>"?`, "--json", "-"}
	if code := bench.Run(t.Context(), args, bench.Host{Out: &out, Err: &said, Env: env}); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	if strings.Contains(out.String()+said.String(), key) {
		t.Error("the key is shown")
	}
	var r bench.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Endpoint != up.URL+"/v1, beacon-2" || len(r.Omitted) < 5 {
		t.Errorf("asked %q, omitted %q", r.Endpoint, r.Omitted)
	}
	var scenarios []string
	for _, row := range r.Rows {
		scenarios = append(scenarios, row.Scenario)
		for _, m := range row.Metrics {
			if m.Name == "added" || m.Name == "server late" || m.Name == "server free" {
				t.Errorf("%s, %s: %s of a server that does not tell", row.Scenario, row.Subject, m.Name)
			}
			if m.Name == "inside" && m.Samples < 2*2*8 { // streams, rounds, tokens
				t.Errorf("%s: %d tokens were seen", row.Subject, m.Samples)
			}
		}
	}
	if got := slices.Compact(scenarios); !slices.Equal(got, []string{"first-token", "pace", "cancel"}) {
		t.Errorf("measured %q", got)
	}
	for _, asked := range server.Requests() {
		if asked.Refused != "" || !strings.Contains(string(asked.Body), "light") {
			t.Errorf("refused %q: %s", asked.Refused, asked.Body)
		}
	}
}
