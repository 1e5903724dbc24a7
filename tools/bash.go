package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Times a command may take.
const (
	bashTimeout    = 120 * time.Second
	bashTimeoutMax = 600 * time.Second

	commandBytesMax = 128<<10 - 1 // what Linux takes as one argument (execve(2), MAX_ARG_STRLEN)
)

//go:embed bash.md
var bashText string

type bashArgs struct {
	Command    string `json:"command" jsonschema:"the command line"`
	TimeoutMS  count  `json:"timeout_ms,omitempty" jsonschema:"how long it may run, in milliseconds; 120000 if left out, at most 600000"`
	Background bool   `json:"background,omitempty" jsonschema:"start it as a job and return at once"`
	Cwd        string `json:"cwd,omitempty" jsonschema:"the folder to run it in, for this command only"`
}

func (a bashArgs) Summary() string { return a.Command }

func (b *builtin) bash() Tool {
	return mustNew(Spec{
		Name: "bash", Description: bashText, Class: Exec,
		Timeout: bashTimeoutMax + killTime + mercyTime + time.Second, // The tool's own timeout comes first.
	}, b.runBash)
}

// command is one call of bash.
type command struct {
	b       *builtin
	call    Call
	args    bashArgs
	timeout time.Duration // 0: none
	dir     *folder
	notes   []string
}

// folder is where the next command of a session starts.
type folder struct {
	mu   sync.Mutex
	path string // "" is the workspace root
}

type folderKey struct{}

func (b *builtin) runBash(ctx context.Context, call Call, args bashArgs) Result {
	c := &command{b: b, call: call, args: args}
	c.dir = call.Scope.Value(folderKey{}, func() any { return &folder{} }).(*folder)
	switch {
	case strings.TrimSpace(args.Command) == "":
		return badArgument("the command is empty")
	case strings.ContainsRune(args.Command, 0):
		return badArgument("a command cannot hold a NUL byte")
	case len(args.Command) > commandBytesMax:
		return badArgument("the command has %d bytes, and the system takes at most %d; write it to a file and run that", len(args.Command), commandBytesMax)
	case args.Background && jobsOf(call.Scope).full():
		return failed("%d jobs are running already; end one with job_kill", jobsRunningMax)
	}
	if args.TimeoutMS > 0 || !args.Background {
		c.timeout = min(time.Duration(args.TimeoutMS)*time.Millisecond, bashTimeoutMax)
		if c.timeout == 0 {
			c.timeout = bashTimeout
		}
	}
	if ctx.Err() != nil {
		return stopped(ctx, "canceled before it started")
	}
	p, err := c.start()
	if err != nil {
		return failed("the command could not be started: %v", err)
	}
	if args.Background {
		return c.background(p)
	}
	return c.foreground(ctx, p)
}

// start runs the shell.
func (c *command) start() (*process, error) {
	dir, err := c.folder()
	if err != nil {
		return nil, err
	}
	mark := newMark()
	out := &output{spill: spill{
		dir: c.b.cfg.SpillDir, name: "output-" + mark + ".txt", max: c.b.cfg.SpillBytesMax,
		create: func(path string) (*os.File, error) { return c.b.createSpill(c.call.Scope, path) },
	}}
	cmd := exec.Command(c.b.shell(), "-c", c.args.Command)
	cmd.Dir = dir
	cmd.Env = environ(c.b.cfg.Env, c.b.cfg.SecretEnv, mark)
	told := &folderPipe{}
	if !c.args.Background {
		out.live, out.liveLeft = c.call.Output, outputLiveMax
		if c.args.Cwd == "" {
			if told, err = tellFolder(cmd); err != nil {
				return nil, err
			}
		}
	}
	defer told.started()
	p, err := startProcess(cmd, []io.Writer{out}, mark, c.b.cfg.Wrap, c.b.cfg.Exe)
	if err != nil {
		told.close()
		return nil, err
	}
	p.folder = told
	return p, nil
}

func (b *builtin) shell() string {
	if b.cfg.Shell != "" {
		return b.cfg.Shell
	}
	if _, err := os.Stat("/bin/bash"); err == nil {
		return "/bin/bash"
	}
	return "/bin/sh"
}

// folder returns the directory to run in.
func (c *command) folder() (string, error) {
	if c.args.Cwd != "" {
		place, err := c.b.ws.locateFolder(c.args.Cwd, c.b.withholds("list_dir"))
		if err != nil {
			return "", fmt.Errorf("cwd %s: %w", shown(c.args.Cwd), err)
		}
		return place.Path, nil
	}
	c.dir.mu.Lock()
	defer c.dir.mu.Unlock()
	if c.dir.path != "" {
		if _, err := c.b.ws.locateFolder(c.dir.path, nil); err == nil {
			return c.dir.path, nil
		}
		c.dir.path = ""
		c.notes = append(c.notes, "the working directory is gone; this ran in the workspace root")
	}
	root := c.b.ws.roots[0].real
	if _, err := os.Stat(root); err != nil {
		return "", fmt.Errorf("the workspace %s: %w; a person must make it again", shown(root), plain(err))
	}
	return root, nil
}

// keepFolder makes path the directory of the next command.
func (c *command) keepFolder(path string) {
	if path == "" {
		return
	}
	place, err := c.b.ws.locateFolder(path, nil)
	c.dir.mu.Lock()
	defer c.dir.mu.Unlock()
	if err != nil {
		if errors.Is(err, ErrOutside) {
			c.notes = append(c.notes, "that directory is outside the workspace; the next command starts in the workspace root")
		}
		c.dir.path = ""
		return
	}
	c.dir.path = place.Path
}

func (c *command) background(p *process) Result {
	job := jobsOf(c.call.Scope).add(c.call, c.args.Command, p)
	pid := p.pid
	if c.timeout > 0 {
		go func() { // Ends with the job or its time.
			timer := time.NewTimer(c.timeout)
			defer timer.Stop()
			select {
			case <-p.drained:
			case <-timer.C:
				p.kill()
			}
		}()
	}
	c.notes = append(c.notes, "read it with job_output, end it with job_kill")
	return Result{
		Text:       fmt.Sprintf("job %s started, pid %d", job.id, pid) + lines(c.notes),
		Background: []int{pid},
	}
}

func (c *command) foreground(ctx context.Context, p *process) Result {
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	defer p.folder.close()
	select {
	case <-p.exited:
	case <-within.Done():
		return c.cutOff(ctx, p)
	}
	complete := p.settle()
	members := p.left(within)
	switch {
	case ctx.Err() != nil || p.attacked():
		p.kill() // That came while the end was settling; nothing may stay.
		members = nil
	case within.Err() != nil:
		return c.cutOff(ctx, p) // So many are left that they could not be listed.
	}
	if !complete && len(members) == 0 {
		p.abandon()
	}
	c.keepFolder(p.folder.last())
	result := Result{Background: pids(members)}
	if len(members) > 0 {
		job := jobsOf(c.call.Scope).add(c.call, c.args.Command, p)
		c.notes = append(c.notes, fmt.Sprintf("still running in the background: %s (job %s)", pidList(result.Background), job.id))
	}
	if ending := p.ending(); ending != "" {
		result.Kind, result.Text = Failed, ending
	}
	if p.attacked() {
		result.Text = attackText + c.ended(p, closed(p.gone))
	}
	return c.result(p, result)
}

// cutOff ends what has run for too long, or until its call was stopped.
func (c *command) cutOff(ctx context.Context, p *process) Result {
	ended := c.ended(p, p.kill())
	if ctx.Err() != nil {
		return c.result(p, stopped(ctx, "canceled; "+ended))
	}
	return c.result(p, Result{Kind: TimedOut, Text: fmt.Sprintf("timed out after %v; %s", c.timeout, ended)})
}

// ended says what a kill has reached, no more than can be known.
func (c *command) ended(p *process, gone bool) string {
	if !gone {
		return "some of what it had started has not ended yet"
	}
	if p.certain() || c.contained() {
		return "ended with all it had started"
	}
	return "ended with all it had started that could be found"
}

// contained reports that a process namespace holds all that the command starts.
func (c *command) contained() bool {
	contained := c.b.cfg.Contained
	return contained != nil && contained()
}

// result puts the output in front of how the command ended.
func (c *command) result(p *process, r Result) Result {
	p.out.silence()
	text, cut := p.out.text()
	if text == "" {
		text = "(no output)"
	}
	text = strings.TrimSuffix(text, "\n")
	if r.Text != "" {
		text += "\n" + r.Text
	}
	r.Text, r.Truncated = text+lines(c.notes), cut
	return r
}

func lines(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return "\n" + strings.Join(notes, "\n")
}

// stopped is the Result of a call that its context has ended.
func stopped(ctx context.Context, text string) Result {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Result{Kind: TimedOut, Text: text}
	}
	return Result{Kind: Canceled, Text: text}
}
