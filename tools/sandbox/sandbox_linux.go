package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Sandbox confines commands. Its methods may be called from any goroutine.
type Sandbox struct {
	cfg  Config
	kind Kind
	tmp  string // the private temporary folder
	seen Report

	found found // repositories
	mu    sync.Mutex
	made  map[string]made // what stands for missing paths
}

// New returns a sandbox, tried out with one process, and in a few words what
// was got, for the notice. That takes some ten milliseconds and makes a private
// temporary folder, which [Sandbox.Close] removes. With [Auto] and nothing that
// works, and with [Off], the Sandbox changes no command.
func New(cfg Config) (s *Sandbox, got string, err error) {
	if cfg.Mode == Off {
		return &Sandbox{}, "off", nil
	}
	if cfg, err = cfg.resolve(); err != nil {
		return nil, "", err
	}
	report := look()
	if cfg.Report != nil {
		report = *cfg.Report
	}
	tmp, err := makeTemp(cfg)
	if err != nil {
		return nil, "", err
	}
	missing := []string{}
	for _, kind := range report.kinds() {
		s := &Sandbox{cfg: cfg, kind: kind, tmp: tmp, seen: report, made: map[string]made{}}
		open := strings.Join(s.open(), ", ")
		err := error(nil)
		if cfg.Mode == On && open != "" {
			err = fmt.Errorf("leaves open: %s", open)
		} else {
			err = s.try()
		}
		if err == nil {
			return s, s.got(open), nil
		}
		s.away()
		missing = append(missing, fmt.Sprintf("%v: %v", kind, err))
	}
	_ = os.RemoveAll(tmp) // It is empty.
	missing = slices.Concat(report.Missing, missing)
	if cfg.Mode == On {
		return nil, "", fmt.Errorf("no sandbox works here: %s; %s", strings.Join(missing, "; "), remedy)
	}
	return &Sandbox{}, "none: " + strings.Join(missing, "; "), nil
}

// makeTemp makes the private temporary folder.
func makeTemp(cfg Config) (string, error) {
	tmp, err := os.MkdirTemp(cfg.TempDir, "weir-")
	if err == nil {
		tmp, err = filepath.EvalSymlinks(tmp)
	}
	if err != nil {
		return "", fmt.Errorf("sandbox: private temporary folder: %w", err)
	}
	return tmp, nil
}

// got describes the sandbox for the notice.
func (s *Sandbox) got(open string) string {
	text := s.kind.String()
	if s.kind != Bubblewrap {
		text += fmt.Sprintf(", ABI %d", s.seen.Landlock)
	}
	if open != "" {
		text += "; left open: " + open
	}
	if s.found.beyond {
		text += fmt.Sprintf("; repositories in the workspace beyond the first %d names, or more than can be named to the sandbox, are not protected", repoNamesMax)
	}
	return text
}

// remedy tells how to get a sandbox.
const remedy = "install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap) and let " +
	"users make namespaces (sysctl kernel.unprivileged_userns_clone=1, or " +
	"kernel.apparmor_restrict_unprivileged_userns=0), or turn the sandbox off"

// open names what a working sandbox of this kind would not close.
func (s *Sandbox) open() []string {
	if s.kind != Landlock {
		return nil
	}
	open := []string{"modes and owners of the user's files can be changed"}
	if len(s.cfg.ReadOnlyInside) > 0 || s.cfg.Repositories {
		open = append(open, "protected files inside the workspace can be written")
	}
	if s.seen.Landlock < signalABI {
		open = append(open, "signals reach other processes")
	}
	if !canFilter {
		open = append(open, "network and sockets")
	}
	return open
}

// Kind is what confines the commands; None if nothing does.
func (s *Sandbox) Kind() Kind { return s.kind }

// Close removes the private temporary folder, and what was made to stand for
// missing protected paths. No command may run any more.
func (s *Sandbox) Close() error {
	s.away()
	if s.tmp == "" {
		return nil
	}
	return os.RemoveAll(s.tmp)
}

// Wrap changes a prepared command so that it runs confined, with the same
// arguments, environment (but for TMPDIR), descriptors, output and working
// folder. Its process attributes are added to. After an error the command must
// not be started. Who ends it early must end its whole process group, or all of
// its descendants: bubblewrap is several processes, and one whose parent is
// killed while they set up sleeps for ever.
func (s *Sandbox) Wrap(cmd *exec.Cmd) error {
	if s.kind == None {
		return nil
	}
	if cmd.Err != nil {
		return cmd.Err
	}
	spec, err := s.spec(cmd)
	if err != nil {
		return err
	}
	return s.wrap(cmd, spec)
}

// spec is what the helper must know for cmd.
func (s *Sandbox) spec(cmd *exec.Cmd) (spec, error) {
	places, err := s.plan()
	return spec{
		Path: cmd.Path, Dir: cmd.Dir, Kind: s.kind, Landlock: s.seen.Landlock, Places: places,
		Tmp: s.tmp, Net: s.cfg.AllowNet, Limits: s.cfg.Limits, Hidden: s.cfg.Hidden,
	}, err
}

func (s *Sandbox) wrap(cmd *exec.Cmd, spec spec) error {
	if len(cmd.Args) == 0 {
		cmd.Args = []string{cmd.Path}
	}
	tmp := "/tmp"
	if s.kind == Landlock {
		tmp = s.tmp
	}
	cmd.Env = append(cmd.Environ(), "TMPDIR="+tmp)
	if s.kind == Bubblewrap {
		return s.bubblewrap(cmd, spec)
	}
	args, err := spec.encode(cmd.Args)
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = s.cfg.Exe, append([]string{s.cfg.Exe}, args...)
	if s.kind == Namespaces {
		s.namespaces(cmd)
	}
	return nil
}
