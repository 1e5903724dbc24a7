package main

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/weir-agents/weir/provider"
	claude "github.com/weir-agents/weir/provider/anthropic"
	"github.com/weir-agents/weir/provider/openai"
	"github.com/weir-agents/weir/provider/script"
)

// listTime bounds asking a server for its models, when none is named.
const listTime = 5 * time.Second

// probe looks for a model server on this machine, for a moment.
func probe() (server, bool) {
	found := openai.Probe(context.Background(), openai.ProbeConfig{})
	if len(found) == 0 {
		return server{}, false
	}
	return server{found[0].Name, found[0].BaseURL, found[0].Models}, true
}

// connect makes the provider that u names, and finds a model if none is named.
func connect(f *flags, u upstream) (provider.Provider, string, error) {
	p, err := client(f, u)
	if err != nil {
		return nil, "", err
	}
	if u.model != "" {
		return p, u.model, nil
	}
	lister, ok := p.(provider.Lister)
	if !ok {
		return nil, "", usagef("no model is named: pass one with --model")
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	models, err := lister.Models(ctx)
	if err != nil {
		return nil, "", err
	}
	if len(models) == 0 {
		return nil, "", usagef("the server lists no model: name one with --model")
	}
	return p, models[0], nil
}

func client(f *flags, u upstream) (provider.Provider, error) {
	switch u.provider {
	case openAI:
		return openai.New(openai.Config{
			APIKey: u.key, BaseURL: u.baseURL, Proxy: http.ProxyFromEnvironment,
			ConnectTimeout: f.Connect, FirstByteTimeout: f.FirstByte, IdleTimeout: f.Idle,
			Organization: u.tuning.Organization, Project: u.tuning.Project, GiveThinking: u.tuning.GiveThinking,
			Headers: u.tuning.Headers, Extra: u.tuning.Extra,
		})
	case anthropic:
		cfg := claude.Config{
			APIKey: u.key, BaseURL: u.baseURL, Proxy: http.ProxyFromEnvironment,
			ConnectTimeout: f.Connect, FirstByteTimeout: f.FirstByte, IdleTimeout: f.Idle,
			Betas: u.tuning.Betas, Headers: u.tuning.Headers, Extra: u.tuning.Extra,
		}
		if strings.HasSuffix(u.keyName, "_TOKEN") {
			cfg.APIKey, cfg.AuthToken = "", u.key
		}
		return claude.New(cfg)
	default:
		if u.demo() {
			return script.New(script.Demo()), nil
		}
		s, err := loadScript(u.script)
		if err != nil {
			return nil, err
		}
		if s.IdleTimeout == 0 {
			s.IdleTimeout = f.Idle
		}
		return script.New(s), nil
	}
}

// loadScript reads a script file; a fault in it is a mistake of the caller.
func loadScript(file string) (script.Script, error) {
	s, err := script.Load(file)
	if errors.As(err, new(*fs.PathError)) { // what is in it is told with its line
		return s, usagef("--script: %s", err)
	}
	if err != nil {
		return s, usagef("%s", err)
	}
	return s, nil
}
