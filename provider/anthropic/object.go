package anthropic

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/weir-agents/weir/provider/internal/wire"
)

// object is a JSON object whose members are looked at one by one: a member of
// a wrong kind is as good as absent, and never a reason to fail a stream.
type object map[string]json.RawMessage

// parseObject returns nil if data is not a JSON object.
func parseObject(data []byte) object {
	if len(data) == 0 || data[0] != '{' {
		return nil
	}
	var o object
	if json.Unmarshal(data, &o) != nil {
		return nil
	}
	return o
}

func (o object) object(name string) object { return parseObject(o[name]) }

// has reports whether the member is there and not null.
func (o object) has(name string) bool {
	raw := o[name]
	return len(raw) > 0 && string(raw) != "null"
}

// inside returns what stands between the quotes of a member that is a string.
func (o object) inside(name string) []byte {
	raw := o[name]
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

func (o object) string(name string) string {
	var half wire.Half
	text := half.Append(nil, o.inside(name))
	return string(half.Flush(text))
}

// number returns a member that is a whole number of at least 0.
func (o object) number(name string) (n int, ok bool) {
	raw := string(o[name])
	n, err := strconv.Atoi(raw)
	if err == nil {
		return n, n >= 0
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return 0, false
	}
	return int(f), true
}
