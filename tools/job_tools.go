package tools

import (
	"context"
	_ "embed"
	"fmt"
	"time"
)

// jobWaitMax bounds how long one call of job_output waits.
const jobWaitMax = 60 * time.Second

//go:embed job_output.md
var jobOutputText string

//go:embed job_kill.md
var jobKillText string

type jobOutputArgs struct {
	Job    string `json:"job" jsonschema:"number of the job, as bash told it"`
	Offset int64  `json:"offset,omitempty" jsonschema:"where to go on, in bytes of its output"`
	WaitMS int    `json:"wait_ms,omitempty" jsonschema:"how long to wait for its end, in milliseconds, at most 60000"`
}

func (a jobOutputArgs) Summary() string { return "job " + shown(a.Job) }

type jobKillArgs struct {
	Job string `json:"job" jsonschema:"number of the job, as bash told it"`
}

func (a jobKillArgs) Summary() string { return "job " + shown(a.Job) }

func (b *builtin) jobOutput() Tool {
	return mustNew(Spec{Name: "job_output", Description: jobOutputText, Class: ReadOnly}, runJobOutput)
}

func (b *builtin) jobKill() Tool {
	return mustNew(Spec{Name: "job_kill", Description: jobKillText, Class: Exec}, runJobKill)
}

func runJobOutput(ctx context.Context, call Call, args jobOutputArgs) Result {
	if args.Offset < 0 || args.WaitMS < 0 {
		return badArgument("offset and wait_ms cannot be negative")
	}
	job, err := jobsOf(call.Scope).find(args.Job)
	if err != nil {
		return failed("%v", err)
	}
	job.await(ctx, min(time.Duration(args.WaitMS)*time.Millisecond, jobWaitMax))
	state := job.state(ctx) // Before the output, so that an ended job's is whole.
	text, start, total := job.out.from(args.Offset)
	end := start + int64(len(text))
	head := fmt.Sprintf("job %s: %s; bytes %d-%d of %d", job.id, state, start, end, total)
	if text == "" {
		head = fmt.Sprintf("job %s: %s; nothing new, %d bytes so far", job.id, state, total)
	}
	if end < total || job.running() {
		head += fmt.Sprintf("; go on with offset %d", end)
	}
	if start > args.Offset && args.Offset < total {
		head += fmt.Sprintf("\n… %d bytes before are not kept …", start-args.Offset)
	}
	return Result{Text: head + "\n" + text, Truncated: end < total || start > args.Offset}
}

// await returns when the job has ended, the time is up, or ctx ends.
func (b *job) await(ctx context.Context, wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for _, end := range []<-chan struct{}{b.drained, b.exited} {
		select {
		case <-end:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func runJobKill(ctx context.Context, call Call, args jobKillArgs) Result {
	job, err := jobsOf(call.Scope).find(args.Job)
	if err != nil {
		return failed("%v", err)
	}
	if !job.running() && len(job.left(ctx)) == 0 {
		return Result{Text: fmt.Sprintf("job %s: %s already", job.id, job.state(ctx))}
	}
	job.kill()
	call.Scope.Release(job.hold)
	return Result{Text: fmt.Sprintf("job %s: %s", job.id, job.state(ctx))}
}
