package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"

	"github.com/weir-agents/weir/provider/openai"
)

// Endpoint is a model server that speaks OpenAI's Chat Completions.
type Endpoint struct {
	URL, Model, Key string
	Prompt          string  // what is asked; each question gets a number behind it
	Requests        int     // in a round, one after the other or by Rate
	Rate            float64 // questions a second of the open loop
	Streams         []int   // how many at once
}

// omittedRemote is what no report about an endpoint has.
var omittedRemote = []string{
	"added, server late: the endpoint does not stamp its tokens; inside is counted from this process's socket",
	"whether the text is complete: nobody knows what the endpoint wanted to say",
}

// name is the endpoint in a report: without what the address may hold of secrets.
func (e Endpoint) name() string {
	v, err := url.Parse(e.URL)
	if err != nil {
		return e.Model
	}
	return v.Scheme + "://" + v.Host + v.Path + ", " + e.Model
}

// check returns e with a model, the first that the server lists if none is named.
func (e Endpoint) check(ctx context.Context) (Endpoint, error) {
	v, err := url.Parse(e.URL)
	if err != nil || v.Scheme != "http" && v.Scheme != "https" || v.Host == "" {
		return e, usage("--base-url is not a URL, such as http://localhost:11434/v1")
	}
	if e.Requests < 1 || !(e.Rate > 0) || math.IsInf(e.Rate, 1) { // NaN is not above 0
		return e, usage("--requests and --rate must be numbers above 0")
	}
	for _, n := range e.Streams {
		if n < 1 {
			return e, usage("--streams must be numbers above 0")
		}
	}
	if e.Prompt == "" {
		return e, usage("--prompt is empty")
	}
	if e.Model != "" {
		return e, nil
	}
	c, err := openai.New(openai.Config{BaseURL: e.URL, APIKey: e.Key})
	if err != nil {
		return e, err
	}
	defer c.Close()
	models, err := c.Models(ctx)
	if err == nil && len(models) == 0 {
		err = errors.New("the server lists no model")
	}
	if err != nil {
		return e, fmt.Errorf("which model? %w; name one with --model", err)
	}
	e.Model = models[0]
	return e, nil
}
