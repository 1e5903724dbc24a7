package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// TestMain lets the test binary be the sandbox's helper, and a probe that tries
// from inside what a shell cannot.
func TestMain(m *testing.M) {
	if handled, code := Main(os.Args[1:]); handled {
		syscall.Exit(code) // The race detector lets os.Exit take a second.
	}
	if len(os.Args) > 1 && os.Args[1] == "probe" {
		if err := probe(os.Args[2], os.Args[3:]...); err != nil {
			fmt.Println(err)
			syscall.Exit(1)
		}
		fmt.Println("done")
		syscall.Exit(0)
	}
	os.Exit(m.Run())
}

func probe(what string, args ...string) error {
	switch what {
	case "connect":
		conn, err := net.Dial(args[0], args[1])
		if err != nil {
			return err
		}
		_, err = conn.Write([]byte("from inside"))
		return errors.Join(err, conn.Close())
	case "loopback":
		return loopback()
	case "devices":
		return openDevices()
	case "ptrace":
		pid, err := strconv.Atoi(args[0])
		return errors.Join(err, syscall.PtraceAttach(pid))
	case "umount":
		return syscall.Unmount(args[0], syscall.MNT_DETACH)
	case "remount":
		return syscall.Mount("", args[0], "", syscall.MS_REMOUNT|syscall.MS_BIND, "")
	case "launch": // Runs a command in a sandbox of its own, until it is killed.
		s, _, err := New(Config{Mode: On, Exe: args[0], TempDir: args[1], Report: &Report{Bubblewrap: args[2]}})
		if err != nil {
			return err
		}
		cmd := exec.Command("/bin/sh", "-c", "echo started; setsid sleep 600 & sleep 600")
		cmd.Stdout = os.Stdout
		return errors.Join(s.Wrap(cmd), cmd.Run())
	case "trials":
		seed, err := strconv.ParseUint(args[0], 10, 64)
		return errors.Join(err, trials(seed, args[1]))
	case "try":
		return try(args[0], args[1:]...)
	case "slow":
		return slow(args[0], args[1])
	default:
		return fmt.Errorf("no probe %s", what)
	}
}

// loopback talks to itself.
func loopback() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	return errors.Join(conn.Close(), listener.Close())
}

// openDevices fails if a device can be opened that could tell or do anything.
func openDevices() error {
	harmless := append([]string{"/dev/tty", "/dev/ptmx", "/dev/pts/ptmx"}, devices...)
	return filepath.WalkDir("/dev", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeDevice == 0 || slices.Contains(harmless, path) {
			return nil
		}
		for _, flag := range []int{syscall.O_RDONLY, syscall.O_WRONLY} {
			fd, err := syscall.Open(path, flag|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
			if err == nil {
				return errors.Join(fmt.Errorf("%s can be opened", path), syscall.Close(fd))
			}
		}
		return nil
	})
}
