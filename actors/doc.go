// Package actors is the runtime of a session: five actors that pass a model's
// answer on under credit, and the supervisor that is their parent.
//
//	streamer ──▶ assembler ──▶ reporter ──▶ reader
//	                 │             ▲
//	                 ▼             │
//	    supervisor ⇄ turn ⇄ executor
//
// The streamer reads the provider and sends batches of deltas. The assembler
// puts the message together and passes the deltas on. The turn decides what
// happens next: it is a state machine and touches no text on its way. The
// executor checks and runs tool calls. The reporter stamps every event and hands
// it to the reader. The supervisor owns what must outlive them: the history, the
// prompts that wait, the seq, and the events no reader has taken.
//
// Each has a machine, a plain value whose Handle takes an input (and the time)
// and returns effects, and a host, the actor that carries them out. A file whose
// head says PURE holds no clock, goroutine, lock or I/O; only mailbox.go,
// shell.go and supervisor.go know protoactor.
//
// Embedders use package pipeline. What an actor in the same system may send to a
// session's PID is [Prompt], [Cancel], [Resolve], [Attach], [Grant] and [Stop].
//
// # Invariants
//
// Tests and comments cite these by number.
//
// I1. No Receive blocks. Reading a socket, running a tool, writing a journal and
// calling a hook happen in goroutines that hold a context and report by a
// message. They start in streamer.go, executor.go, supervisor.go, hooks.go,
// foreign.go and recorder.go, and each says where it ends; the actors of a session
// themselves run on one goroutine at a time: dispatcher.go's, or for a moment the
// stream's, which lends itself for what it has just sent.
//
// I2. A producer sends data only with credit: its [Window] has a batch and bytes
// left. Limits.capacity gives every mailbox room for all the credit there is
// toward it and for what goes without. So a full data lane is a bug of ours: the
// post is refused, never parked and never spun on; it is counted
// ([Meter.Refused]), goes to the dead letters, and the turn fails naming the
// mailbox. With Config.PanicOnRefusal, for tests, it panics.
//
// I3. What a session has in memory at once, its history apart, stays below
// [Limits.Ceiling] bytes, however fast the model and however slow the reader.
//
// I4. Text for the controlling reader is neither lost nor reordered. Deltas may
// be merged; none is cut inside a UTF-8 character. The one exception is a turn
// that was canceled and whose events nobody read for [Limits.CancelRead]: a gap
// notice then stands for them.
//
// I5. Only a complete assistant message enters the history, and every tool call
// in it gets exactly one result, in call order, whatever happened. A call whose
// arguments are no JSON object is answered, never run.
//
// I6. A turn ends exactly once, and [TurnEnded] is its last event. When it has
// been posted nothing of the turn runs any more: no tool, no stream, and of a
// canceled turn no background process either.
//
// I7. What stops work needs no credit and waits for nothing. Cancel, Grant,
// CloseStream, CloseCalls, Resolve, Stop, Attach and Tick go on a control lane
// that passes the data; grants that wait are summed in place. A cancel reaches
// what blocks as the end of its context.
//
// I8. What a model or a tool did wrong is data for the model. What the caller can
// mend is an error. What only we can mend is a panic: it fails the turn with its
// reason, the five actors are replaced, the session goes on, and so does the
// process.
//
// I9. A fact is in the journal before anyone acts on it. A machine says so by a
// [Commit] of facts and of the effects that wait for them; the outlet holds the
// effects back until a durable journal has acknowledged, and passes them at once
// without one. A cancel is recorded but its stop waits for nothing.
//
// I10. Every queue, loop, wait and size has a bound in [Limits], whose comment
// says what happens there.
//
// I11. Only the reporter orders. Every event of a session comes to it as a
// [Post], and it stamps seq and time. MessageAssembled and CallFinished reach the
// turn only when nothing of theirs waits for credit. To end, the streamer, the
// assembler and the executor hand over what they hold without credit and answer;
// then comes TurnEnded. Later posts of that turn are dropped and their credit is
// given back.
//
// I12. Commands and events carry a [Ref]: turn, step and attempt. A machine drops
// stale ones in one place. The windows up to the assembler live for one attempt:
// a grant of another is ignored. The reporter's windows are the session's: what
// is stale there is granted back. Cancel carries the turn alone, Resolve turn and
// call, Prompt and the reader's Grant none.
package actors
