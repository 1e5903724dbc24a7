package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/provider"
)

// model tells whom a turn would ask, and whether they answer.
func (d *doctor) model() {
	vendors := map[string]config.Vendor{}
	if d.config != nil {
		vendors = d.config.Vendors
	}
	u, err := chooseUpstream(d.flags, d.env, vendors, probe)
	if err != nil {
		d.fails(exitUsage, "provider", "%s", err)
		return
	}
	switch {
	case u.demo():
		d.say(doubted, "provider", "the built-in demo: %s; set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a server with --base-url or --vendor", u.why)
		return
	case u.provider == scripted:
		if _, err := loadScript(u.script); err != nil {
			d.fails(exitUsage, "provider", "%s", err)
			return
		}
		d.say(healthy, "provider", "the script %s", u.script)
		return
	}
	d.say(healthy, "provider", "%s, by %s", u.provider, u.why)
	switch u.key {
	case "":
		d.say(healthy, "key", "none is set, and this server may need none")
	default:
		d.say(healthy, "key", "that of %s", u.keyName)
	}
	d.endpoint(u)
}

// endpoint asks the server for its models, once.
func (d *doctor) endpoint(u upstream) {
	address := u.baseURL
	if address == "" {
		address = "https://" + vendorHosts[u.provider]
	}
	address = config.MaskURL(address)
	p, err := client(d.flags, u)
	if err != nil {
		d.fails(exitUsage, "endpoint", "%s: %s", address, err)
		return
	}
	lister, ok := p.(provider.Lister)
	if !ok {
		d.say(doubted, "endpoint", "%s cannot be asked without a prompt", address)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	models, err := lister.Models(ctx)
	if err != nil {
		d.unanswered(address, u, err)
		return
	}
	d.say(healthy, "endpoint", "%s answers", address)
	switch {
	case len(models) == 0 && u.model == "":
		d.fails(exitUsage, "model", "the server lists none; name one with --model")
	case u.model == "":
		d.say(healthy, "model", "%s, the first of %d that the server lists; choose with --model", models[0], len(models))
	case slices.Contains(models, u.model):
		d.say(healthy, "model", "%s", u.model)
	default:
		d.say(doubted, "model", "%s is not among the %d that the server lists%s; choose with --model", u.model, len(models), examples(models))
	}
}

// unanswered says why the server did not list its models.
func (d *doctor) unanswered(address string, u upstream, err error) {
	var fault *provider.Error
	status := 0
	if errors.As(err, &fault) {
		status = fault.Status
	}
	switch {
	case status == 401 || status == 403:
		remedy := "set one"
		if u.keyName != "" && u.key != "" {
			remedy = "set " + u.keyName + " anew"
		}
		d.fails(exitFailed, "endpoint", "%s refuses the key: %s; %s", address, err, remedy)
	case status == 404 || status == 405:
		d.say(doubted, "endpoint", "%s answers, but lists no models: %s; if turns fail too, look at the path of --base-url", address, err)
	case errors.Is(err, context.DeadlineExceeded):
		d.fails(exitFailed, "endpoint", "%s did not answer within %v; is it the right address, and is a proxy needed?", address, listTime)
	default: // the error names the address and what to do
		d.fails(exitFailed, "endpoint", "%s", err)
	}
}

// examples are some of the models.
func examples(models []string) string {
	if len(models) == 0 {
		return ""
	}
	const some = 3
	more := ""
	if len(models) > some {
		more = ", …"
	}
	return fmt.Sprintf(" (%s%s)", strings.Join(models[:min(len(models), some)], ", "), more)
}
