//go:build !linux

package sandbox

import (
	"errors"
	"os/exec"
)

// Sandbox confines commands. There is none but on Linux.
type Sandbox struct{}

// New returns a Sandbox that changes no command, or with [On] an error.
func New(cfg Config) (s *Sandbox, got string, err error) {
	switch cfg.Mode {
	case On:
		return nil, "", errors.New("there is no sandbox but on Linux; run weir in a container, or turn the sandbox off")
	case Off:
		return &Sandbox{}, "off", nil
	default:
		return &Sandbox{}, "none: there is a sandbox on Linux only", nil
	}
}

// Detect reports that there is nothing.
func Detect(string) Report { return Report{Missing: []string{"there is a sandbox on Linux only"}} }

// Kind is None.
func (s *Sandbox) Kind() Kind { return None }

// Close does nothing.
func (s *Sandbox) Close() error { return nil }

// Wrap does nothing.
func (s *Sandbox) Wrap(*exec.Cmd) error { return nil }

func serve([]string) error { return errors.New("there is no sandbox but on Linux") }
