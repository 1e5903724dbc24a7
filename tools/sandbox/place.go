package sandbox

// use says what a place is for; of two for one path the later counts.
type use uint8

const (
	writable   use = iota // a root
	pinned                // a folder on the way to a protected path; it cannot be moved away
	protected             // read only
	hiddenFile            // also a socket
	hiddenDir
)

// place is one path that is not simply readable.
type place struct {
	Path string
	Use  use
	Dir  bool
	// Dev and Ino name what stood at a pinned or protected path, so that the
	// helper can tell that no link has been put there meanwhile.
	Dev, Ino uint64
}
