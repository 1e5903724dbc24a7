package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/weir-agents/weir/tools"
)

// Bounds of one hook.
const (
	answerMax = 1 << 20 // bytes of standard output; more is no answer
	reasonMax = 1000    // bytes of a reason, or of standard error, that are told on
)

// question is what a hook reads.
type question struct {
	Event     string          `json:"event"`
	Session   string          `json:"session"`
	Turn      string          `json:"turn"`
	Call      string          `json:"call"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *result         `json:"result,omitempty"`
}

type result struct {
	Text      string          `json:"text"`
	ErrorKind tools.ErrorKind `json:"error_kind,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
}

func (h *Hooks) question(event string, call tools.Call) question {
	q := question{
		Event: event, Session: h.cfg.Session, Turn: call.Turn, Call: call.ID, Name: call.Name, Arguments: call.Arguments,
	}
	if len(q.Arguments) == 0 {
		q.Arguments = json.RawMessage("{}")
	}
	return q
}

// before asks one hook about a call.
func (h *Hooks) before(c Command, call tools.Call) (tools.Decision, string) {
	refuse := func(why string) (tools.Decision, string) {
		return tools.Deny, fmt.Sprintf("the hook %s refuses it: %s", c.Argv[0], why)
	}
	var answer struct {
		Decision  string          `json:"decision"`
		Reason    string          `json:"reason"`
		Arguments json.RawMessage `json:"arguments"`
	}
	out, err := h.runBefore(c, call)
	if err == nil {
		err = decode(out, &answer)
	}
	if err != nil {
		return refuse("it did not work: " + err.Error())
	}
	why := short(answer.Reason)
	if why == "" {
		why = "no reason given"
	}
	if len(answer.Arguments) > 0 && string(answer.Arguments) != "null" {
		return refuse(fmt.Sprintf("%s; it would have these arguments: %s", why, short(string(answer.Arguments))))
	}
	switch answer.Decision {
	case "allow":
		return tools.Allow, ""
	case "ask":
		return tools.Ask, fmt.Sprintf("the hook %s wants it asked: %s", c.Argv[0], why)
	case "deny":
		return refuse(why)
	default:
		return refuse(fmt.Sprintf("it did not work: decision %q is not allow, ask or deny", short(answer.Decision)))
	}
}

// runBefore runs a hook before a call until the cancel of its turn, or the end of
// its session, of which a policy is told by the scope.
func (h *Hooks) runBefore(c Command, call tools.Call) (out []byte, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	// Ends with the hook.
	go func() {
		defer close(done)
		out, err = h.run(ctx, c, h.question("pre_tool", call))
	}()
	if call.Scope != nil {
		hold := call.Scope.Keep(call.Turn, func() { cancel(); <-done })
		defer call.Scope.Release(hold)
	}
	<-done
	return out, err
}

// AfterCall lets the hooks see what a call gave, and returns what the model is to
// get. It ends soon after ctx at the latest, and then leaves the result.
func (h *Hooks) AfterCall(ctx context.Context, call tools.Call, r tools.Result) tools.Result {
	for _, c := range h.cfg.Post {
		if ctx.Err() != nil {
			break
		}
		if !c.covers(call.Name) {
			continue
		}
		q := h.question("post_tool", call)
		q.Result = &result{Text: r.Text, ErrorKind: r.Kind, Truncated: r.Truncated}
		var answer struct {
			Text *string `json:"text"`
		}
		out, err := h.run(ctx, c, q)
		if err == nil && len(bytes.TrimSpace(out)) > 0 {
			err = decode(out, &answer)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			h.notice(fmt.Sprintf("the hook %s after %s did not work, so the result is as it was: %v", c.Argv[0], call.Name, err))
		case err == nil && answer.Text != nil:
			r.Text = *answer.Text
		}
	}
	return r
}

func (h *Hooks) notice(text string) {
	if h.cfg.Notice != nil {
		h.cfg.Notice(text)
	}
}

// run starts a hook and returns what it said. What it has started itself may live
// on only if the hook ended in time.
func (h *Hooks) run(ctx context.Context, c Command, q question) ([]byte, error) {
	in, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = timeoutDefault
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stdout, stderr := &capped{max: answerMax}, &capped{max: reasonMax}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = h.cfg.Dir, h.cfg.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), stdout, stderr
	err = tools.Run(ctx, h.cfg.Exe, cmd)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("no answer within %v", timeout)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		if said := short(strings.TrimSpace(string(stderr.kept))); said != "" {
			return nil, fmt.Errorf("%w: %s", err, said)
		}
		return nil, err
	}
	if stdout.over {
		return nil, fmt.Errorf("its answer is longer than %d bytes", answerMax)
	}
	return stdout.kept, nil
}

// decode reads just one JSON object.
func decode(text []byte, into any) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("it said nothing")
	}
	if trimmed := bytes.TrimSpace(text); trimmed[0] != '{' {
		return fmt.Errorf("its answer is no JSON object: %s", short(string(trimmed)))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("its answer cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("its answer is more than one JSON object")
	}
	return nil
}

// short bounds what is told on of a hook's words.
func short(text string) string {
	if len(text) > reasonMax {
		text = text[:reasonMax] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// capped keeps the first bytes and drops the rest, so that the writer goes on.
type capped struct {
	kept []byte
	max  int
	over bool
}

// Write implements io.Writer and never fails.
func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.max-len(c.kept))
	c.over = c.over || n < len(p)
	c.kept = append(c.kept, p[:n]...)
	return len(p), nil
}
