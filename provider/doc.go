// Package provider says how the bytes of a model become deltas.
//
// It holds the nouns of a conversation ([Message] and its blocks), the one
// method every model client has ([Provider]), the increments a stream is made
// of ([Delta]), and the one error type ([Error]). The adapters live in
// provider/openai and provider/anthropic, the deterministic stand-ins in
// provider/script and provider/sim.
//
// This package is a leaf: it imports nothing else of weir.
package provider
