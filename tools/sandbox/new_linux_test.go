package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestPromise6OnTakesOnlyWhatClosesEverything(t *testing.T) {
	t.Parallel()
	exe := executable(t)
	here := Detect(exe)
	for name, c := range map[string]struct {
		mode     Mode
		report   Report
		got, err string // parts
		kind     Kind
	}{
		"on, nothing there": {
			mode: On, report: Report{Missing: []string{"bubblewrap is not installed"}},
			err: "no sandbox works here: bubblewrap is not installed; install bubblewrap (Debian",
		},
		"auto, nothing there": {report: Report{Missing: []string{"bubblewrap is not installed"}}, got: "none: bubblewrap is not installed"},
		"on, bubblewrap does not work": {
			mode: On, report: Report{Bubblewrap: "/bin/false"}, err: "bubblewrap: exit status 1",
		},
		"on, bubblewrap does not confine": {
			mode: On, report: Report{Bubblewrap: "/bin/true"}, err: "does not serve as its own helper",
		},
		"auto, bubblewrap does not work": {
			report: Report{Bubblewrap: "/bin/false", Landlock: here.Landlock, Namespaces: here.Namespaces}, got: "Landlock",
			kind: here.kinds()[1],
		},
		"on, Landlock alone": {
			mode: On, report: Report{Landlock: here.Landlock},
			err: "Landlock: leaves open: modes and owners of the user's files can be changed, protected files inside the workspace can be written",
		},
		"auto, Landlock alone": {
			report: Report{Landlock: here.Landlock}, kind: Landlock,
			got: "left open: modes and owners of the user's files can be changed, protected files inside the workspace can be written",
		},
		"on, a level the kernel does not know": {
			mode: On, report: Report{Landlock: 99}, err: "leaves open",
		},
		"off": {mode: Off, report: here, got: "off"},
	} {
		root := t.TempDir()
		s, got, err := New(Config{
			Mode: c.mode, Exe: exe, Roots: []string{root}, ReadOnlyInside: []string{root + "/.weir/"}, Report: &c.report,
			TempDir: t.TempDir(),
		})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v; want %s", name, err, c.err)
			}
		case err != nil || !strings.Contains(got, c.got) || s.Kind() != c.kind:
			t.Errorf("%s: %v, %q, %v", name, s.Kind(), got, err)
		default:
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWithoutASandboxCommandsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s, _, err := New(Config{Mode: Off})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/echo", "a")
	before := *cmd
	if err := s.Wrap(cmd); err != nil || !slices.Equal(cmd.Args, before.Args) || cmd.Path != before.Path || cmd.Env != nil {
		t.Errorf("%v, %+v", err, cmd)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestNothingIsLeftWhenThereIsNoSandbox(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	if _, _, err := New(Config{Exe: executable(t), TempDir: temp, Report: &Report{Bubblewrap: "/bin/false"}}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

func TestConfigsThatCannotHold(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	exe := executable(t)
	file := root + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]Config{
		`executable "": must be an absolute path`:           {},
		`root: "a/b": must be an absolute path`:             {Exe: exe, Roots: []string{"a/b"}},
		"lies in " + root + ", which commands must not see": {Exe: exe, Roots: []string{root}, Hidden: []string{root}},
		"/ cannot be a writable folder":                     {Exe: exe, Roots: []string{"/"}},
		"not a folder":                                      {Exe: exe, Roots: []string{file}},
		"no such file or directory":                         {Exe: exe, Roots: []string{root + "/none"}},
		"private temporary folder":                          {Exe: exe, TempDir: root + "/none"},
	} {
		if _, _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestRootsAreTakenByWhatTheyAre(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"/a/b", "/ab", "/hidden"} {
		if err := os.MkdirAll(base+dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", base+"/link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("hidden", base+"/veil"); err != nil {
		t.Fatal(err)
	}
	cfg, err := Config{
		Exe: "/bin/true", Roots: []string{base + "/a/b", base + "/link", base + "/ab", base + "/a"},
		ReadOnlyInside: []string{base + "/link/.git/hooks/", base + "/ab/x"}, Hidden: []string{base + "/veil", base + "/none"},
	}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{base + "/a", base + "/ab"}; !slices.Equal(cfg.Roots, want) {
		t.Errorf("roots %q", cfg.Roots)
	}
	if want := []string{base + "/a/.git/hooks/", base + "/ab/x"}; !slices.Equal(cfg.ReadOnlyInside, want) {
		t.Errorf("protected %q", cfg.ReadOnlyInside)
	}
	if want := []string{base + "/hidden"}; !slices.Equal(cfg.Hidden, want) {
		t.Errorf("hidden %q", cfg.Hidden)
	}
}

// A command of before that still runs may swap a folder for a link while the
// next sandbox is made.
func TestASwapWhileTheSandboxIsMadeIsFound(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind == Landlock {
			return // It mounts nothing.
		}
		for name, swap := range map[string]func(){
			"a link": func() {
				if err := os.Rename(a.root+"/.git", a.root+"/g"); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink("../outside", a.root+"/.git"); err != nil {
					t.Fatal(err)
				}
			},
			"another folder": func() {
				if err := os.Rename(a.root+"/.git", a.root+"/g"); err != nil {
					t.Fatal(err)
				}
				a.write("root/.git/config", "")
				a.write("root/.git/hooks/old", "")
			},
		} {
			cmd := a.wrapped(a.command("echo ran; echo x > .git/new"))
			swap()
			if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "ran") {
				t.Errorf("%s: %v: %s", name, err, out)
			}
			a.want("outside/new", "")
			if err := os.RemoveAll(a.root + "/.git"); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(a.root + "/g"); err != nil {
				t.Fatal(err)
			}
			a.write("root/.git/config", "")
			a.write("root/.git/hooks/old", "")
		}
	})
}

func TestModesAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Mode{"": Auto, "auto": Auto, "on": On, "off": Off} {
		if got, err := ParseMode(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := ParseMode("of"); err == nil {
		t.Error("of is taken for a mode")
	}
}
