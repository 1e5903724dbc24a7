package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaces makes the helper start in namespaces of its own, with the rights in
// them that it needs to arrange them.
func (s *Sandbox) namespaces(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	a := cmd.SysProcAttr
	a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	if !s.cfg.AllowNet {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = append(a.AmbientCaps, unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN)
}

// namespaces arranges the namespaces the helper was started in.
func (s spec) namespaces() error {
	dir, err := s.Dir, error(nil)
	if dir == "" {
		if dir, err = os.Getwd(); err != nil {
			return err
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	if !s.Net {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("loopback: %w", err)
		}
	}
	mounts, err := s.gather()
	if err != nil {
		return err
	}
	if err := readOnly(unix.AT_FDCWD, "/", 0); err != nil {
		return fmt.Errorf("make all read-only: %w", err)
	}
	for _, m := range mounts {
		if err := m.attach(); err != nil {
			return fmt.Errorf("mount %s: %w", m.path, err)
		}
	}
	if err := s.inner(); err != nil {
		return err
	}
	for _, path := range append([]string{"/run"}, s.paths(hiddenDir)...) {
		if err := readOnly(unix.AT_FDCWD, path, 0); err != nil {
			return fmt.Errorf("seal %s: %w", path, err)
		}
	}
	if err := verify(s.Places); err != nil {
		return err
	}
	// The folder it was started in is that of before the mounts.
	return os.Chdir(dir)
}

// mount is a piece of the file system, taken out before anything is covered; fd
// is -1 for an empty one.
type mount struct {
	path string
	fd   int
	dir  bool
}

// gather takes what must be seen again once /tmp and /run are covered, in the
// order to put it back. The descriptors are closed by the exec.
func (s spec) gather() ([]mount, error) {
	tmp, err := tree(s.Tmp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Tmp, err)
	}
	kept := []mount{}
	for _, path := range runKept {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		fd, err := tree(real)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		kept = append(kept, mount{path: path, fd: fd, dir: info.IsDir()})
	}
	for _, root := range s.paths(writable) {
		fd, err := tree(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", root, err)
		}
		kept = append(kept, mount{path: root, fd: fd, dir: true})
	}
	base := []mount{
		{path: "/tmp", fd: tmp, dir: true}, {path: "/run", fd: -1, dir: true}, {path: "/dev/shm", fd: -1, dir: true},
	}
	return append(base, kept...), nil
}

// inner mounts what lies in the roots or in what is still seen.
func (s spec) inner() error {
	for _, p := range s.Places {
		m := mount{path: p.Path, fd: -1, dir: p.Dir}
		var err error
		switch p.Use {
		case writable:
			continue
		case pinned, protected:
			m.fd, err = tree(p.Path)
		case hiddenFile:
			m.fd, err = tree("/dev/null")
		case hiddenDir:
		}
		if err == nil && (p.Use == protected || p.Use == hiddenFile) {
			err = readOnly(m.fd, "", unix.MOUNT_ATTR_NODEV)
		}
		if err == nil {
			err = m.attach()
		}
		if err != nil {
			return fmt.Errorf("mount %s: %w", p.Path, err)
		}
	}
	return nil
}

// paths are those of one use.
func (s spec) paths(use use) []string {
	var paths []string
	for _, p := range s.Places {
		if p.Use == use {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// tree returns a copy of what is mounted at and below path.
func tree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// readOnly closes a mount, and those below it, for writing; more are further
// attributes.
func readOnly(fd int, path string, more uint64) error {
	flags := uint(unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	return unix.MountSetattr(fd, path, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | more})
}

// attach mounts m at its path, which is made if it is missing in a folder that
// was covered.
func (m mount) attach() error {
	if _, err := os.Lstat(m.path); err != nil {
		if err := os.MkdirAll(filepath.Dir(m.path), 0o755); err != nil {
			return err
		}
		if m.dir {
			err = os.Mkdir(m.path, 0o755)
		} else {
			err = os.WriteFile(m.path, nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if m.fd < 0 {
		return unix.Mount("tmpfs", m.path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755")
	}
	return unix.MoveMount(m.fd, "", unix.AT_FDCWD, m.path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// loopbackUp lets programs inside reach each other.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
