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
//   - TTFT: from when a question was due until the first text that is not empty.
//   - ITL: between one piece of text and the next; the first is not in it.
//     TPOT = (end − first) / (n − 1).
//   - Added: from when the server makes a token's frame until the reader has it.
//     Both processes count on the machine's monotonic clock ([sim.Clock]).
//   - Tokens per core: tokens by the processor time of this process, user and
//     system.
//   - A percentile is given only where at least ten samples lie beyond it.
//
// # Schedules
//
// Load is open-loop: the simulated server's tokens and the questions of an open
// loop have moments at which they are due, fixed before, whatever happened to
// those before them. How late each was sent is recorded, and the omission says
// which part of all waiting a measurement from the sending would hide.
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
