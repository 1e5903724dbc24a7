package actors

// PURE: no clock, no goroutine, no lock, no I/O in this file.

import (
	"time"

	"github.com/weir-agents/weir/tools"
)

// ask tells the reader that k waits for consent.
func (c *calls) ask(k *call, v tools.Verdict) {
	k.phase, k.askedAt, k.suggest = asking, c.now, v.Suggestion
	c.asks = append(c.asks, ApprovalRequested{
		Call: k.ID, Name: k.Name, Arguments: k.Arguments, Reason: v.Reason, RuleSuggestion: v.Suggestion,
	})
	c.asking++
	if c.asking == 1 {
		c.send(Turning, ApprovalWaiting{Ref: c.ref, Waiting: true})
	}
	c.timer()
}

// asked ends the wait of k for consent.
func (c *calls) asked(k *call, e ApprovalResolved) {
	k.phase = ready
	c.asks = append(c.asks, e)
	c.asking--
	if c.asking == 0 {
		c.send(Turning, ApprovalWaiting{Ref: c.ref})
	}
	c.timer()
}

// resolve takes a person's answer. An answer to nothing that waits is dropped:
// the wait has ended by a timeout or a cancel.
func (c *calls) resolve(in Resolve) {
	for i, k := range c.list {
		if k.phase != asking || k.ID != in.Call || in.Turn != "" && in.Turn != c.ref.Turn {
			continue
		}
		if in.Decision != "allow" && in.Decision != "allow_always" {
			in.Decision = "deny" // a word that is no decision allows nothing
		}
		if in.Decision == "allow_always" && k.suggest == "" {
			in.Decision = "allow"
			if in.Note == "" {
				in.Note = "allowed once: no rule can cover this"
			}
		}
		c.asked(k, ApprovalResolved{Call: k.ID, Decision: in.Decision, By: "user", Note: in.Note})
		if in.Decision == "deny" {
			text := "the user denied this call"
			if in.Note != "" {
				text += ": " + in.Note
			}
			c.finish(i, tools.Result{Kind: tools.Denied, Text: text}, time.Time{}, 0, "")
			return
		}
		fact := CallApproved{Ref: c.ref, Call: k.ID, By: "user", Note: in.Note}
		if in.Decision == "allow_always" {
			fact.Rule = k.suggest
			c.send(Executor, rememberRule{k.suggest})
			c.recheck()
		}
		c.send(Supervising, Commit{Facts: []any{fact}})
		c.ready(k)
		return
	}
}

// recheck looks again at the calls that still wait: the new rule may cover
// them. One recheck at a time, so that its answers fit the mailbox (I2).
func (c *calls) recheck() {
	if c.looks > 0 {
		c.relook = true
		return
	}
	var check []indexed
	for i, k := range c.list {
		if k.phase == asking {
			k.looked = true
			check = append(check, indexed{i, k.ToolCall})
		}
	}
	if c.looks = len(check); c.looks > 0 {
		c.send(Executor, checkCalls{c.ref, check})
	}
}
