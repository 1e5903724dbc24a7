package tools

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writing puts a content in the place of a file: into a temporary file beside
// it, to the disk, then renamed over it. A file with several hard links, of an
// owner that cannot be kept, or in a folder that takes no new file is written
// in place instead, so that its links, owner and mode stay; then a crash in
// the middle can leave it half written, and undo still has the old content.
type writing struct {
	dir     *os.Root
	name    string
	old     fs.FileInfo // of the file as it was read; nil for a new one
	content []byte

	done fs.FileInfo // of the file as it is now
	note string
}

func (w *writing) run() error {
	if w.old == nil {
		return w.create()
	}
	// Only who may write a file may replace it. The handle also serves to write
	// in place, and is certainly the file that was read.
	file, err := w.dir.OpenFile(w.name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return plain(err)
	}
	defer file.Close()
	if err := w.same(file.Stat()); err != nil {
		return err
	}
	if links(w.old) > 1 {
		w.note = fmt.Sprintf("written in place, since it has %d hard links", links(w.old))
		return w.inPlace(file)
	}
	err = w.replace()
	if errors.Is(err, errKeep) {
		w.note = "written in place, to keep its owner and mode"
		return w.inPlace(file)
	}
	return err
}

// same refuses a file that is no longer the one that was read.
func (w *writing) same(now fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return plain(err)
	case !os.SameFile(w.old, now) || w.old.Size() != now.Size() || !w.old.ModTime().Equal(now.ModTime()):
		return errors.New("changed by another program just now; nothing was written: read it again")
	}
	return regular(now)
}

// errKeep says that a new file could not be given what the old one has.
var errKeep = errors.New("owner or mode cannot be kept")

func (w *writing) replace() error {
	file, temp, err := w.temp(0o600)
	if errors.Is(err, fs.ErrPermission) {
		return errKeep
	}
	if err != nil {
		return err
	}
	defer w.dir.Remove(temp) // Gone already if all went well.
	defer file.Close()
	if err := keepOwner(file, w.old); err != nil {
		return errKeep
	}
	if err := w.fill(file); err != nil {
		return err
	}
	// Behind the content: writing takes the set-user-ID and set-group-ID bits
	// away again, and a program that has them must be whole.
	if err := w.chmod(file); err != nil {
		return errKeep
	}
	if err := w.same(w.dir.Lstat(w.name)); err != nil {
		return err
	}
	if err := w.dir.Rename(temp, w.name); err != nil {
		return plain(err)
	}
	return w.sync()
}

// create makes a new file, with the mode and group a new file gets here, and
// never takes the place of one that appears meanwhile.
func (w *writing) create() error {
	file, temp, err := w.temp(0o666)
	if err != nil {
		return err
	}
	defer w.dir.Remove(temp) // The second name, or what is left after a fault.
	defer file.Close()
	if err := w.fill(file); err != nil {
		return err
	}
	err = w.dir.Link(temp, w.name)
	if errors.Is(err, fs.ErrExist) {
		return errors.New("another program has made it just now; nothing was written: read it first")
	}
	if err != nil { // No hard links in this file system.
		err = w.dir.Rename(temp, w.name)
	}
	if err != nil {
		return plain(err)
	}
	return w.sync()
}

func (w *writing) temp(mode fs.FileMode) (*os.File, string, error) {
	var b [6]byte
	_, _ = rand.Read(b[:]) // Never fails, by its documentation.
	name := ".weir-" + hex.EncodeToString(b[:]) + ".tmp"
	file, err := w.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, "", plain(err)
	}
	return file, name, nil
}

// chmod gives a file that is written the mode of the old one.
func (w *writing) chmod(file *os.File) error {
	if w.done.Mode() == w.old.Mode() {
		return nil
	}
	if err := file.Chmod(w.old.Mode()); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	var err error
	w.done, err = file.Stat()
	return err
}

// fill writes the content to the disk.
func (w *writing) fill(file *os.File) error {
	if _, err := file.Write(w.content); err != nil {
		return plain(err)
	}
	if err := file.Sync(); err != nil {
		return plain(err)
	}
	info, err := file.Stat()
	if err != nil {
		return plain(err)
	}
	w.done = info
	return nil
}

func (w *writing) inPlace(file *os.File) error {
	if _, err := file.WriteAt(w.content, 0); err != nil {
		return plain(err)
	}
	if err := file.Truncate(int64(len(w.content))); err != nil {
		return plain(err)
	}
	if err := file.Sync(); err != nil {
		return plain(err)
	}
	var err error
	if w.done, err = file.Stat(); err != nil {
		return plain(err)
	}
	if err := w.chmod(file); err != nil {
		w.note += fmt.Sprintf("; its mode was %v and is %v", w.old.Mode(), w.done.Mode())
	}
	return nil
}

// sync makes the new name last.
func (w *writing) sync() error {
	dir, err := w.dir.Open(".")
	if err != nil {
		return plain(err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return plain(err)
	}
	return nil
}

// keepOwner gives the new file the owner and group of the old one.
func keepOwner(file *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if ok && is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return file.Chown(int(was.Uid), int(was.Gid))
}

func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
