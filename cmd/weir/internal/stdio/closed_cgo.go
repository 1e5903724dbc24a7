//go:build cgo

package stdio

// The runtime of Go opens /dev/null in the place of a standard stream that is
// closed, before any code of a program runs, and nothing tells that file from
// a /dev/null of the caller's. So this looks before the runtime does.

/*
#include <fcntl.h>

static int out_closed;

__attribute__((constructor)) static void look_at_out(void) {
	out_closed = fcntl(1, F_GETFD) == -1;
}

static int was_out_closed(void) { return out_closed; }
*/
import "C"

// outClosed reports whether the program was started without a standard output.
func outClosed() bool { return C.was_out_closed() != 0 }
