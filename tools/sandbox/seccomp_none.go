//go:build linux && !amd64 && !arm64

package sandbox

// canFilter says that closeSockets does something on this processor.
const canFilter = false

func closeSockets(bool) error { return nil }
