package tools

import (
	"os"
	"sync"
	"syscall"
)

// fromKernel reports whether a file lies in a file system that the kernel makes
// up: such files call themselves regular, but may wait for ever, have no end,
// or show the secrets of processes.
func fromKernel(file *os.File) bool {
	made := false
	conn, err := file.SyscallConn()
	return err == nil && conn.Control(func(fd uintptr) { made = madeUp(int(fd)) }) == nil && made
}

func madeUp(fd int) bool {
	var stat syscall.Statfs_t
	if err := syscall.Fstatfs(fd, &stat); err != nil {
		return false
	}
	switch uint32(stat.Type) {
	case 0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673: // proc, sysfs, debugfs, tracefs, securityfs
		return true
	}
	return false
}

// kernelDevices remembers which devices fromKernel holds for. One is for one
// search, since the number of a device that is gone is given again.
type kernelDevices struct{ known sync.Map }

func (k *kernelDevices) holds(fd int, device uint64) bool {
	made, ok := k.known.Load(device)
	if !ok {
		made = madeUp(fd)
		k.known.Store(device, made)
	}
	return made.(bool)
}
