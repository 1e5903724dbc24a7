package workspace

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weir-agents/weir/cmd/weir/internal/gitindex"
)

// compare looks at each tracked file, in the way git does: by kind, mode, size
// and time, and by content only where these leave it open. It follows no link,
// also not in the folders of a name.
func (l *look) compare(ctx context.Context) error {
	top, err := unix.Open(l.top, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		l.status.Unreadable++
		return nil
	}
	folders := folderStack{fds: []int{top}}
	defer folders.close(0)
	last, sums := "", l.sums
	for i, f := range l.files {
		if (i%(stopEvery/16) == 0 || l.sums != sums) && ctx.Err() != nil {
			return ctx.Err()
		}
		sums = l.sums
		switch {
		case f.Stage > 0 && f.name != last:
			l.add(&l.status.Conflicts, f.name)
		case f.Stage > 0, f.Skipped, f.Assumed:
		case f.Mode&gitindex.TypeMask == gitindex.Submodule:
			l.status.Submodules++
		default:
			l.file(&folders, f)
		}
		last = f.name
	}
	to := &l.status.Changed
	if len(l.other) > 0 && l.filtered(&folders) {
		to = &l.status.Maybe
	}
	for _, name := range l.other {
		if ctx.Err() != nil { // rules may look at files
			return ctx.Err()
		}
		l.add(to, name)
	}
	slices.Sort(to.First)
	return nil
}

// file compares one.
func (l *look) file(folders *folderStack, f tracked) {
	var stat unix.Stat_t
	fd, err := folders.at(path.Dir(f.name))
	base := path.Base(f.name)
	if err == nil {
		err = unix.Fstatat(fd, base, &stat, unix.AT_SYMLINK_NOFOLLOW)
	}
	kind := uint32(stat.Mode) & unix.S_IFMT
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP), err == nil && kind == unix.S_IFDIR:
		l.add(&l.status.Deleted, f.name)
	case err != nil:
		l.status.Unreadable++
	case f.Intended:
		l.add(&l.status.Intended, f.name)
	case kind != f.Mode&gitindex.TypeMask && kind == unix.S_IFREG && !l.config.on("core.symlinks", true):
		l.add(&l.status.Maybe, f.name) // a link, where there can be none
	case kind != f.Mode&gitindex.TypeMask,
		kind == unix.S_IFREG && (uint32(stat.Mode)^f.Mode)&gitindex.Executable != 0 && l.config.on("core.filemode", true),
		uint32(stat.Size) != f.Size && (f.Size > 0 || f.ID == sumOf(nil)):
		l.add(&l.status.Changed, f.name)
	case uint32(stat.Size) == f.Size && l.sameTime(f, time.Unix(stat.Mtim.Unix())):
	default:
		l.content(fd, base, f, stat.Size)
	}
}

// sameTime reports whether a file is as old as git knows, and older than the
// index, so that nothing can have been written since in the same tick.
func (l *look) sameTime(f tracked, at time.Time) bool {
	known, index := time.Unix(int64(f.Seconds), int64(f.Nanoseconds)), l.written
	if f.Nanoseconds == 0 {
		at, index = at.Truncate(time.Second), index.Truncate(time.Second)
	}
	return at.Equal(known) && known.Before(index)
}

// content compares what a file holds with what the index knows of it.
func (l *look) content(fd int, base string, f tracked, size int64) {
	if size > contentMax || l.sums+size > contentsMax {
		l.add(&l.status.Maybe, f.name)
		return
	}
	l.sums += size
	data, err := contentAt(fd, base, size, f.Mode&gitindex.TypeMask == gitindex.Link)
	switch {
	case err != nil:
		l.status.Unreadable++
	case sumOf(data) == f.ID:
	case sumOf(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) != f.ID:
		l.other = append(l.other, f.name)
	case f.Size == 0 && !l.config.on("core.autocrlf", false):
		l.add(&l.status.Maybe, f.name) // somebody's configuration may have line ends changed
	default: // git changes line ends: it says so, or this was the size with them
	}
}

// contentAt reads a file, or where a link leads.
func contentAt(fd int, base string, size int64, link bool) ([]byte, error) {
	if link {
		target := make([]byte, size+1)
		n, err := unix.Readlinkat(fd, base, target)
		return target[:max(n, 0)], err
	}
	if size == 0 {
		return nil, nil
	}
	opened, err := unix.Openat(fd, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	data, _, err := readOpen(os.NewFile(uintptr(opened), base), contentMax)
	return data, err
}

// sumOf is git's name of a content.
func sumOf(data []byte) [sha1.Size]byte {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return [sha1.Size]byte(h.Sum(nil))
}

// filtered reports whether attributes may have git keep another content than
// the files have.
func (l *look) filtered(folders *folderStack) bool {
	texts := []string{}
	if data, _, err := readPath(filepath.Join(l.store, "info/attributes"), gitConfigMax); err == nil {
		texts = append(texts, string(data))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	places := []string{"."}
	for i, c := range l.below {
		if c == '/' {
			places = append(places, l.below[:i])
		}
	}
	for _, f := range l.files {
		if path.Base(f.name) == ".gitattributes" {
			places = append(places, path.Dir(f.name))
		}
	}
	if len(places) > attributesMax {
		return true
	}
	for _, place := range places {
		fd, err := folders.at(place)
		if err != nil {
			continue
		}
		if data, err := contentAt(fd, ".gitattributes", gitConfigMax, false); err == nil {
			texts = append(texts, string(data))
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(text, "filter") || strings.Contains(text, "ident") || strings.Contains(text, "encoding")
	})
}

// folderStack are the open folders on the way to a name, the top first. Names in
// order open each folder once.
type folderStack struct {
	fds   []int
	names []string // of all but the top
}

// at opens a folder below the top, with slashes; "." is the top.
func (f *folderStack) at(dir string) (int, error) {
	var want []string
	if dir != "." {
		want = strings.Split(dir, "/")
	}
	if len(want) > pathDepthMax {
		return 0, errors.New("too deep")
	}
	same := 0
	for same < min(len(want), len(f.names)) && want[same] == f.names[same] {
		same++
	}
	f.close(same + 1)
	f.names = f.names[:same]
	for _, name := range want[same:] {
		fd, err := unix.Openat(f.fds[len(f.fds)-1], name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, err
		}
		f.fds, f.names = append(f.fds, fd), append(f.names, name)
	}
	return f.fds[len(f.fds)-1], nil
}

// close closes all but the first n.
func (f *folderStack) close(n int) {
	for _, fd := range f.fds[n:] {
		_ = unix.Close(fd) // only read from
	}
	f.fds = f.fds[:n]
}
