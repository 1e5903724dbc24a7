package streamtest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Case is one recorded response and what a reader must make of it.
type Case struct {
	Name    string `json:"case"`
	Dialect string `json:"dialect"` // openai or anthropic
	Why     string `json:"why"`
	Source  string `json:"source"`
	Expect  Expect `json:"expect"`
	// Response is a whole HTTP/1.1 response, from status line to framing.
	Response []byte `json:"-"`
	Timing   Timing `json:"-"`
}

// Expect is what a reader of a response must end up with.
type Expect struct {
	Outcome        string            `json:"outcome"` // completed or error
	ErrorKind      string            `json:"error_kind"`
	ErrorContains  string            `json:"error_contains"`
	Retryable      bool              `json:"retryable"`
	Text           string            `json:"text"`
	Thinking       string            `json:"thinking"`
	ToolCalls      []Call            `json:"tool_calls"`
	ThinkingBlocks []json.RawMessage `json:"thinking_blocks"`
	Finish         string            `json:"finish"`
	Usage          *Usage            `json:"usage"`
}

// Call is an expected tool call.
type Call struct {
	ID        string                     `json:"id"` // "*" is any that no other call has
	Name      string                     `json:"name"`
	Arguments json.RawMessage            `json:"arguments"`     // null: not usable
	Raw       *string                    `json:"raw_arguments"` // nil: not compared
	Extra     map[string]json.RawMessage `json:"extra"`
}

// Usage is the expected count of tokens.
type Usage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
}

// Timing says in which pieces a response is written and how it ends.
type Timing struct {
	Segments []Segment `json:"segments"`
	End      string    `json:"end"` // close, reset or hold
	HoldMS   int       `json:"hold_ms"`
	IdleMS   int       `json:"idle_timeout_ms"`
}

// Segment ends a write.
type Segment struct {
	Upto   int `json:"upto"`    // offset in the response
	ThenMS int `json:"then_ms"` // how long to wait after it
}

// Idle is the idle timeout to run the reader with.
func (c Case) Idle() time.Duration {
	if c.Timing.IdleMS > 0 {
		return time.Duration(c.Timing.IdleMS) * time.Millisecond
	}
	return 30 * time.Second
}

// Limit is how long a reader may take from its request to the end: the time
// of the pauses, and then 3 s, or the idle timeout and 2 s, with a bit more
// for a busy machine. It is less than what a connection is held open for.
func (c Case) Limit() time.Duration {
	limit := 5 * time.Second
	if c.Timing.IdleMS > 0 {
		limit = c.Idle() + 4*time.Second
	}
	for _, s := range c.Timing.Segments {
		limit += time.Duration(s.ThenMS) * time.Millisecond
	}
	return limit
}

// Cases returns the cases of a dialect in dir, and the large one, which is not
// stored there.
func Cases(t testing.TB, dir, dialect string) []Case {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.want.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	var all []Case
	for _, name := range names {
		if c := load(t, strings.TrimSuffix(name, ".want.json")); c.Dialect == dialect {
			all = append(all, c)
		}
	}
	if dialect == "openai" {
		all = append(all, large())
	}
	return all
}

func load(t testing.TB, base string) Case {
	t.Helper()
	var c Case
	readJSON(t, base+".want.json", &c)
	c.Timing.End = "close"
	if _, err := os.Stat(base + ".timing.json"); err == nil {
		readJSON(t, base+".timing.json", &c.Timing)
	}
	response, err := os.ReadFile(base + ".http")
	if err != nil {
		t.Fatal(err)
	}
	c.Response = response
	return c
}

func readJSON(t testing.TB, name string, to any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
