package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

var errFromKernel = errors.New("a file of the kernel, not of the disk")

// open opens a regular file for reading. It never waits: whatever else stands
// there is refused before it is opened, and once more after, should it have
// been swapped in between. withholds is that of locateExisting.
func (w *Workspace) open(path string, withholds func(path string) bool) (*os.File, Place, error) {
	place, err := w.locateExisting(path, withholds)
	if err != nil {
		return nil, place, err
	}
	file, err := openPlace(place)
	return file, place, err
}

func openPlace(p Place) (*os.File, error) {
	if err := regular(p.Info); err != nil {
		return nil, err
	}
	return openRegular(p.root.handle, p.Rel)
}

func openRegular(root *os.Root, rel string) (*os.File, error) {
	file, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, plain(err)
	}
	info, err := file.Stat()
	if err == nil {
		err = regular(info)
	}
	if err == nil && fromKernel(file) {
		err = errFromKernel
	}
	if err != nil {
		_ = file.Close() // Nothing was written.
		return nil, err
	}
	return file, nil
}

// regular says what else stands there.
func regular(info fs.FileInfo) error {
	if mode := info.Mode(); !mode.IsRegular() {
		return fmt.Errorf("%s, not a regular file", kind(mode))
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "a folder"
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	default:
		return "a device"
	}
}
