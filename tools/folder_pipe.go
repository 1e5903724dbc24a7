package tools

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Descriptors of a shell that scripts do not use. A plain sh knows one digit.
const (
	initFD      = 198
	folderFD    = 199
	folderFDofS = 9
)

// folderPipe is how a shell tells, at its end, the working directory it is in.
// The zero value tells nothing.
type folderPipe struct {
	reader  *os.File
	writers []*os.File // the shell's ends
}

// tellFolder makes the shell of cmd tell. The command line of bash stays as it
// is: bash reads the trap from the file that BASH_ENV names, which is a pipe.
func tellFolder(cmd *exec.Cmd) (*folderPipe, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &folderPipe{reader: reader, writers: []*os.File{writer}}
	trap := func(fd int) string { return fmt.Sprintf(`trap '{ pwd -P; printf "\0"; } >&%d 2>/dev/null' EXIT; `, fd) }
	if filepath.Base(cmd.Path) != "bash" {
		cmd.Args[2] = trap(folderFDofS) + cmd.Args[2]
		cmd.ExtraFiles = make([]*os.File, folderFDofS-3+1) // All but the last stay closed.
		cmd.ExtraFiles[folderFDofS-3] = writer
		return f, nil
	}
	init, end, err := os.Pipe()
	if err != nil {
		f.started()
		f.close()
		return nil, err
	}
	f.writers = append(f.writers, init)
	// It fits the pipe, so writing waits for nobody.
	_, _ = fmt.Fprintf(end, "%sunset BASH_ENV; exec %d<&-\n", trap(folderFD), initFD)
	_ = end.Close() // Now bash sees its end.
	cmd.Env = append(cmd.Env, fmt.Sprintf("BASH_ENV=/dev/fd/%d", initFD))
	cmd.ExtraFiles = make([]*os.File, folderFD-3+1) // All but the last two stay closed.
	cmd.ExtraFiles[initFD-3], cmd.ExtraFiles[folderFD-3] = init, writer
	return f, nil
}

// started gives back what the shell has now.
func (f *folderPipe) started() {
	for _, w := range f.writers {
		_ = w.Close() // Nothing is written on this side.
	}
	f.writers = nil
}

func (f *folderPipe) close() {
	if f.reader != nil {
		_ = f.reader.Close() // Only read from.
	}
}

// last is the working directory the shell ended in, or "" if it did not say.
// What it has started may have said something before, if it was ended between
// the fork and the exec. Only when the shell has ended, and once.
func (f *folderPipe) last() string {
	if f.reader == nil {
		return ""
	}
	text := readNow(f.reader, 8<<10)
	text, ended := bytes.CutSuffix(text, []byte("\n\x00"))
	if !ended {
		return ""
	}
	return string(text[bytes.LastIndexByte(text, 0)+1:])
}

// readNow reads what a pipe holds, without waiting for its writers.
func readNow(pipe *os.File, limit int) []byte {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return nil
	}
	buf := make([]byte, limit)
	n := 0
	if err := conn.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), buf) // Nothing there is nothing read.
		return true
	}); err != nil {
		return nil
	}
	return buf[:max(n, 0)]
}
