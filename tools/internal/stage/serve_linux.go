package stage

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
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
	if err := gob.NewDecoder(link).Decode(&what); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	// What can be caught is caught: the command may ask its parent to end. It
	// gets its own signals as usual, since handlers end with an exec.
	signal.Notify(make(chan os.Signal, 1))
	out := gob.NewEncoder(link)
	pid, err := start(what)
	if err != nil {
		errno, ok := errors.AsType[syscall.Errno](err)
		if !ok {
			errno = syscall.EINVAL
		}
		return out.Encode(started{Errno: int(errno)})
	}
	_ = out.Encode(started{Pid: pid}) // Without a reader endWith sees to it.
	go endWith(link)
	return reap(pid, func(status syscall.WaitStatus) { _ = out.Encode(ended{uint32(status)}) }) // Perhaps nobody asks any more.
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
