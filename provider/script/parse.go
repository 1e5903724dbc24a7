package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/weir-agents/weir/provider"
)

// Load reads a script file. Its errors name file, line and column.
func Load(path string) (Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return Script{}, fmt.Errorf("read the script: %w", err)
	}
	return parse(path, src)
}

// Parse reads a script from JSON. Its errors name line and column.
func Parse(src []byte) (Script, error) { return parse("script", src) }

func parse(name string, src []byte) (Script, error) {
	// Editors of some systems begin every file with a byte order mark.
	d := &document{name: name, src: bytes.TrimPrefix(src, []byte("\ufeff"))}
	root := d.tree()
	if d.err != nil {
		return Script{}, d.err
	}
	s := d.script(root)
	if d.err == nil && len(s.Steps) == 0 {
		d.fail(root.at, "a script needs at least one entry in \"steps\"")
	}
	if d.err != nil {
		return Script{}, d.err
	}
	if err := s.Check(); err != nil { // nothing should be left for it to find
		return Script{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (d *document) script(n *node) Script {
	o := d.object(n, "a script")
	s := Script{Select: Select(o.str("select"))}
	if at := o.node.member("select"); at != nil {
		d.found(at, checkSelect(s.Select))
	}
	s.Loop = o.loop()
	s.First, _ = o.ms("first_ms")
	s.Gap, _ = o.ms("gap_ms")
	s.Split = o.split()
	s.IdleTimeout, _ = o.ms("idle_ms")
	for _, m := range d.list(o.get("models"), "models") {
		name, ok := m.value.(string)
		if !ok || name == "" {
			d.fail(m.at, "a model is a name, not %s", m.what())
		}
		s.Models = append(s.Models, name)
	}
	for _, step := range d.list(o.get("steps"), "steps") {
		s.Steps = append(s.Steps, d.step(step, "a step"))
	}
	o.close()
	return s
}

// found fails at n if there is an error.
func (d *document) found(n *node, err error) {
	if err != nil {
		d.fail(n.at, "%s", err)
	}
}

// list returns the values of an array, none if n is nil.
func (d *document) list(n *node, name string) []*node {
	if n != nil && n.open != '[' {
		d.fail(n.at, "%q is an array, not %s", name, n.what())
	}
	if n == nil || d.err != nil {
		return nil
	}
	return n.list
}

func (o *object) loop() Loop {
	n := o.get("loop")
	if n == nil {
		return ""
	}
	switch n.value {
	case true, string(LoopLast):
		return LoopLast
	case string(LoopAll):
		return LoopAll
	case false:
		return ""
	default:
		o.fail(n.at, `"loop" is true or "last" (the last step again), "all" (from the first step), or false`)
		return ""
	}
}

func (o *object) split() int {
	n := o.get("split")
	if n == nil || n.value == "tokens" {
		return 0
	}
	if n.value == "whole" {
		return Whole
	}
	number, _ := n.value.(json.Number)
	chars, err := number.Int64()
	if err != nil || chars < 1 || chars > 1<<30 {
		o.fail(n.at, `"split" is "tokens", "whole" or a number of characters, not %s`, o.src[n.at:n.end])
	}
	return int(chars)
}

// pause reads a wait of a step, where a 0 that is written out means none.
func (o *object) pause(name string) time.Duration {
	t, there := o.ms(name)
	if there && t == 0 {
		return None
	}
	return t
}

// step reads a step. A string is short for a step that says it.
func (d *document) step(n *node, what string) Step {
	if text, ok := n.value.(string); ok {
		return Step{Blocks: []Block{Text{Text: text}}}
	}
	o := d.object(n, what)
	s := Step{First: o.pause("first_ms"), Gap: o.pause("gap_ms"), Split: o.split()}
	began := false
	for _, b := range d.list(o.get("blocks"), "blocks") {
		block := d.block(b, began)
		s.Blocks = append(s.Blocks, block)
		began = began || !between(block)
	}
	s.Stop = provider.StopReason(o.str("stop"))
	if at := o.node.member("stop"); at != nil {
		d.found(at, checkStop(s.Stop))
	}
	s.Usage, s.NoUsage = o.usage()
	if what == "a step" {
		for _, a := range d.list(o.get("attempts"), "attempts") {
			s.Attempts = append(s.Attempts, d.step(a, "an attempt"))
		}
	}
	o.close()
	d.found(n, s.problem())
	return s
}

func (o *object) usage() (*provider.Usage, bool) {
	n := o.get("usage")
	if n == nil {
		return nil, false
	}
	if n.open == 0 && n.value == nil {
		return nil, true
	}
	u := o.object(n, "usage")
	count := func(name string) int {
		i, _ := u.whole(name, 0)
		return int(i)
	}
	usage := &provider.Usage{
		Input: count("input"), Output: count("output"), CacheRead: count("cache_read"),
		CacheWrite: count("cache_write"), Reasoning: count("reasoning"),
	}
	u.close()
	return usage, false
}

// blockNames are the fields that tell what a block is.
var blockNames = []string{"text", "thinking", "redacted", "call", "opaque", "interleave", "gate", "wait_ms", "fault"}

// kind returns which of names n has, "" with an error if it is not just one.
func (d *document) kind(n *node, what string, names []string) string {
	if n.open != '{' {
		d.fail(n.at, "%s is an object, not %s", what, n.what())
	}
	kind := ""
	for _, name := range names {
		if n.member(name) == nil {
			continue
		}
		if kind != "" {
			d.fail(n.at, "%s is either %q or %q: make it two", what, kind, name)
		}
		kind = name
	}
	if kind == "" {
		d.fail(n.at, "%s has one of the fields %q", what, names)
	}
	return kind
}

func (d *document) block(n *node, began bool) Block {
	kind := d.kind(n, "a block", blockNames)
	if d.err != nil {
		return nil
	}
	o := d.object(n, "a block with "+kind)
	var b Block
	switch kind {
	case "text":
		var t Text
		t.Text, t.Pieces = d.words(o.get("text"))
		b = t
	case "thinking":
		t := Thinking{}
		t.Text, t.Pieces = d.words(o.get("thinking"))
		t.Signature = o.str("signature")
		b = t
	case "redacted":
		b = Thinking{Redacted: o.str("redacted")}
	case "call":
		b = o.call()
	case "opaque":
		b = Opaque{Raw: compact(d.src, o.get("opaque")), Dialect: o.str("dialect"), Unknown: o.flag("unknown")}
	case "interleave":
		var all Interleave
		for _, in := range d.list(o.get("interleave"), "interleave") {
			all = append(all, d.block(in, true))
		}
		b = all
	default:
		b = o.between(kind).(Block)
	}
	o.close()
	if d.err == nil {
		d.found(n, checkBlock(b, began))
	}
	return b
}

// between reads what may stand between blocks and between pieces alike.
func (o *object) between(kind string) Piece {
	switch kind {
	case "gate":
		return Gate(o.str("gate"))
	case "wait_ms":
		t, _ := o.ms("wait_ms")
		return Wait(t)
	default:
		return o.fault()
	}
}

// words reads running text: a string, an array of pieces, or a repeat.
func (d *document) words(n *node) (string, []Piece) {
	switch n.open {
	case '[':
		pieces := []Piece{}
		for _, p := range n.list {
			pieces = append(pieces, d.piece(p))
		}
		return "", pieces
	case '{':
		return "", []Piece{d.piece(n)}
	}
	text, ok := n.value.(string)
	if !ok {
		d.fail(n.at, "text is a string, an array of pieces, or a repeat, not %s", n.what())
	}
	return text, nil
}

// pieceNames are the fields that tell what a piece is.
var pieceNames = []string{"repeat", "gate", "wait_ms", "fault"}

func (d *document) piece(n *node) Piece {
	var p Piece
	if text, ok := n.value.(string); ok {
		p = Say(text)
	} else {
		kind := d.kind(n, "a piece", pieceNames)
		if d.err != nil {
			return nil
		}
		o := d.object(n, "a piece with "+kind)
		if kind == "repeat" {
			r := Repeat{Text: o.str("repeat")}
			r.Bytes, _ = o.whole("bytes", 1)
			p = r
		} else {
			p = o.between(kind)
		}
		o.close()
	}
	if d.err == nil {
		d.found(n, checkPiece(p))
	}
	return p
}

func (o *object) call() Call {
	c := Call{Name: o.str("call"), ID: o.str("id")}
	if n := o.node.member("id"); n != nil && c.ID == "" {
		c.NoID = true
	}
	switch n := o.get("arguments"); {
	case n == nil:
		c.Arguments = "{}"
	case n.open == '{':
		c.Arguments = string(compact(o.src, n))
	default:
		c.Arguments, c.Pieces = o.words(n)
	}
	if n := o.get("extra"); n != nil {
		if n.open != '{' {
			o.fail(n.at, "%q is an object, not %s", "extra", n.what())
		}
		c.Extra = map[string]json.RawMessage{}
		for _, m := range n.members {
			c.Extra[m.name] = compact(o.src, m.value)
		}
	}
	return c
}

func (o *object) fault() Fault {
	f := Fault{
		Kind: FaultKind(o.str("fault")), Message: o.str("message"), Type: o.str("type"), Body: o.str("body"),
		Code: o.scalar("code"), RetryAfter: o.scalar("retry_after"),
	}
	f.Duration, _ = o.ms("ms")
	status, _ := o.whole("status", 0)
	after, _ := o.whole("retry_after_ms", 0)
	f.Status, f.RetryAfterMS = int(status), int(after)
	return f
}

// scalar returns a member that may be a string or a number, as text.
func (o *object) scalar(name string) string {
	n := o.get(name)
	if n == nil {
		return ""
	}
	switch v := n.value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		o.fail(n.at, "%q is a string or a number, not %s", name, n.what())
		return ""
	}
}

// compact returns the JSON text of n without blanks.
func compact(src []byte, n *node) json.RawMessage {
	var b bytes.Buffer
	if err := json.Compact(&b, src[n.at:n.end]); err != nil {
		panic("script: " + err.Error()) // the decoder has read it before
	}
	return b.Bytes()
}
