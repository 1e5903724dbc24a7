package sandbox

import (
	"os"
	"os/exec"
)

// helperPath is where the helper stands inside bubblewrap: the program's own
// place may be hidden there.
const helperPath = "/run/weir"

// keptCaps are what is left of root's rights: those over its own files.
var keptCaps = []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID"}

// runKept are parts of /run that are no door to a service.
var runKept = []string{
	"/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver",
	"/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf",
	"/run/resolvconf/resolv.conf", "/run/NetworkManager/resolv.conf",
}

// bubblewrap puts it in front of the helper, which does the rest inside. No new
// session is made: the caller's own, without a terminal, is one already.
func (s *Sandbox) bubblewrap(cmd *exec.Cmd, spec spec) error {
	args := []string{s.seen.Bubblewrap, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"}
	if os.Geteuid() == 0 {
		for _, name := range keptCaps {
			args = append(args, "--cap-add", name)
		}
	}
	if !s.cfg.AllowNet {
		args = append(args, "--unshare-net")
	}
	if !s.cfg.KeepBackground {
		args = append(args, "--die-with-parent")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run")
	for _, path := range runKept {
		args = append(args, "--ro-bind-try", path, path)
	}
	args = append(args, "--ro-bind", s.cfg.Exe, helperPath, "--bind", s.tmp, "/tmp")
	// Root needs no right to write the settings of the kernel, which run programs.
	seal := []string{"--remount-ro", "/run", "--remount-ro", "/proc"}
	for _, p := range spec.Places {
		switch p.Use {
		case writable, pinned:
			args = append(args, "--bind", p.Path, p.Path)
		case protected:
			args = append(args, "--ro-bind", p.Path, p.Path)
		case hiddenFile:
			args = append(args, "--ro-bind", "/dev/null", p.Path)
		case hiddenDir:
			args = append(args, "--tmpfs", p.Path)
			seal = append(seal, "--remount-ro", p.Path)
		}
	}
	args = append(args, seal...)
	if cmd.Dir != "" {
		args = append(args, "--chdir", cmd.Dir)
	}
	helper, err := spec.encode(cmd.Args)
	if err != nil {
		return err
	}
	cmd.Path = s.seen.Bubblewrap
	cmd.Args = append(append(args, "--", helperPath), helper...)
	return nil
}
