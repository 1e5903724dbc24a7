package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/weir-agents/weir/tools/sandbox"
)

// A program's main first lets the sandbox have its arguments, because the
// program is its own helper; later each command is wrapped before its start.
func Example() {
	if handled, code := sandbox.Main(os.Args[1:]); handled {
		os.Exit(code)
	}
	exe, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, got, err := sandbox.New(sandbox.Config{Mode: sandbox.Off, Exe: exe})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	cmd := exec.Command("/bin/echo", "hello")
	if err := s.Wrap(cmd); err != nil {
		fmt.Println(err)
		return
	}
	out, err := cmd.Output()
	fmt.Print("sandbox ", got, ": ", string(out), err)
	// Output: sandbox off: hello
	// <nil>
}
