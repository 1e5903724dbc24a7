package stage

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"
)

// endWith ends all below this process, whatever it does about it, once the
// other end of the link is gone: that is held by the program alone, and goes
// with it however it ends, also by a signal that nobody can answer. Then it
// goes on until the process ends, which it does when nothing is left below.
func endWith(link io.Reader) {
	_, _ = io.Copy(io.Discard, link) // However it ends, nobody is there.
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		killChildren()
		time.Sleep(pause)
	}
}

// killChildren kills from the top: what a child leaves is a child next time.
func killChildren() {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1) // What has been read will do.
	_ = dir.Close()                  // Only read from.
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !isChild(pid) {
			continue
		}
		child, err := os.FindProcess(pid) // By a handle, which stays with it.
		if err != nil {
			continue
		}
		if isChild(pid) {
			_ = child.Signal(syscall.SIGKILL) // It may have ended.
		}
		_ = child.Release() // Never fails here.
	}
}

func isChild(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// The name is in brackets and may hold anything, brackets too.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid())
}
