package openai

import (
	"context"
	"sync"
	"time"
)

// Server is a model server that answered a [Probe].
type Server struct {
	Name    string // such as Ollama
	BaseURL string
	Models  []string
}

// ProbeConfig says where to look. The zero value looks at the usual ports of
// this machine.
type ProbeConfig struct {
	// Candidates are asked side by side; their Models are not looked at. Nil
	// stands for [LocalServers].
	Candidates []Server
	// Timeout is for all of them together; default 150 ms.
	Timeout time.Duration
}

// LocalServers returns where Ollama, LM Studio, llama.cpp and vLLM listen
// unless told otherwise.
func LocalServers() []Server {
	return []Server{
		{Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{Name: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1"},
		{Name: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1"},
		{Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1"},
	}
}

// Probe asks each candidate for its models and returns those that list some,
// in the order of the candidates. It takes Timeout at most, sends no key and
// tells of no error: what does not answer is not there.
func Probe(ctx context.Context, c ProbeConfig) []Server {
	if c.Candidates == nil {
		c.Candidates = LocalServers()
	}
	if c.Timeout <= 0 {
		c.Timeout = 150 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	models := make([][]string, len(c.Candidates))
	var asked sync.WaitGroup
	for i, s := range c.Candidates {
		asked.Go(func() { models[i] = ask(ctx, s.BaseURL) })
	}
	asked.Wait()
	var found []Server
	for i, s := range c.Candidates {
		if len(models[i]) > 0 {
			found = append(found, Server{Name: s.Name, BaseURL: s.BaseURL, Models: models[i]})
		}
	}
	return found
}

func ask(ctx context.Context, base string) []string {
	c, err := New(Config{BaseURL: base})
	if err != nil {
		return nil
	}
	defer c.Close()
	names, err := c.Models(ctx)
	if err != nil {
		return nil
	}
	return names
}
