package actors

// Ref names the try that a command or event belongs to (I12). A machine drops
// what carries another Ref than its own, in one place.
type Ref struct {
	Turn    string
	Step    int // from 1
	Attempt int // from 1
}
