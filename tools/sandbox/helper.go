package sandbox

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"fmt"
	"os"

	"github.com/weir-agents/weir/tools/internal/stage"
)

// helperName is the hidden first argument of a program that is its own helper.
const helperName = "__sandbox"

// Exit code of a helper that could not confine itself, and what it says when it
// only had to try. 126 is what a shell says of a command it cannot run.
const (
	helperFailed = 126
	checked      = "confined\n"
)

// Main must be called before anything else by the main function of a program
// that uses this package, or tools.Config.Exe, with its arguments (without its
// name). If they are those of the helper, it becomes the command it was started
// for and does not return, or handled is true and the program must exit with
// code. If they are those of the process that looks after a command, handled is
// true when all that the command has started has ended.
func Main(args []string) (handled bool, code int) {
	if handled, code := stage.Main(args); handled {
		return true, code
	}
	if len(args) == 0 || args[0] != helperName {
		return false, 0
	}
	if err := serve(args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "weir: sandbox:", err)
		return true, helperFailed
	}
	return true, 0
}

// spec tells the helper what to do. It is sent as gob, because paths need not be
// text.
type spec struct {
	Path     string // the program to become; the rest of the arguments are its own
	Dir      string
	Kind     Kind
	Landlock int // ABI level
	Places   []place
	Hidden   []string
	Tmp      string
	Net      bool
	Limits   Limits
	Check    bool // confine, say so, and end
}

// encode returns the helper's arguments, with those of the command unchanged.
func (s spec) encode(argv []string) ([]string, error) {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(s); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return append([]string{helperName, base64.StdEncoding.EncodeToString(text.Bytes()), "--"}, argv...), nil
}

// decode is the reverse of encode, without the helper's name.
func decode(args []string) (s spec, argv []string, err error) {
	if len(args) < 3 || args[1] != "--" {
		return s, nil, fmt.Errorf("started by hand: %s is for the program itself", helperName)
	}
	text, err := base64.StdEncoding.DecodeString(args[0])
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(&s)
	}
	return s, args[2:], err
}
