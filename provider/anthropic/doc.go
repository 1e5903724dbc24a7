// Package anthropic is a client of the Messages API and of servers that speak
// it.
//
// The vendor's SDK builds, signs and sends the request; the body of the answer
// is read by the frame reader of package provider and folded into deltas here.
// Nothing is read from the environment.
package anthropic
