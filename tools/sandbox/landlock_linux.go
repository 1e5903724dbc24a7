package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// devices are all of /dev that can be used: the others are disks and terminals.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// rights of one command.
const (
	fileRead  landlock.AccessFSSet = ll.AccessFSExecute | ll.AccessFSReadFile
	dirRead   landlock.AccessFSSet = ll.AccessFSReadDir
	fileWrite landlock.AccessFSSet = ll.AccessFSWriteFile | ll.AccessFSTruncate
	// Device nodes are not among it.
	dirWrite landlock.AccessFSSet = ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
)

// landlock binds this thread. The level is fixed, not the best that can be had:
// if it cannot be reached, that is an error.
func (s spec) landlock() error {
	rules, err := s.rules()
	if err != nil {
		return err
	}
	config := landlock.V3
	switch {
	case s.Landlock >= signalABI:
		config = landlock.V6
	case s.Landlock == signalABI-1:
		config = landlock.V5
	}
	config.HandledAccessNet = 0 // Namespaces or seccomp close all of it, not only TCP.
	fd, flags, err := config.NewRulesetFD(rules...)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), uintptr(flags), 0); errno != 0 {
		return errno
	}
	return nil
}

// rules are what the command may do.
func (s spec) rules() ([]landlock.Rule, error) {
	rules := []landlock.Rule{
		landlock.PathAccess(fileRead|fileWrite, devices...).IgnoreIfMissing(),
		landlock.PathAccess(dirRead, "/"),
	}
	hidden, folders := []string{"/dev"}, []string{"/tmp", "/dev/shm"}
	if s.Kind == Landlock {
		hidden, folders = append(hidden, s.Hidden...), []string{s.Tmp}
	}
	readable := carver{hidden: hidden}
	if err := readable.allow("/", fileRead); err != nil {
		return nil, err
	}
	changeable := carver{hidden: hidden[1:]}
	for _, dir := range append(folders, s.paths(writable)...) {
		if err := changeable.allow(dir, fileRead|dirRead|fileWrite|dirWrite); err != nil {
			return nil, err
		}
	}
	return slices.Concat(rules, readable.rules, changeable.rules), nil
}

// carver allows a folder but for what is hidden in it. Landlock knows no
// exceptions, so the folders on the way are taken apart: what else is in them is
// allowed piece by piece, and what comes new into them is not.
type carver struct {
	hidden []string
	rules  []landlock.Rule
}

func (c *carver) allow(path string, access landlock.AccessFSSet) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.walk(fd, path, access)
}

// walk takes over fd, which stands for path; it is closed by the exec. By the
// descriptor the rule is for just what was looked at, even if another stands
// there by now.
func (c *carver) walk(fd int, path string, access landlock.AccessFSSet) error {
	unix.CloseOnExec(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	handle := "/proc/self/fd/" + strconv.Itoa(fd)
	whole := true
	for _, hidden := range c.hidden {
		if within(path, hidden) {
			return unix.Close(fd)
		}
		whole = whole && !within(hidden, path)
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFLNK: // What it leads to has rules of its own.
		return unix.Close(fd)
	case unix.S_IFDIR:
	default:
		access &= fileRead | fileWrite
	}
	if whole {
		c.rules = append(c.rules, landlock.PathAccess(access, handle))
		return nil
	}
	entries, err := os.ReadDir(handle)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, entry := range entries {
		child, err := unix.Openat(fd, entry.Name(), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // It has gone.
		}
		if err := c.walk(child, filepath.Join(path, entry.Name()), access); err != nil {
			return err
		}
	}
	return unix.Close(fd)
}
