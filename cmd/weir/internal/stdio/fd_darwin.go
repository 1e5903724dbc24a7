package stdio

import "golang.org/x/sys/unix"

const getTermios = unix.TIOCGETA

// redirect makes descriptor to another name of from.
func redirect(from, to int) error { return unix.Dup2(from, to) }
