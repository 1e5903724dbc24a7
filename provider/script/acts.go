package script

import (
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/weir-agents/weir/provider"
)

// ActKind tells the kinds of [Act] apart.
type ActKind uint8

// The kinds of act. Blocks open with rising numbers and may be open side by
// side; each closes unless a fault ends the answer.
const (
	ActOpen  ActKind = iota + 1 // block number Block starts; Of is what it is
	ActPiece                    // Text is added to block number Block, which Of is
	ActClose                    // block number Block is whole; Of is what it is
	ActHold                     // wait as Hold says; see Provider.Await
	ActFault                    // Fault ends the answer
	ActEnd                      // the model is done, with Stop and Usage
)

// Act is one thing that happens while a step is played.
type Act struct {
	Kind  ActKind
	Block int
	// Of is a Text, Thinking, Call or Opaque. The ID of a Call is filled in,
	// unless it has NoID.
	Of    Block
	Text  string
	Hold  Hold
	Fault Fault
	Stop  provider.StopReason
	Usage *provider.Usage
}

// Hold is a wait: for a time, for a gate, or (the zero Hold) for ever.
type Hold struct {
	For  time.Duration
	Gate string
	// Stall says that it is a fault, so a reader's idle timeout may end it.
	Stall bool
}

// Acts yields what happens when s answers req, in order. It holds one piece at
// a time. s comes from [Provider.Choose], which resolves its pacing.
func (s Step) Acts(req provider.Request) iter.Seq[Act] {
	return func(yield func(Act) bool) {
		p := player{step: s, req: req, yield: yield}
		p.play()
	}
}

// player plays one step. Its methods return false when the answer is over.
type player struct {
	step   Step
	req    provider.Request
	yield  func(Act) bool
	blocks int // how many have opened
	calls  int
	pieces int
	fresh  bool // nothing to wait for before the next piece
}

func (p *player) play() {
	p.fresh = true
	if p.step.First > 0 && !p.hold(Hold{For: p.step.First}) {
		return
	}
	for _, b := range p.step.Blocks {
		if !p.block(b) {
			return
		}
	}
	p.yield(Act{Kind: ActEnd, Stop: p.stop(), Usage: p.usage()})
}

func (p *player) block(b Block) bool {
	switch b := b.(type) {
	case Gate:
		return p.hold(Hold{Gate: string(b)})
	case Wait:
		return p.hold(Hold{For: time.Duration(b)})
	case Fault:
		return p.fault(b)
	case Interleave:
		return p.interleave(b)
	default:
		c := newCursor(b)
		for !c.done {
			if !c.step(p) {
				return false
			}
		}
		return true
	}
}

func (p *player) interleave(blocks []Block) bool {
	open := make([]*cursor, len(blocks))
	for i, b := range blocks {
		open[i] = newCursor(b)
	}
	for left := len(open); left > 0; {
		for _, c := range open {
			if c.done {
				continue
			}
			if !c.step(p) {
				return false
			}
			if c.done {
				left--
			}
		}
	}
	return true
}

func (p *player) hold(h Hold) bool { return p.yield(Act{Kind: ActHold, Hold: h}) }

func (p *player) fault(f Fault) bool {
	if f.Kind == Stall {
		return p.hold(Hold{For: f.Duration, Stall: true})
	}
	p.yield(Act{Kind: ActFault, Fault: f})
	return false
}

// pace waits the gap between pieces. A block's first piece comes with its start.
func (p *player) pace() bool {
	if p.fresh {
		p.fresh = false
		return true
	}
	return p.step.Gap <= 0 || p.hold(Hold{For: p.step.Gap})
}

func (p *player) stop() provider.StopReason {
	switch {
	case p.step.Stop != "":
		return p.step.Stop
	case p.calls > 0:
		return provider.StopToolCalls
	default:
		return provider.StopEnd
	}
}

// bytesPerToken is the usual rough measure.
const bytesPerToken = 4

func (p *player) usage() *provider.Usage {
	if p.step.Usage != nil || p.step.NoUsage {
		return p.step.Usage
	}
	n := len(p.req.System)
	for _, m := range p.req.Messages {
		for _, b := range m.Blocks {
			n += provider.BlockBytes(b)
		}
	}
	return &provider.Usage{Input: 1 + n/bytesPerToken, Output: p.pieces}
}

// cursor plays one block piece by piece.
type cursor struct {
	of     Block
	pieces []Piece
	block  int
	rest   string // running text that is still to be cut
	unit   string // what refills rest
	left   int64  // how many bytes of units are to come after rest
	opened bool
	done   bool
}

func newCursor(b Block) *cursor {
	c := &cursor{of: b}
	switch b := b.(type) {
	case Text:
		c.rest, c.pieces = b.Text, b.Pieces
	case Thinking:
		c.rest, c.pieces = b.Text, b.Pieces
	case Call:
		c.rest, c.pieces = b.Arguments, b.Pieces
	case Opaque:
	default:
		panic(fmt.Sprintf("script: a block of no known kind: %T", b))
	}
	return c
}

// step plays up to and with the next piece, or the end of the block.
func (c *cursor) step(p *player) bool {
	if !c.opened {
		c.opened = true
		return c.open(p) && (!c.holdsText() || c.advance(p))
	}
	return c.advance(p)
}

func (c *cursor) holdsText() bool { return c.rest != "" || len(c.pieces) > 0 }

func (c *cursor) open(p *player) bool {
	if !p.pace() {
		return false
	}
	c.block = p.blocks
	p.blocks++
	p.fresh = true
	if call, ok := c.of.(Call); ok {
		if call.ID == "" && !call.NoID {
			call.ID = madeID(p.req, p.calls)
		}
		p.calls++
		c.of = call
	}
	return p.yield(Act{Kind: ActOpen, Block: c.block, Of: c.of})
}

func (c *cursor) advance(p *player) bool {
	for {
		if c.rest == "" && c.left > 0 {
			c.rest = whole(c.unit, c.left)
			c.left -= int64(len(c.rest))
			if c.rest == "" { // the last character does not fit
				c.left = 0
			}
		}
		if c.rest != "" {
			n := cut(c.rest, p.step.Split)
			text := c.rest[:n]
			c.rest = c.rest[n:]
			return c.say(p, text)
		}
		if len(c.pieces) == 0 {
			c.done = true
			p.fresh = false
			return p.yield(Act{Kind: ActClose, Block: c.block, Of: c.of})
		}
		next := c.pieces[0]
		c.pieces = c.pieces[1:]
		switch next := next.(type) {
		case Say:
			return c.say(p, string(next))
		case Repeat:
			c.unit, c.left = next.unroll(p.step.Split), next.Bytes
		case Gate:
			if !p.hold(Hold{Gate: string(next)}) {
				return false
			}
		case Wait:
			if !p.hold(Hold{For: time.Duration(next)}) {
				return false
			}
		case Fault:
			if !p.fault(next) {
				return false
			}
		default:
			panic(fmt.Sprintf("script: a piece of no known kind: %T", next))
		}
	}
}

func (c *cursor) say(p *player, text string) bool {
	if !p.pace() {
		return false
	}
	p.pieces++
	return p.yield(Act{Kind: ActPiece, Block: c.block, Of: c.of, Text: text})
}

// madeID names call number n of the answer to req. Without a prefix the place
// in the history makes it unique within a conversation.
func madeID(req provider.Request, n int) string {
	if req.IDPrefix != "" {
		return req.IDPrefix + strconv.Itoa(n)
	}
	return fmt.Sprintf("call_%d_%d", answers(req), n)
}

// answers counts the assistant messages of req.
func answers(req provider.Request) int {
	n := 0
	for _, m := range req.Messages {
		if m.Role == provider.Assistant {
			n++
		}
	}
	return n
}
