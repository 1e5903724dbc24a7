// Package sim is a simulated upstream: an http.Handler that plays a script
// ([github.com/weir-agents/weir/provider/script]) as a model server, for
// demos, tests and load.
//
// It speaks two dialects: OpenAI's Chat Completions at /v1/chat/completions
// and Anthropic's Messages at /v1/messages, both streamed and not, and lists
// models at /v1/models. Each path works without /v1 too. POST /gates/NAME
// opens a gate of the script, for tests in another process.
//
// What is sent looks as the vendors' own answers do, padding included. Waits
// for a time keep a schedule that begins with the request: lateness does not add
// up. A frame is flushed before every wait of the script; frames with no wait between them
// share writes of about 4 KiB. What a dialect has no words for is left out:
// OpenAI's knows no signatures, redacted thinking, opaque blocks and pause;
// Anthropic's calls content_filter a refusal. A client that joins a paused
// answer and its rest to one message makes a script's "history" count them
// once; select "sequence" there.
//
// Unless told otherwise a server refuses what a strict vendor would, with
// status 400 and the vendor's form of an error: calls without exactly one
// result, in call order, directly after their message; arguments that are not
// an object; empty messages; a signature that has changed; and so on.
package sim
