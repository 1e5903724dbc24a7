package pipeline_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
)

// aimock is a model server that others have written, run by Node on loopback.
type aimock struct {
	url string
	log *lastLines
}

// aimockVersion is what the fixtures in testdata are written for.
const aimockVersion = "1.43.0"

// startAimock installs the package in a folder of the test and starts it. Both
// end with the test.
func startAimock(t *testing.T) *aimock {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir := t.TempDir()
	install := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
		"--prefix", dir, "@copilotkit/aimock@"+aimockVersion)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install aimock: %v: it needs Node 20 and a package registry\n%s", err, out)
	}
	fixtures, err := filepath.Abs("testdata/aimock.json")
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(filepath.Join(dir, "node_modules", ".bin", "llmock"), "-p", "0", "-f", fixtures, "--strict", "--validate-on-load")
	server.Dir, server.Env = dir, append(os.Environ(), "NO_COLOR=1")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	server.Stderr = server.Stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	m := &aimock{log: &lastLines{}}
	var read sync.WaitGroup
	listens := make(chan string, 1)
	read.Go(func() { m.log.follow(out, listens) })
	t.Cleanup(func() {
		_ = server.Process.Kill() // It may be gone.
		read.Wait()
		_ = server.Wait() // Killed is how it ends.
	})
	select {
	case m.url = <-listens:
	case <-ctx.Done():
	}
	if m.url == "" {
		t.Fatalf("aimock did not start: %s", m.log)
	}
	return m
}

// lastLines keeps what a program said.
type lastLines struct {
	mu  sync.Mutex
	all string
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

var listening = regexp.MustCompile(`listening on (http://\S+)`)

// follow reads to the end and tells where the program listens, "" if it ended
// without saying so.
func (l *lastLines) follow(in io.Reader, listens chan<- string) {
	told := false
	for lines := bufio.NewScanner(in); lines.Scan(); {
		l.mu.Lock()
		l.all += "\n" + lines.Text()
		l.mu.Unlock()
		if at := listening.FindStringSubmatch(lines.Text()); at != nil && !told {
			told = true
			listens <- at[1]
		}
	}
	if !told {
		listens <- ""
	}
}

// client returns an adapter whose requests are counted under id.
func (m *aimock) client(t *testing.T, dialect, id string) closer {
	t.Helper()
	headers := map[string]string{"X-Test-Id": id}
	var c closer
	var err error
	if dialect == "anthropic" {
		c, err = anthropic.New(anthropic.Config{BaseURL: m.url, APIKey: canary, Headers: headers})
	} else {
		c, err = openai.New(openai.Config{BaseURL: m.url, APIKey: canary, Headers: headers})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// asked is a request as the server's journal has it.
type asked struct {
	Path     string
	Body     json.RawMessage
	Response struct{ Status int }
}

// journal returns the requests that came under id.
func (m *aimock) journal(t *testing.T, id string) []asked {
	t.Helper()
	resp, err := http.Get(m.url + "/__aimock/journal?testId=" + url.QueryEscape(id))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	defer http.DefaultClient.CloseIdleConnections()
	var all []asked
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// statuses are those of requests, in order.
func statuses(all []asked) string {
	var out []int
	for _, a := range all {
		out = append(out, a.Response.Status)
	}
	return fmt.Sprint(out)
}
