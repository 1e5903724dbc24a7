package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weir-agents/weir/cmd/weir/internal/gitindex"
	"github.com/weir-agents/weir/tools"
)

// Bounds of what is read of a repository to compare with it.
const (
	indexMax      = 32 << 20 // bytes of an index
	pathDepthMax  = 128      // folders of a tracked name, each open while it is looked at
	contentMax    = 4 << 20  // bytes of a file that is summed
	contentsMax   = 64 << 20 // of all of them
	attributesMax = 32       // files of attributes that are read
	stopEvery     = 1024     // entries between two looks at the time
)

// tracked is an entry of the index whose name is ours to keep.
type tracked struct {
	gitindex.Entry
	name string
}

// look is one comparison.
type look struct {
	top    string // of the work tree
	below  string // what is looked at, with a slash at its end; "" for all
	denied func(path string) bool
	max    int // tracked files, and names for untracked ones

	store   string
	config  gitConfig
	written time.Time // the index
	files   []tracked
	known   map[string]bool // tracked names; true for a submodule
	over    bool            // more than max
	sums    int64           // bytes summed
	other   []string        // of another content than the index has
	status  Status
}

// all compares everything. An error other than that of ctx says why nothing is
// known.
func (l *look) all(ctx context.Context, root string) error {
	if err := l.admit(root); err != nil {
		return err
	}
	if err := l.readIndex(ctx); err != nil {
		return err
	}
	if err := l.compare(ctx); err != nil {
		return err
	}
	switch {
	case l.over:
		l.status.Partly = fmt.Sprintf("more than %d files are tracked; what is untracked was not looked for", l.max)
	case l.status.Tracked > 0 || l.below == "":
		return l.untracked(ctx)
	}
	return nil
}

// admit finds the repository's own folder, and refuses one that does not belong
// to the work tree: its index would tell the names of files elsewhere.
func (l *look) admit(root string) error {
	if !vouched(owner(filepath.Join(l.top, ".git")), owner(root), os.Getuid()) {
		return errors.New("the repository belongs to somebody else")
	}
	store, ok := gitStore(l.top)
	if !ok {
		return errors.New("the repository cannot be read")
	}
	l.store, l.config = store, readGitConfig(store)
	if format := l.config["extensions.objectformat"]; format != "" && !strings.EqualFold(format, "sha1") {
		return errors.New("the repository names its objects by another sum than SHA-1")
	}
	tree, told := l.config["core.worktree"]
	if told && !sameFile(against(store, tree), l.top) {
		return errors.New("the repository's work tree is elsewhere")
	}
	if info, err := os.Lstat(filepath.Join(l.top, ".git")); err == nil && info.IsDir() || told {
		return nil
	}
	back, _, err := readPath(filepath.Join(store, "gitdir"), gitFileMax)
	if err != nil || !sameFile(against(store, strings.TrimSpace(string(back))), filepath.Join(l.top, ".git")) {
		return errors.New(".git leads to a repository that does not name this folder")
	}
	return nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func (l *look) readIndex(ctx context.Context) error {
	l.known = map[string]bool{}
	f, err := os.OpenFile(filepath.Join(l.store, "index"), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was added yet
	}
	if err != nil {
		return fmt.Errorf("the index cannot be read: %s", why(err))
	}
	info, err := f.Stat()
	if err == nil && info.Size() > indexMax {
		err = errors.Join(f.Close(), fmt.Errorf("the index has more than %d bytes", indexMax))
	}
	if err != nil {
		return err
	}
	l.written = info.ModTime()
	data, _, err := readOpen(f, indexMax)
	if err != nil {
		return fmt.Errorf("the index cannot be read: %s", why(err))
	}
	seen := 0
	err = gitindex.Read(data, func(e gitindex.Entry) error {
		if seen++; seen%stopEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.entry(e)
		return nil
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("the index is too large for the time that was left") // not all of it counts
	}
	l.status.Tracked = len(l.files)
	return err
}

// entry keeps an entry of what is looked at.
func (l *look) entry(e gitindex.Entry) {
	if len(e.Name) <= len(l.below) || string(e.Name[:len(l.below)]) != l.below {
		return
	}
	if len(l.files) == l.max {
		l.over = true
		return
	}
	t := tracked{Entry: e, name: string(e.Name)}
	t.Name = nil
	l.files = append(l.files, t)
	l.known[t.name] = e.Mode&gitindex.TypeMask == gitindex.Submodule
}

// errEnough ends a walk that has looked at as many names as it may.
var errEnough = errors.New("enough")

// untracked looks for files that the index does not name and no ignore file
// leaves out.
func (l *look) untracked(ctx context.Context) error {
	root, err := os.OpenRoot(l.top)
	if err != nil {
		l.status.Unreadable++
		return nil
	}
	defer root.Close()
	names := 0
	start := path.Clean("./" + l.below)
	err = tools.Walk(ctx, root, start, func(folder *os.Root, name string, e fs.DirEntry) (bool, error) {
		if names++; names > l.max {
			return false, errEnough
		}
		submodule, known := l.known[name]
		switch kind := e.Type(); {
		case submodule:
		case e.IsDir():
			if _, err := folder.Lstat(e.Name() + "/.git"); err != nil {
				return true, nil
			}
			l.add(&l.status.Untracked, name+"/") // a repository of its own
		case !known && (kind.IsRegular() || kind&fs.ModeSymlink != 0):
			l.add(&l.status.Untracked, name)
		}
		return false, nil
	})
	if errors.Is(err, errEnough) {
		l.status.Partly = fmt.Sprintf("there are more than %d names", l.max)
		return nil
	}
	return err
}
