package openai

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

func newBufio(raw []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(raw)) }

// show writes what c says, nil and empty alike.
func show(w io.Writer, c *chunk) {
	fmt.Fprintf(w, "fault %q usages %q\n", c.fault, c.usages)
	for _, ch := range c.choices {
		fmt.Fprintf(w, "choice fault %q finish %q refusal %q\n", ch.fault, ch.finish, ch.refusal)
		for _, lit := range ch.thinking {
			fmt.Fprintf(w, " thinking %q\n", lit)
		}
		for _, p := range ch.text {
			fmt.Fprintf(w, " text %t %q\n", p.thinking, p.text)
		}
		for _, e := range ch.calls {
			fmt.Fprintf(w, " call %t %v %q %q %q %q %q\n", e.indexed, e.index, e.id, e.name, e.args, e.object, e.extra)
		}
		fmt.Fprintf(w, " legacy %t\n", ch.legacy != nil)
	}
}
