package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/weir-agents/weir/cmd/weir/internal/config"
	"github.com/weir-agents/weir/cmd/weir/internal/edit"
	"github.com/weir-agents/weir/cmd/weir/internal/render"
	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/sandbox"
)

// doctor looks at what a turn would use and says what of it will not do, a line
// each. It changes nothing, runs nothing of the folder, and sends nothing but one
// request for the list of models to the server that a turn would ask.
type doctor struct {
	*app
	code int   // the exit code so far
	err  error // of a write
}

// The first word of a finding.
const (
	healthy = "ok"
	doubted = "warn"
	broken  = "fail"
)

// doctor examines everything and returns the exit code: 0 if nothing fails, 2 if
// it is the configuration, else 1.
func (a *app) doctor(args []string) int {
	d := &doctor{app: a}
	flags := a.flags
	err := a.configure(args, false)
	if err != nil { // what the command line says by itself is still worth a look
		a.flags = flags
	}
	d.version()
	d.settings(err)
	d.home()
	d.folder()
	d.model()
	d.confinement()
	d.programs()
	d.terminal()
	if d.err != nil {
		return a.fail(d.err)
	}
	return d.code
}

// say writes a finding. What to do about it stands behind a semicolon.
func (d *doctor) say(level, what, format string, args ...any) {
	if d.err != nil {
		return
	}
	text := fmt.Sprintf("%-4s  %-9s ", level, what) + render.Line(fmt.Sprintf(format, args...), 0)
	if style := map[string]string{doubted: "\x1b[33m", broken: "\x1b[31m"}[level]; style != "" && d.color(d.std.OutTerminal) {
		text = style + text + "\x1b[0m"
	}
	_, d.err = fmt.Fprintln(d.std.Out, text)
}

// fails writes a finding that makes the exit code.
func (d *doctor) fails(code int, what, format string, args ...any) {
	d.code = max(d.code, code) // the configuration comes before the world
	d.say(broken, what, format, args...)
}

func (d *doctor) version() { d.say(healthy, "version", "%s", versionText()) }

// settings tells how the config files were read; err is the fault in one.
func (d *doctor) settings(err error) {
	if err != nil {
		d.fails(exitUsage, "config", "%s; mend it: what follows goes by the command line alone", d.placed(err))
		return
	}
	dir := d.dirs().config
	if dir == "" {
		d.say(doubted, "config", "there is no home to look for a config file in; set HOME or XDG_CONFIG_HOME")
		return
	}
	file := filepath.Join(dir, config.FileName)
	switch _, err := os.ReadFile(file); {
	case err == nil:
		d.say(healthy, "config", "%s is read", file)
	case os.IsNotExist(err):
		d.say(healthy, "config", "there is no %s, which is no fault; weir config --print says what holds", file)
	default: // it was there a moment ago
		d.say(doubted, "config", "%s cannot be read: %s", file, plainError(err))
	}
	for _, text := range d.config.Refused {
		d.say(doubted, "config", "%s", text)
	}
}

// plainError is an error without the path, which stands before it.
func plainError(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}

// home tells whether weir can keep its files.
func (d *doctor) home() {
	dir := d.dirs().state
	if dir == "" {
		d.say(doubted, "history", "there is no home to keep it in; set HOME or XDG_STATE_HOME")
		return
	}
	there := dir // or the nearest folder above, in which it would be made
	for !exists(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	if err := unix.Access(there, unix.W_OK|unix.X_OK); err != nil {
		d.say(doubted, "history", "%s cannot be written: %s; nothing is kept from one run to the next", dir, err)
		return
	}
	file := filepath.Join(dir, "history")
	info, err := os.Stat(file)
	switch {
	case err != nil:
		d.say(healthy, "history", "%s will be made", file)
	case !info.Mode().IsRegular():
		d.say(doubted, "history", "%s is no file; move it away", file)
	case info.Mode().Perm()&0o077 != 0:
		d.say(doubted, "history", "%s can be read by others; chmod 600 %s", file, file)
	default:
		if _, err := edit.LoadHistory(file); err != nil {
			d.say(doubted, "history", "%s cannot be read: %s; move it away", file, plainError(err))
			return
		}
		d.say(healthy, "history", "%s", file)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// folder tells where a turn would work.
func (d *doctor) folder() {
	root := d.flags.Cwd
	if root == "" {
		root = "."
	}
	work, err := tools.OpenWorkspace(append([]string{root}, d.flags.AddDir...)...)
	if err != nil {
		d.fails(exitUsage, "folder", "%s; name another with --cwd", err)
		return
	}
	defer func() { _ = work.Close() }() // nothing was written
	roots := work.Roots()
	text := strings.Join(roots, ", ")
	switch {
	case d.trust.NeedsTrust(roots[0]):
		d.say(doubted, "folder", "%s has configuration of its own that does not count; start weir there on a terminal to be asked", text)
	case unix.Access(roots[0], unix.W_OK) != nil:
		d.say(doubted, "folder", "%s cannot be written", text)
	default:
		d.say(healthy, "folder", "%s", text)
	}
}

// confinement tells what keeps commands in the folder.
func (d *doctor) confinement() {
	root, err := filepath.Abs(d.flags.Cwd)
	if err != nil {
		d.fails(exitFailed, "sandbox", "%s", err)
		return
	}
	c, err := d.confine([]string{root})
	if err != nil {
		d.fails(exitUsage, "sandbox", "%s", err)
		return
	}
	defer c.close()
	text := c.text()
	switch {
	case c.err != nil:
		d.fails(exitUsage, "sandbox", "%s", text)
	case d.flags.Sandbox == "off":
		d.say(doubted, "sandbox", "off: commands can do what you can; leave --sandbox off out")
	case c.box.Kind() == sandbox.None:
		d.say(doubted, "sandbox", "%s; install bubblewrap, or take care with what you allow", text)
	default:
		d.say(healthy, "sandbox", "%s", text)
	}
}

// programs tells which programs there are. None is run.
func (d *doctor) programs() {
	for _, p := range []struct{ name, without string }{
		{"bash", "commands run in /bin/sh; rules for commands are read as bash reads them"},
		{"git", "commands of the model that use it fail; what weir itself tells of a repository it reads without"},
		{"rg", "commands of the model that use it fail; the grep tool does without"},
	} {
		if path, err := exec.LookPath(p.name); err == nil {
			d.say(healthy, p.name, "%s", path)
		} else {
			d.say(doubted, p.name, "not found in PATH: %s", p.without)
		}
	}
}

// terminal tells what a talk could do here.
func (d *doctor) terminal() {
	term := d.env("TERM")
	switch {
	case !d.std.InTerminal || !d.std.OutTerminal:
		d.say(healthy, "terminal", "standard input and output are not both one: plain text, and each line of input is a turn")
		return
	case term == "" || term == "dumb":
		d.say(doubted, "terminal", "TERM is %q: plain text, and no line editing; set TERM if it can do more", term)
		return
	}
	look := "colour"
	if d.env("NO_COLOR") != "" {
		look = "no colour, since NO_COLOR is set"
	}
	columns, rows := edit.Size(d.std.Screen)
	text := fmt.Sprintf("%s, %d columns and %d rows, %s", term, columns, rows, look)
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := d.env(name)
		if value == "" {
			continue
		}
		if low := strings.ToLower(value); !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8") {
			d.say(doubted, "terminal", "%s; %s is %s, which is not UTF-8: marks and lines may come out wrong", text, name, value)
			return
		}
		break
	}
	d.say(healthy, "terminal", "%s", text)
}
