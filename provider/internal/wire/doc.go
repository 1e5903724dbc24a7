// Package wire is what the adapters share around the vendors' SDK clients: the
// HTTP client with its timeouts, the words of an error, and the driver that
// turns the frames of a body into deltas with the dialect's [Fold].
package wire
