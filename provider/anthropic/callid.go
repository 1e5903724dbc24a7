package anthropic

import (
	"crypto/rand"
	"strconv"
	"strings"
)

// callIDs gives the calls of a conversation ids that the vendor accepts: of
// letters, digits, _ and -, and no two the same. Most are sent as they are;
// those of a model that numbers its calls anew in every answer (`tool:0`) or
// of another vendor are changed, the same way in every request. B049
//
// The value of an id is how often it was asked for.
type callIDs map[string]int

func (ids callIDs) use(id string) string {
	base := strings.Map(idRune, id)
	if base == "" {
		base = "call"
	}
	wire := base
	for ids[wire] > 0 {
		ids[base]++
		wire = base + "_" + strconv.Itoa(ids[base])
	}
	ids[wire] = 1
	return wire
}

func idRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
		return r
	default:
		return '_'
	}
}

// madePrefix returns what made ids start with: the request's own prefix, which
// is unique in its session, else something that was never there before.
func madePrefix(prefix string) string {
	prefix = strings.TrimRight(strings.Map(idRune, prefix), "_")
	if prefix == "" {
		return "call_" + rand.Text()
	}
	return prefix[:min(len(prefix), 40)]
}
