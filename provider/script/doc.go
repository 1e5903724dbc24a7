// Package script is a provider that plays a script: deterministic and without
// a network, for tests, demos and benchmarks. Package sim plays the same
// scripts over HTTP.
//
// A script is Go values ([Script]) or a JSON file ([Load], [Parse]):
//
//	{
//	  "first_ms": 200, "gap_ms": 15,
//	  "steps": [
//	    {
//	      "blocks": [
//	        {"thinking": "Two files to look at.", "signature": "c2VhbA=="},
//	        {"text": "I will read them. "},
//	        {"call": "read_file", "arguments": {"path": "go.mod"}},
//	        {"call": "read_file", "arguments": {"path": "README.md"}}
//	      ]
//	    },
//	    {
//	      "attempts": [
//	        {"blocks": [{"fault": "http", "status": 429, "retry_after": 2}]},
//	        {"blocks": [{"text": ["It is ", {"gate": "g"}, "a Go module."]}]}
//	      ]
//	    },
//	    {"gap_ms": 0, "blocks": [{"text": {"repeat": "lorem ipsum ", "bytes": 52428800}}]},
//	    "A string is short for a step that says it."
//	  ]
//	}
//
// # Script
//
//   - steps: what the requests get, one each.
//   - select: "history" (default) plays the step whose number is how many
//     assistant messages the request holds, so that sessions can share a
//     script; "sequence" gives each request the next one.
//   - loop: what follows the last step: false an error, true or "last" the last
//     step again, "all" the first one.
//   - first_ms, gap_ms, split: pacing of steps that do not set it.
//   - idle_ms: how long a stall lasts before the provider fails as an adapter
//     would, with idle_timeout or first_byte_timeout; default for ever.
//   - models: the names to list.
//
// # Step
//
//   - blocks: what the model says, in order.
//   - stop: stop, tool_calls, length, content_filter, refusal or pause; default
//     tool_calls if there are calls, else stop.
//   - usage: {"input", "output", "cache_read", "cache_write", "reasoning"}, or
//     null for an answer that tells none; default a rough count.
//   - first_ms, gap_ms: the wait before the answer and between its pieces.
//   - split: how running text is cut: "tokens" (default), "whole", or a number
//     of characters.
//   - attempts: in the place of blocks, what the first, second, … request with
//     these same messages gets; the last repeats.
//
// # Block
//
// An object with one of these fields:
//
//   - text: an answer. thinking: reasoning, with signature if it has one.
//     redacted: encrypted reasoning.
//   - call: the name of a tool, with arguments (an object, or the raw text,
//     which need not be JSON; default {}), id (made up if absent, none sent if
//     ""), extra (vendor members).
//   - opaque: an object passed through, with dialect (default anthropic) and
//     unknown (true or false).
//   - interleave: an array of text, thinking and call blocks, played piece by
//     piece in turns.
//   - gate: the name of a gate; the stream waits until [Provider.Open] is
//     called with it. wait_ms: a wait for a time.
//   - fault: what goes wrong here, below.
//
// Running text (of text, thinking, arguments) is a string, cut by split; or
// {"repeat": TEXT, "bytes": N}, made while it is played; or an array, whose
// strings are pieces just as they are, with repeat, gate, wait_ms and fault
// objects between them.
//
// # Fault
//
//   - cut: the answer ends in order, but without its finish.
//   - reset: the connection breaks.
//   - stall: nothing comes for ms milliseconds, or without ms for ever.
//   - error: an error object with message, type, code.
//   - bad_json: a frame that is not JSON, with the data in body.
//   - panic: the provider panics.
//   - http: a status, with message, type, code or else body, and retry_after
//     (seconds or a date) or retry_after_ms. Only before anything is said.
//   - html: a web page in the place of an answer. Only before anything is said.
//
// The provider reports each fault as the *[provider.Error] that an adapter
// reports for it, and mends stop reasons and ids by the same rules as they do.
package script
