package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// trustFile holds a line of JSON for every answer, the last of a folder counts.
const trustFile = "trusted.jsonl"

// trustMax bounds how much of it is read, in bytes.
const trustMax = 4 << 20

// TrustStore remembers which folders the person trusts. Without a folder to
// write to it remembers as long as the program runs. Its methods may be called
// from any goroutine and by several programs at once.
type TrustStore struct {
	dir string
	mu  sync.Mutex
	own map[string]answer // what this run was told
}

type answer struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
	// Config is the hash of the configuration file that was trusted.
	Config string `json:"config,omitempty"`
}

// NewTrustStore returns the store in the state folder dir; "" for none.
func NewTrustStore(dir string) *TrustStore { return &TrustStore{dir: dir, own: map[string]answer{}} }

// Trusted reports whether the person has said yes to dir, links followed, and
// its configuration file is the same since. A file of answers that others may
// write to counts for nothing.
func (t *TrustStore) Trusted(dir string) bool {
	yes, _ := t.answer(dir)
	return yes
}

// Trust remembers a yes. After an error it holds for this run only.
func (t *TrustStore) Trust(dir string) error { return t.record(dir, true) }

// Refuse remembers a no, so that nobody is asked again.
func (t *TrustStore) Refuse(dir string) error { return t.record(dir, false) }

// NeedsTrust reports whether the person must be asked: there is something of
// the project that would count, and no answer yet. It only looks whether names
// exist.
func (t *TrustStore) NeedsTrust(dir string) bool {
	if !HasProject(dir) {
		return false
	}
	_, answered := t.answer(dir)
	return !answered
}

// Level is how far dir counts: not at all before an answer, if there may be one.
func (t *TrustStore) Level(dir string, attended bool) Trust {
	yes, answered := t.answer(dir)
	switch {
	case yes:
		return Trusted
	case attended && !answered:
		return Unread
	default:
		return Narrowing
	}
}

// HasProject reports whether dir holds configuration, skills, commands or
// hooks. It reads none of them and follows no link out of dir.
func HasProject(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	for _, name := range []string{FileName, "skills", "commands", "hooks"} {
		if _, err := root.Lstat(filepath.Join(ProjectDir, name)); err == nil {
			return true
		}
	}
	return false
}

// Changed reports whether the person has said yes to dir, and its configuration
// file is another one since.
func (t *TrustStore) Changed(dir string) bool {
	a, _ := t.last(dir)
	return a.Trusted && a.Config != configSum(a.Dir)
}

// answer forgets a yes to what has changed: it was not for that.
func (t *TrustStore) answer(dir string) (yes, answered bool) {
	a, answered := t.last(dir)
	yes = a.Trusted && a.Config == configSum(a.Dir)
	return yes, answered && yes == a.Trusted
}

func (t *TrustStore) last(dir string) (last answer, ok bool) {
	real, err := resolve(dir)
	if err != nil {
		return last, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a, ok := t.own[real]; ok {
		return a, true
	}
	for line := range bytes.Lines(t.read()) {
		var a answer
		if json.Unmarshal(line, &a) == nil && a.Dir == real {
			last, ok = a, true
		}
	}
	return last, ok
}

// configSum is the hash of the configuration file of dir, which is read as it is
// for the settings; "" if there is none.
func configSum(dir string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Join(ProjectDir, FileName), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, fileMax+1)); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// read returns the file, nothing if it cannot be relied on.
func (t *TrustStore) read() []byte {
	if t.dir == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(t.dir, trustFile), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, trustMax))
	if err != nil {
		return nil
	}
	return data
}

func (t *TrustStore) record(dir string, yes bool) error {
	real, err := resolve(dir)
	if err != nil {
		return fmt.Errorf("remember the answer for a folder: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := answer{Dir: real, Trusted: yes}
	if yes {
		a.Config = configSum(real)
	}
	t.own[real] = a
	if err := t.append(a); err != nil {
		return fmt.Errorf("remember the answer for %s: %w", real, err)
	}
	return nil
}

// append writes one line in one write, so that two programs do not mix theirs.
func (t *TrustStore) append(a answer) error {
	if t.dir == "" {
		return errors.New("no home to write to")
	}
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_APPEND | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(filepath.Join(t.dir, trustFile), flags, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
