//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// canFilter says that closeSockets does something on this processor.
const canFilter = true

// Offsets in what the kernel shows a filter, for little-endian processors.
const (
	callNumber = 0
	callArch   = 4
	firstArg   = 16
	x32Calls   = 0x40000000
)

// closeSockets refuses new sockets to this thread and all it starts: with net
// only those of the machine's own services, which could do anything for the
// command, and otherwise all but the ones that ask the kernel about itself.
// Socket pairs stay, because programs talk to their children by them.
func closeSockets(net bool) error {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atMost = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	family := []unix.SockFilter{ // Skips the refusal or falls into it.
		{Code: equal, Jt: 0, Jf: 1, K: unix.AF_UNIX},
	}
	if !net {
		family = []unix.SockFilter{{Code: equal, Jt: 1, Jf: 0, K: unix.AF_NETLINK}}
	}
	program := []unix.SockFilter{
		{Code: load, K: callArch},
		{Code: equal, Jt: 1, K: arch},
		{Code: answer, K: refuse}, // Another set of calls, of which this knows nothing.
		{Code: load, K: callNumber},
		{Code: atMost, Jf: 1, K: x32Calls},
		{Code: answer, K: refuse},
		{Code: equal, Jf: 1, K: unix.SYS_IO_URING_SETUP}, // It opens sockets without the call.
		{Code: answer, K: refuse},
		{Code: equal, Jf: 3, K: unix.SYS_SOCKET},
		{Code: load, K: firstArg},
		family[0],
		{Code: answer, K: refuse},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0)
}
