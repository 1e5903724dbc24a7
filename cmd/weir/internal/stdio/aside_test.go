package stdio

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a stream whose reader has taken so much and takes no more, until it
// is closed.
type stuck struct {
	room int
	gone chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.room >= len(p) {
		s.room -= len(p)
		return len(p), nil
	}
	<-s.gone
	return 0, io.ErrClosedPipe
}

// TestTwoStuckReadersTakeOnePatience has both readers stop, before or after the
// cancel comes.
func TestTwoStuckReadersTakeOnePatience(t *testing.T) {
	for _, before := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &stuck{gone: make(chan struct{})}
			out, aside := NewOutput(s), NewAside(s)
			hurry := func() {
				out.Hurry()
				aside.Hurry()
			}
			if !before {
				hurry()
			}
			done := make(chan error, 1)
			go func() {
				_, err := aside.Write([]byte("words"))
				if err == nil {
					_, err = out.Write([]byte("words"))
				}
				done <- err
			}()
			synctest.Wait()
			began := time.Now()
			hurry()
			if err := <-done; !errors.Is(err, ErrGaveUp) {
				t.Error(err)
			}
			aside.Flush()
			if took := time.Since(began); took != Patience {
				t.Errorf("it took %v", took)
			}
			close(s.gone)
			synctest.Wait()
			out.Close()
			aside.Close()
		})
	}
}

func TestPatienceBeginsWithWhatTheReaderTookLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{room: 2 * pieceBytes, gone: make(chan struct{})} // as a pipe that has room
		o := NewOutput(s)
		o.Hurry()
		began := time.Now()
		if _, err := o.Write(make([]byte, 3*pieceBytes)); !errors.Is(err, ErrGaveUp) {
			t.Error(err)
		}
		if took := time.Since(began); took != Patience {
			t.Errorf("it took %v", took)
		}
		close(s.gone)
		synctest.Wait()
		o.Close()
	})
}

func TestWhatIsSaidAsideMayBeLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		_ = r.Close()
		o := NewAside(w)
		defer o.Close()
		for range 2 {
			if n, err := o.Write([]byte("x")); n != 1 || err != nil {
				t.Error(n, err)
			}
		}
		o.Flush()
	})
}

func TestWhatIsSaidAsideInAHurryIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		o := NewAside(&said)
		defer o.Close()
		o.Hurry()
		buf := []byte("one ")
		_, _ = o.Write(buf) // an aside has no errors
		copy(buf, "two ")
		_, _ = o.Write(buf)
		o.Flush()
		if said.String() != "one two " {
			t.Errorf("%q", said.String())
		}
	})
}
