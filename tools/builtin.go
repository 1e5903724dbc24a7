package tools

import (
	"os"
	"os/exec"
)

// Config says what the built-in tools may use. Its zero value is safe: a
// command gets a plain PATH and nothing else of the environment, long output
// is kept in memory only, and there is no skill.
type Config struct {
	// Env is the environment of commands, as os.Environ returns it. What looks
	// like a secret is taken out, and TERM and what would start programs by
	// itself are set to harmless values.
	Env []string
	// SecretEnv names further variables that commands do not get.
	SecretEnv []string
	// Shell runs commands as `Shell -c COMMAND`; "" is /bin/bash, or /bin/sh
	// where there is none.
	Shell string
	// SpillDir is the folder for output that is too long for a result; it is
	// made with mode 0700 if it is not there, and the file tools may read in
	// it. A session keeps its newest 32 files; the caller removes the folder
	// when it is no longer wanted. With "" such output is cut and not kept.
	SpillDir string
	// SpillBytesMax bounds one spill file; 0 means 16 MiB.
	SpillBytesMax int64
	// Wrap, if not nil, may change a command just before it starts, for
	// instance to run it in a sandbox. It must leave ExtraFiles, the output
	// and the working directory as they are. After an error nothing runs.
	Wrap func(cmd *exec.Cmd) error
	// Exe, if not "", is the absolute path of the running program, whose main
	// must call sandbox.Main before anything else. On Linux each command is then
	// started by it and stays below it, so that a cancel, a timeout or the
	// program's own end, also by SIGKILL, ends all that the command has started,
	// however it tries to get away. Without, a process that gives up its
	// environment, its session, its streams and its parent at once lives on, and
	// so does all when the program is killed; a result promises nothing else.
	Exe string
	// Contained, if not nil, reports that Wrap puts each command into a process
	// namespace of its own, so that nothing it starts can get away from a cancel
	// or a timeout, also without Exe.
	Contained func() bool
	// Denied, if not nil, reports that a rule keeps what lies at an absolute path
	// from a tool, as rules.Policy.Denied does. Such names are left out of what
	// grep, glob and list_dir find, and counted; what read_file may not read is
	// not shown by write_file and edit_file either. It is asked for each name of
	// a search, from several goroutines. It cannot hold a command.
	Denied func(tool, path string) bool
	// WebFetch offers web_fetch; without it there is no such tool.
	WebFetch bool
	// WebPrivate lets web_fetch reach the own machine and private networks.
	WebPrivate bool
	// Skills are what the skill tool offers; without any there is no such tool.
	Skills Skills
}

// builtin is what the built-in tools share.
type builtin struct {
	ws  *Workspace
	cfg Config
	// createSpill makes a file for long output; tests put a full disk here.
	createSpill func(scope *Scope, path string) (*os.File, error)
}

// Builtin returns the built-in tools, which act in ws.
func Builtin(ws *Workspace, cfg Config) []Tool {
	if cfg.SpillBytesMax == 0 {
		cfg.SpillBytesMax = 16 << 20
	}
	b := &builtin{ws: ws, cfg: cfg}
	b.createSpill = b.newSpill
	set := []Tool{
		b.readFile(), b.listDir(), b.glob(), b.grep(), b.writeFile(), b.editFile(),
		b.bash(), b.jobOutput(), b.jobKill(), b.todo(),
	}
	if cfg.WebFetch {
		set = append(set, b.webFetch())
	}
	if cfg.Skills != nil && len(cfg.Skills.List()) > 0 {
		set = append(set, b.skill())
	}
	return set
}
