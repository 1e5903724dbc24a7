package stage

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// failed is the exit code of a stage that could not start its command.
const failed = 126

// Main is for the main function of a program that starts stages, before
// anything else, with its arguments (without its name). If they are those of a
// stage it returns true when all below it has ended, and the program must exit
// with code.
func Main(args []string) (handled bool, code int) {
	if len(args) == 0 || args[0] != Name {
		return false, 0
	}
	if err := serve(args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "weir:", Name+":", err)
		return true, failed
	}
	return true, 0
}

func serve(args []string) error {
	runtime.LockOSThread()
	if len(args) != 1 {
		return errors.New("started by hand: it is for the program itself")
	}
	fd, err := strconv.Atoi(args[0])
	if err != nil || fd < 3 {
		return fmt.Errorf("descriptor %q: must be a number from 3", args[0])
	}
	syscall.CloseOnExec(fd)
	link := os.NewFile(uintptr(fd), "link")
	var what spec
	in := gob.NewDecoder(link)
	if err := in.Decode(&what); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	// What can be caught is caught: the command may ask its parent to end. It
	// gets its own signals as usual, since handlers end with an exec.
	signal.Notify(make(chan os.Signal, 1))
	out := gob.NewEncoder(link)
	boundProcesses()
	pid, err := start(what)
	if err != nil {
		errno, ok := errors.AsType[syscall.Errno](err)
		if !ok {
			errno = syscall.EINVAL
		}
		return out.Encode(started{Errno: int(errno)})
	}
	command := hold(pid)
	_ = out.Encode(started{Pid: pid})                                                           // Without a reader endWith sees to it.
	go endWith(in, command)                                                                     // Ends with the process.
	return reap(pid, func(status syscall.WaitStatus) { _ = out.Encode(ended{uint32(status)}) }) // Perhaps nobody asks any more.
}

// processesMax is how many processes and threads more than there are now the
// user may have while the command runs.
const processesMax = 4096

// boundProcesses keeps what starts others without end from taking all places,
// and so many that nothing else gets the processor. It does not bind root.
func boundProcesses() {
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil || os.Geteuid() == 0 {
		return
	}
	_, now, _ := strings.Cut(string(load), "/") // As in 0.10 0.20 0.30 2/345 6789.
	now, _, _ = strings.Cut(now, " ")
	running, err := strconv.ParseUint(now, 10, 32)
	var limit unix.Rlimit
	if err != nil || unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil {
		return
	}
	limit.Max = min(limit.Max, running+processesMax)
	limit.Cur = min(limit.Cur, limit.Max)
	_ = unix.Setrlimit(unix.RLIMIT_NPROC, &limit) // It may always be lowered.
}

// start starts the command with its files, which are no longer this process's
// then, so that their readers see the end of the command's own.
func start(what spec) (int, error) {
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	for _, fd := range what.Files {
		for len(files) < fd {
			files = append(files, nil)
		}
		files = append(files, os.NewFile(uintptr(fd), "file"))
	}
	command, err := os.StartProcess(what.Path, what.Args, &os.ProcAttr{
		Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, err
	}
	for _, file := range files[3:] {
		if file != nil {
			_ = file.Close() // The command has its own.
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return command.Pid, nil // Then readers see the end when this has ended.
	}
	for fd := range 3 {
		_ = unix.Dup3(int(null.Fd()), fd, 0) // As above.
	}
	_ = os.Chdir("/") // Not to hold a folder that the command may want to remove.
	return command.Pid, nil
}

// reap returns when no child is left, its own or inherited.
func reap(pid int, tell func(syscall.WaitStatus)) error {
	for {
		var status syscall.WaitStatus
		child, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return nil
		case err != nil:
			return err
		case child == pid:
			tell(status)
		}
	}
}
