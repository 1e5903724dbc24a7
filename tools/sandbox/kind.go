package sandbox

// Kind is a way to confine commands.
type Kind uint8

// The kinds, the best last.
const (
	None Kind = iota
	Landlock
	Namespaces // Landlock with namespaces
	Bubblewrap
)

// String names the kind.
func (k Kind) String() string {
	switch k {
	case None:
		return "none"
	case Landlock:
		return "Landlock"
	case Namespaces:
		return "Landlock with namespaces"
	case Bubblewrap:
		return "bubblewrap"
	default:
		panic("sandbox: a kind of no known value")
	}
}

// Report says what a machine can do.
type Report struct {
	// Bubblewrap is the path of a usable bubblewrap; "" without.
	Bubblewrap string
	// Landlock is the kernel's ABI level; 0 if it is of no use.
	Landlock int
	// Namespaces says that Landlock can be used together with namespaces.
	Namespaces bool
	// Missing says what is not there or does not work, for a person.
	Missing []string
}

// kinds returns what there is, best first.
func (r Report) kinds() []Kind {
	var kinds []Kind
	if r.Bubblewrap != "" {
		kinds = append(kinds, Bubblewrap)
	}
	if r.Landlock > 0 && r.Namespaces {
		kinds = append(kinds, Namespaces)
	}
	if r.Landlock > 0 {
		kinds = append(kinds, Landlock)
	}
	return kinds
}
