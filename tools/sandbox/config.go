package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Mode says whether commands must be confined.
type Mode uint8

// The modes. Auto takes the best there is, also none; On takes only what closes
// everything and is an error otherwise; Off confines nothing.
const (
	Auto Mode = iota
	On
	Off
)

// ParseMode reads a Mode as the command line spells it.
func ParseMode(text string) (Mode, error) {
	switch text {
	case "", "auto":
		return Auto, nil
	case "on":
		return On, nil
	case "off":
		return Off, nil
	default:
		return Auto, fmt.Errorf("sandbox %q: must be auto, on or off", text)
	}
}

// Config says what commands may do. The zero value but for Exe lets them write
// their temporary folder only, and reach no network.
type Config struct {
	Mode Mode
	// Exe is the absolute path of the running program, whose main must call
	// [Main] before anything else.
	Exe string
	// Roots are the folders that may be written.
	Roots []string
	// ReadOnlyInside are absolute paths inside Roots that stay as they are. One
	// that does not exist is not protected, unless it ends in a slash and the
	// folder above exists: then an empty folder is made there. A symbolic link
	// on the way from the root to it cannot be protected, and is an error.
	ReadOnlyInside []string
	// Repositories keeps what git runs programs by as it is, in each repository
	// that is found in Roots, submodules and linked work trees too: hooks, info,
	// configuration, and the files that could send git elsewhere for these. In a
	// repository that lacks one, an empty one stands there until Close (commondir
	// then names its own folder). Folders called .weir are kept too. It looks at
	// the first 20,000 names before each command; what lies beyond is not
	// protected, and New says so. A repository that a command makes is its own
	// until it has ended, and one whose .git is a link is not found.
	Repositories bool
	// Hidden are absolute paths that cannot be read or written; what does not
	// exist is passed over. A root must not lie in one.
	Hidden []string
	// AllowNet opens the network, also that of the machine itself.
	AllowNet bool
	// KeepBackground lets what a command leaves running live on under
	// bubblewrap, for the caller to end, also when the caller itself is killed
	// (tools.Config.Exe sees to that); otherwise it ends with the command, and
	// all ends with the thread that started it.
	KeepBackground bool
	// TempDir is where the private temporary folder is made; "" means /tmp.
	TempDir string
	// Limits bound what one command may take.
	Limits Limits
	// Report, if not nil, is used instead of trying everything out.
	Report *Report
}

// Limits are resource limits of a command and of each process it starts. They
// only ever lower what the program itself has.
type Limits struct {
	// Processes of the user, in the sandbox's namespace where there is one; 0
	// means 8,192. The kernel does not count those of root.
	Processes uint64
	// FileBytes is the size of a file it writes; 0 means 64 GiB.
	FileBytes uint64
	// MemoryBytes is its address space; 0 means no limit, because runtimes
	// reserve far more than they use.
	MemoryBytes uint64
	// CPU is its processor time, in whole seconds; 0 means no limit.
	CPU time.Duration
}

// withDefaults fills in what was left out.
func (l Limits) withDefaults() Limits {
	if l.Processes == 0 {
		l.Processes = 8192
	}
	if l.FileBytes == 0 {
		l.FileBytes = 64 << 30
	}
	return l
}

// resolve returns cfg with clean paths free of links, without roots that lie in
// others.
func (cfg Config) resolve() (Config, error) {
	if !filepath.IsAbs(cfg.Exe) {
		return cfg, fmt.Errorf("sandbox: executable %q: must be an absolute path", cfg.Exe)
	}
	if cfg.TempDir == "" {
		cfg.TempDir = "/tmp"
	}
	roots := make([]string, len(cfg.Roots))
	links := map[string]string{}
	for i, root := range cfg.Roots {
		real, err := realFolder(root)
		if err != nil {
			return cfg, fmt.Errorf("sandbox: root: %w", err)
		}
		roots[i], links[filepath.Clean(root)] = real, real
	}
	cfg.Roots = outermost(roots)
	hidden := []string{}
	for _, path := range cfg.Hidden {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // Not there, or not to be reached by a command either.
		}
		for _, root := range cfg.Roots {
			if within(root, real) {
				return cfg, fmt.Errorf("sandbox: the folder %s lies in %s, which commands must not see; "+
					"work in another folder", root, real)
			}
		}
		hidden = append(hidden, real)
	}
	cfg.Hidden = hidden
	protected := make([]string, len(cfg.ReadOnlyInside))
	for i, path := range cfg.ReadOnlyInside {
		protected[i] = path
		for link, real := range links {
			if within(filepath.Clean(path), link) {
				protected[i] = real + strings.TrimPrefix(path, link)
			}
		}
	}
	cfg.ReadOnlyInside = protected
	cfg.Limits = cfg.Limits.withDefaults()
	return cfg, nil
}

// realFolder returns the path of a folder without links.
func realFolder(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q: must be an absolute path", path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s: not a folder", path)
	case real == "/":
		return "", errors.New("/ cannot be a writable folder")
	}
	return real, nil
}

// outermost leaves out what lies in another.
func outermost(roots []string) []string {
	var kept []string
	for i, root := range roots {
		inner := false
		for j, other := range roots {
			inner = inner || within(root, other) && (root != other || j < i)
		}
		if !inner {
			kept = append(kept, root)
		}
	}
	return kept
}

// within reports whether path is dir or lies below it; both are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// rootOf returns the root that path lies strictly below.
func rootOf(path string, roots []string) (string, bool) {
	for _, root := range roots {
		if path != root && within(path, root) {
			return root, true
		}
	}
	return "", false
}
