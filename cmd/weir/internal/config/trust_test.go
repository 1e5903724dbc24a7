package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ProjectDir, "skills"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAFolderIsAskedAboutOnce(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	yes, no, plain := project(t), project(t), t.TempDir()
	store := NewTrustStore(state)
	if !store.NeedsTrust(yes) || store.NeedsTrust(plain) || store.Trusted(yes) {
		t.Error("before any answer")
	}
	if store.Level(yes, true) != Unread || store.Level(yes, false) != Narrowing {
		t.Error("levels before any answer")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(yes, link); err != nil {
		t.Fatal(err)
	}
	if err := store.Trust(link); err != nil {
		t.Fatal(err)
	}
	if err := store.Refuse(no); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*TrustStore{store, NewTrustStore(state)} {
		if !s.Trusted(yes) || s.Trusted(no) || s.NeedsTrust(yes) || s.NeedsTrust(no) || s.Level(no, true) != Narrowing {
			t.Error("after the answers")
		}
		if s.Trusted(filepath.Join(yes, ProjectDir)) {
			t.Error("a folder inside is another folder")
		}
	}
	for path, want := range map[string]os.FileMode{state: 0o700, filepath.Join(state, trustFile): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
}

// A yes is for what was there: what a pull or a command has made of it since is
// asked about. A no needs no second one.
func TestAChangedConfigurationIsAskedAboutAgain(t *testing.T) {
	state, yes, no := t.TempDir(), project(t), project(t)
	write := func(text string) {
		for _, dir := range []string{yes, no} {
			if err := os.WriteFile(filepath.Join(dir, ProjectDir, FileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("max-steps = 3")
	store := NewTrustStore(state)
	if err := errors.Join(store.Trust(yes), store.Refuse(no)); err != nil {
		t.Fatal(err)
	}
	for text, same := range map[string]bool{"max-steps = 3": true, "max-steps = 4": false, "": false} {
		write(text)
		for _, s := range []*TrustStore{store, NewTrustStore(state)} {
			if s.Trusted(yes) != same || s.NeedsTrust(yes) == same || s.Changed(yes) == same || s.Level(yes, false) == Trusted != same {
				t.Errorf("%q: trusted %v, to be asked %v, changed %v", text, s.Trusted(yes), s.NeedsTrust(yes), s.Changed(yes))
			}
			if s.Trusted(no) || s.NeedsTrust(no) || s.Changed(no) {
				t.Errorf("%q: the no does not hold", text)
			}
		}
	}
}

func TestTrustThatOthersCouldHaveWrittenDoesNotCount(t *testing.T) {
	state, dir := t.TempDir(), project(t)
	if err := NewTrustStore(state).Trust(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(state, trustFile), 0o622); err != nil {
		t.Fatal(err)
	}
	if NewTrustStore(state).Trusted(dir) {
		t.Error("believed a file that others may write")
	}
}

func TestWithoutAHomeAnAnswerHoldsForTheRun(t *testing.T) {
	dir, store := project(t), NewTrustStore("")
	if err := store.Trust(dir); err == nil {
		t.Error("nothing was said of what is not kept")
	}
	if !store.Trusted(dir) || store.NeedsTrust(dir) {
		t.Error("the answer was forgotten")
	}
}

func TestALinkOutOfTheFolderIsNoProjectConfig(t *testing.T) {
	outside, dir := project(t), t.TempDir()
	if err := os.Symlink(filepath.Join(outside, ProjectDir), filepath.Join(dir, ProjectDir)); err != nil {
		t.Fatal(err)
	}
	if HasProject(dir) {
		t.Error("followed a link out of the folder")
	}
}
