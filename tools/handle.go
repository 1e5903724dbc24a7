package tools

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// handle is an open folder of a search. It opens files with a third of the
// calls that os.Root makes for each, which looks up paths of any depth, and is
// as safe: the names have one element, and links are not followed.
type handle struct{ dir *os.File }

// openHandle opens the folder of a root.
func openHandle(dir *os.Root) (*handle, error) {
	opened, err := dir.Open(".")
	if err != nil {
		return nil, plain(err)
	}
	defer opened.Close()
	conn, err := opened.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, failure := 0, error(nil)
	if err := conn.Control(func(old uintptr) {
		fd, failure = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 3)
	}); err != nil || failure != nil {
		return nil, errors.Join(err, failure)
	}
	// The name is for file systems that do not tell the kind of a name with it:
	// then it is looked up below the handle.
	return &handle{os.NewFile(uintptr(fd), "/proc/self/fd/"+strconv.Itoa(fd))}, nil
}

// list reads the next names, some at once, without a look at each. What it
// returns can be asked for name and type, not for more.
func (h *handle) list(n int) ([]fs.DirEntry, error) { return h.dir.ReadDir(n) }

func (h *handle) close() { _ = h.dir.Close() } // Only read from.

// open opens a regular file of the folder without waiting. kernel remembers
// which devices are made up by the kernel; it may be shared by goroutines.
func (h *handle) open(name string, kernel *kernelDevices) (*plainFile, error) {
	fd, err := retried(func() (int, error) {
		return unix.Openat(int(h.dir.Fd()), name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	file := &plainFile{fd: fd}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("not a regular file")
	}
	if err == nil && kernel.holds(fd, uint64(stat.Dev)) {
		err = errFromKernel
	}
	if err != nil {
		file.close()
		return nil, err
	}
	file.size = stat.Size
	return file, nil
}

// plainFile is a regular file that is read from its begin to its end.
type plainFile struct {
	fd         int
	size, read int64
}

// Read says the end with the last bytes that there were when it was opened,
// which spares a call. A file that calls itself empty is asked.
func (f *plainFile) Read(p []byte) (int, error) {
	n, err := retried(func() (int, error) { return unix.Read(f.fd, p) })
	if err != nil {
		return 0, err
	}
	if f.read += int64(n); n == 0 || f.read >= f.size && f.size > 0 {
		err = io.EOF
	}
	return n, err
}

func (f *plainFile) close() { _ = unix.Close(f.fd) } // Only read from.

// retried repeats a call that a signal has interrupted.
func retried(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
