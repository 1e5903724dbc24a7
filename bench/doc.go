// Package bench is the instrument: it runs the same streamed answers through
// weir and through baselines, and measures what each costs.
//
// The model server is simulated, in a process of its own, so that its cost is
// not in the numbers and memory and processor time of this process belong to
// the reader alone. Every scenario runs all its subjects in turns, several
// rounds, so that what the machine does meanwhile falls on all of them.
//
// # What is measured
//
//   - TTFT: from the call that asks until the first text that is not empty.
//   - ITL: between one piece of text and the next; the first is not in it.
//     TPOT = (end − first) / (n − 1).
//   - Added: from when the server hands a token to its socket until the reader
//     has it. Both processes count on the monotonic clock; the two are tied once,
//     when the server starts, by the wall clock.
//   - Tokens per core: tokens by the processor time of this process, user and
//     system.
//   - A percentile is given only where at least ten samples lie beyond it.
//
// # Subjects
//
//   - floor: net/http and the least parsing there can be.
//   - adapter: package provider/openai alone.
//   - weir: the whole pipeline, read by Session.Run.
//   - channels: the adapter, and weir's stages as goroutines with plain channels.
//   - unbounded, bounded: the same with protoactor's own mailboxes.
//   - openai-go: the vendor's stream, as its documentation uses it.
package bench
