package actors

import (
	"context"
	"fmt"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// fault is how a call of code that is not ours ended without returning.
type fault struct {
	what  string // that was called
	how   string
	stack string // of a panic
	late  bool   // it was given up; it may still run
}

func (f *fault) Error() string { return f.what + " " + f.how }

// foreign runs f, code that is not ours, in a goroutine of its own, so that not
// even runtime.Goexit there stops anything of ours. It returns what f returns,
// or how f ended instead. Once ctx has ended it waits for grace only; then f is
// given up: it goes on, and what it returns is dropped. So f must not touch
// what others use. It blocks (I1).
func foreign[T any](ctx context.Context, what string, grace time.Duration, f func() T) (T, *fault) {
	type end struct {
		value T
		fault *fault
	}
	ended := make(chan end, 1)
	// Ends when f does; nobody waits for one that was given up.
	go func() {
		e := end{fault: &fault{what: what, how: "ended its goroutine (runtime.Goexit) and did not return"}}
		defer func() { ended <- e }()
		p := panics.Try(func() { e.value = f() })
		if e.fault = nil; p != nil {
			e.fault = &fault{what: what, how: "panicked: " + fmt.Sprint(p.Value), stack: string(p.Stack)}
		}
	}()
	select {
	case e := <-ended:
		return e.value, e.fault
	case <-ctx.Done():
	}
	left := time.NewTimer(grace)
	defer left.Stop()
	select {
	case e := <-ended:
		return e.value, e.fault
	case <-left.C:
		var none T
		return none, &fault{what: what, how: "did not end within " + grace.String() + " of being told to and was given up", late: true}
	}
}

// within runs f and waits for it for grace only.
func within(grace time.Duration, f func()) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	foreign(ended, "", grace, func() struct{} { f(); return struct{}{} })
}
