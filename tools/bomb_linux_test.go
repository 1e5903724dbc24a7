package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const (
	bombArg   = "__bomb" // then whether each leaves its session, and the slots
	bombSlots = 150      // so many of one run at a time at most
	bombTime  = 30       // seconds after which each ends by itself
)

// bomb starts copies of this process that start copies, for every slot that is
// free, so that whoever is killed has a successor at once. A slot is a file that
// a copy holds the lock of while it lives. It makes raw system calls only, as
// nothing of Go's runtime works in a copy.
//
//go:norace
//go:nosplit
func bomb(leave bool, slots *[bombSlots]*byte) {
	var now, end syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&end)), 0)
	for {
		for _, slot := range slots {
			_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
			if now.Sec > end.Sec+bombTime {
				_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
			}
			at := -100 // The working folder.
			file, _, err := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(slot)), syscall.O_RDWR, 0, 0, 0)
			if err != 0 {
				continue
			}
			if _, _, err = syscall.RawSyscall(syscall.SYS_FLOCK, file, syscall.LOCK_EX|syscall.LOCK_NB, 0); err == 0 {
				copied, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
				if err == 0 && copied == 0 {
					if leave {
						_, _, _ = syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
					}
					continue // It keeps the slot.
				}
			}
			_, _, _ = syscall.RawSyscall(syscall.SYS_CLOSE, file, 0, 0)
		}
	}
}

// The test binary is the bomb, too.
func init() {
	if len(os.Args) != 4 || os.Args[1] != bombArg {
		return
	}
	var slots [bombSlots]*byte
	for i := range slots {
		name, err := syscall.BytePtrFromString(filepath.Join(os.Args[3], fmt.Sprint(i)))
		if err != nil {
			panic(err)
		}
		slots[i] = name
	}
	bomb(os.Args[2] == "leave", &slots)
}

// slotsTaken are the copies of a bomb that live.
func slotsTaken(t *testing.T, dir string) (taken int) {
	t.Helper()
	for i := range bombSlots {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprint(i)), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			taken++
		}
		_ = f.Close()
	}
	return taken
}

// bombs are commands that set one off: their shell ends at once, or waits.
var bombs = map[string]string{
	"in one group":       "BOMB stay SLOTS & echo; sleep 600",
	"its shell is gone":  "BOMB stay SLOTS &",
	"each in a session":  "BOMB leave SLOTS & echo; sleep 600",
	"sessions, no shell": "BOMB leave SLOTS &",
	"no sign of whose":   "env -i setsid -f BOMB leave SLOTS >/dev/null 2>&1 </dev/null; sleep 600",
}

// A command whose children are many, and start others as fast as they are
// killed, ends with its call all the same.
func TestABombHarmsOnlyItsOwnCall(t *testing.T) {
	for _, exe := range []string{"", itself(t)} {
		for name, command := range bombs {
			if exe == "" && name == "no sign of whose" {
				continue // Only a stage still holds that.
			}
			t.Run(fmt.Sprintf("%s, stage %v", name, exe != ""), func(t *testing.T) {
				k := newKit(t, Config{Exe: exe})
				slots := t.TempDir()
				for i := range bombSlots {
					if err := os.WriteFile(filepath.Join(slots, fmt.Sprint(i)), nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := context.WithCancel(t.Context())
				go func() { // Ends with the bomb at its largest.
					defer cancel()
					for began := time.Now(); slotsTaken(t, slots) < bombSlots && time.Since(began) < bombTime*time.Second/3; {
					}
				}()
				command := strings.NewReplacer("BOMB", itself(t)+" "+bombArg, "SLOTS", slots).Replace(command)
				r := k.callIn(ctx, k.scope, "bash", args{"command": command})
				<-ctx.Done()
				began := time.Now()
				k.scope.EndTurn("t1")
				if n := slotsTaken(t, slots); n > 0 || time.Since(began) > bombTime*time.Second/3 {
					t.Errorf("%d live on after %v: %s", n, time.Since(began), r.Text)
				}
			})
		}
	}
}
