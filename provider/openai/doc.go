// Package openai is the client of servers that speak Chat Completions: OpenAI,
// and the many gateways and local servers that follow it more or less.
//
// The vendor's SDK builds, signs and sends the request. The answer is read by
// weir's own frame reader and folded into deltas, since real streams leave the
// specification in ways that an SDK's decoder misreads: an index missing or
// always 0, an id that changes, an error object under status 200.
package openai
