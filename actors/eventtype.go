package actors

// Type returns "session_started".
func (SessionStarted) Type() string { return "session_started" }

// Type returns "prompt_queued".
func (PromptQueued) Type() string { return "prompt_queued" }

// Type returns "prompt_joined".
func (PromptJoined) Type() string { return "prompt_joined" }

// Type returns "prompt_dropped".
func (PromptDropped) Type() string { return "prompt_dropped" }

// Type returns "turn_started".
func (TurnStarted) Type() string { return "turn_started" }

// Type returns "step_started".
func (StepStarted) Type() string { return "step_started" }

// Type returns "thinking_delta".
func (ThinkingDelta) Type() string { return "thinking_delta" }

// Type returns "text_delta".
func (TextDelta) Type() string { return "text_delta" }

// Type returns "tool_call_delta".
func (ToolCallDelta) Type() string { return "tool_call_delta" }

// Type returns "stream_failed".
func (StreamFailed) Type() string { return "stream_failed" }

// Type returns "retry_scheduled".
func (RetryScheduled) Type() string { return "retry_scheduled" }

// Type returns "message_completed".
func (MessageCompleted) Type() string { return "message_completed" }

// Type returns "approval_requested".
func (ApprovalRequested) Type() string { return "approval_requested" }

// Type returns "approval_resolved".
func (ApprovalResolved) Type() string { return "approval_resolved" }

// Type returns "tool_started".
func (ToolStarted) Type() string { return "tool_started" }

// Type returns "tool_output".
func (ToolOutput) Type() string { return "tool_output" }

// Type returns "tool_finished".
func (ToolFinished) Type() string { return "tool_finished" }

// Type returns "notice".
func (Notice) Type() string { return "notice" }

// Type returns "turn_ended".
func (TurnEnded) Type() string { return "turn_ended" }

func (e SessionStarted) with(h Envelope) Event    { e.Envelope = h; return e }
func (e PromptQueued) with(h Envelope) Event      { e.Envelope = h; return e }
func (e PromptJoined) with(h Envelope) Event      { e.Envelope = h; return e }
func (e PromptDropped) with(h Envelope) Event     { e.Envelope = h; return e }
func (e TurnStarted) with(h Envelope) Event       { e.Envelope = h; return e }
func (e StepStarted) with(h Envelope) Event       { e.Envelope = h; return e }
func (e ThinkingDelta) with(h Envelope) Event     { e.Envelope = h; return e }
func (e TextDelta) with(h Envelope) Event         { e.Envelope = h; return e }
func (e ToolCallDelta) with(h Envelope) Event     { e.Envelope = h; return e }
func (e StreamFailed) with(h Envelope) Event      { e.Envelope = h; return e }
func (e RetryScheduled) with(h Envelope) Event    { e.Envelope = h; return e }
func (e MessageCompleted) with(h Envelope) Event  { e.Envelope = h; return e }
func (e ApprovalRequested) with(h Envelope) Event { e.Envelope = h; return e }
func (e ApprovalResolved) with(h Envelope) Event  { e.Envelope = h; return e }
func (e ToolStarted) with(h Envelope) Event       { e.Envelope = h; return e }
func (e ToolOutput) with(h Envelope) Event        { e.Envelope = h; return e }
func (e ToolFinished) with(h Envelope) Event      { e.Envelope = h; return e }
func (e Notice) with(h Envelope) Event            { e.Envelope = h; return e }
func (e TurnEnded) with(h Envelope) Event         { e.Envelope = h; return e }
