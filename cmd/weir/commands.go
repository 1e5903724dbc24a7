package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/weir-agents/weir/provider/sim"
)

// simDrain is how long answers may go on after the signal that ends a sim.
const simDrain = time.Second

// sim plays a script as a server until a signal comes. Its address is the one
// line on standard output.
func (a *app) sim(c simCmd) error {
	if a.flags.Script == "" {
		return usagef("sim needs a script: pass one with --script FILE")
	}
	s, err := loadScript(a.flags.Script)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return usagef("--listen: %s", err)
	}
	server := &http.Server{Handler: sim.New(s, sim.Config{}), ReadHeaderTimeout: 10 * time.Second}
	stop := make(chan struct{}, 1)
	a.signals.during(func(syscall.Signal) {
		select {
		case stop <- struct{}{}:
		default: // it is stopping
		}
	})
	served := make(chan error, 1)
	// Ends when the server is closed, below.
	go func() { served <- server.Serve(l) }()
	if _, err := fmt.Fprintf(a.std.Out, "http://%s\n", l.Addr()); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-served:
		return err
	case <-stop:
	}
	ctx, cancel := context.WithTimeout(context.Background(), simDrain)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close()
	}
	return nil
}

// listTools names the tools that a session would have.
func (a *app) listTools(c toolsCmd) error {
	h := &house{}
	defer h.close()
	if err := a.openTools(h); err != nil {
		return err
	}
	type entry struct {
		Name        string          `json:"name"`
		Class       string          `json:"class"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
	}
	list, text := []entry{}, ""
	for _, s := range h.registry.Specs() {
		list = append(list, entry{s.Name, s.Class.String(), s.Description, s.Schema})
		text += toolLine(s) + "\n"
	}
	if !c.JSON {
		_, err := fmt.Fprint(a.std.Out, text)
		return err
	}
	enc := json.NewEncoder(a.std.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// version says which build this is.
func (a *app) version() error {
	_, err := fmt.Fprintln(a.std.Out, versionText())
	return err
}

func versionText() string {
	return fmt.Sprintf("weir %s %s %s/%s", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the module's version, with the commit where that says more.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, commit, dirty := info.Main.Version, "", ""
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if commit == "" || strings.Contains(version, commit) {
		return version
	}
	return version + "-" + commit + dirty
}
