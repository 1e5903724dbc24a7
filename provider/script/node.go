package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// depthMax is how deep a script may nest.
const depthMax = 50

// node is a JSON value with its place. Decoding by reflection would lose the
// place of a value that is well-formed but impossible.
type node struct {
	at, end int        // bytes of the source
	value   any        // string, json.Number, bool, nil; or
	list    []*node    // of an array
	members []member   // of an object
	open    json.Delim // '[' or '{', 0 for a scalar
}

type member struct {
	name  string
	at    int
	value *node
}

// document reads one script. Its methods keep the first error and return zero
// values after it.
type document struct {
	name string
	src  []byte
	dec  *json.Decoder
	err  error
}

// fail keeps an error that points at byte at of the source.
func (d *document) fail(at int, format string, args ...any) {
	if d.err != nil {
		return
	}
	before := d.src[:min(at, len(d.src))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):])
	d.err = fmt.Errorf("%s:%d:%d: %s", d.name, line, column, fmt.Sprintf(format, args...))
}

// tree reads the whole source as one value.
func (d *document) tree() *node {
	d.dec = json.NewDecoder(bytes.NewReader(d.src))
	d.dec.UseNumber()
	n := d.node(0)
	if d.err != nil {
		return n
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		d.fail(d.start(), "something follows the script: a file holds one JSON object")
	}
	return n
}

// start returns where the next token starts.
func (d *document) start() int {
	at := int(d.dec.InputOffset())
	for at < len(d.src) && strings.IndexByte(" \t\r\n,:", d.src[at]) >= 0 {
		at++
	}
	return at
}

// token returns the next token and where it starts.
func (d *document) token() (json.Token, int) {
	at := d.start()
	t, err := d.dec.Token()
	if err == nil {
		return t, at
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		if int(syntax.Offset) > at { // within the token; a misplaced one starts at at
			at = int(syntax.Offset) - 1
		}
		d.fail(at, "bad JSON: %s", syntax)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		d.fail(len(d.src), "bad JSON: the file ends within a value")
	default:
		d.fail(at, "bad JSON: %v", err)
	}
	return nil, at
}

func (d *document) node(depth int) *node {
	t, at := d.token()
	n := &node{at: at, value: t}
	if open, ok := t.(json.Delim); ok {
		n.open, n.value = open, nil
		if depth >= depthMax {
			d.fail(at, "nested deeper than %d", depthMax)
		}
		for d.err == nil && d.dec.More() {
			if open == '[' {
				n.list = append(n.list, d.node(depth+1))
				continue
			}
			name, at := d.token()
			if d.err != nil {
				break
			}
			m := member{name: name.(string), at: at} // the decoder has seen to it
			if n.member(m.name) != nil {
				d.fail(at, "%q is there twice: leave one out", m.name)
			}
			m.value = d.node(depth + 1)
			n.members = append(n.members, m)
		}
		if d.err == nil {
			d.token() // the closing one
		}
	}
	n.end = int(d.dec.InputOffset())
	return n
}

// member returns the value of a member of an object, nil if it has none.
func (n *node) member(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// what names the kind of n for people.
func (n *node) what() string {
	switch {
	case n.open == '[':
		return "an array"
	case n.open == '{':
		return "an object"
	}
	switch n.value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	default:
		return "null"
	}
}

// object reads the members of an object one by one by name.
type object struct {
	*document
	node  *node
	what  string
	known []string
}

// object starts to read n, which is what, such as "a step".
func (d *document) object(n *node, what string) *object {
	if n.open != '{' {
		d.fail(n.at, "%s is an object, not %s", what, n.what())
	}
	return &object{document: d, node: n, what: what}
}

// get returns the member, nil if there is none.
func (o *object) get(name string) *node {
	o.known = append(o.known, name)
	return o.node.member(name)
}

// close fails if o has a member that nobody asked for.
func (o *object) close() {
	for _, m := range o.node.members {
		if !slices.Contains(o.known, m.name) {
			o.fail(m.at, "unknown field %q: %s has %s", m.name, o.what, strings.Join(o.known, ", "))
			return
		}
	}
}

// str returns a string member, "" if there is none.
func (o *object) str(name string) string {
	n := o.get(name)
	if n == nil {
		return ""
	}
	s, ok := n.value.(string)
	if !ok {
		o.fail(n.at, "%q is a string, not %s", name, n.what())
	}
	return s
}

// flag returns a boolean member, false if there is none.
func (o *object) flag(name string) bool {
	n := o.get(name)
	if n == nil {
		return false
	}
	b, ok := n.value.(bool)
	if !ok {
		o.fail(n.at, "%q is true or false, not %s", name, n.what())
	}
	return b
}

// whole returns a member that is a number without fraction from least up, and
// whether it is there.
func (o *object) whole(name string, least int64) (int64, bool) {
	n := o.get(name)
	if n == nil {
		return 0, false
	}
	number, _ := n.value.(json.Number)
	i, err := number.Int64()
	if err != nil || i < least {
		o.fail(n.at, "%q is a whole number from %d up, not %s", name, least, o.src[n.at:n.end])
	}
	return i, true
}

// ms returns a member in milliseconds, and whether it is there.
func (o *object) ms(name string) (time.Duration, bool) {
	n := o.get(name)
	if n == nil {
		return 0, false
	}
	number, _ := n.value.(json.Number)
	f, err := number.Float64()
	if err != nil || f < 0 || f > float64(24*time.Hour/time.Millisecond) {
		o.fail(n.at, "%q is a number of milliseconds from 0 to a day, not %s", name, o.src[n.at:n.end])
	}
	return time.Duration(f * float64(time.Millisecond)), true
}
