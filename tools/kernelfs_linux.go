package tools

import (
	"os"
	"syscall"
)

// fromKernel reports whether a file lies in a file system that the kernel makes
// up: such files call themselves regular, but may wait for ever, have no end,
// or show the secrets of processes.
func fromKernel(file *os.File) bool {
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	var stat syscall.Statfs_t
	var failure error
	if err := conn.Control(func(fd uintptr) { failure = syscall.Fstatfs(int(fd), &stat) }); err != nil || failure != nil {
		return false
	}
	switch uint32(stat.Type) {
	case 0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673: // proc, sysfs, debugfs, tracefs, securityfs
		return true
	}
	return false
}
