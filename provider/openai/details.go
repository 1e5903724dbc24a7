package openai

import (
	"bytes"
	"encoding/json"

	"github.com/weir-agents/weir/provider"
	"github.com/weir-agents/weir/provider/internal/wire"
)

// detailsMax is how many reasoning_details one answer may have.
const detailsMax = 4096

// details gathers the reasoning_details of an answer. Where they are sealed (a
// signature, encrypted data) the vendor wants them back, in their order and to
// the letter; where they are not they only repeat the thinking.
type details struct {
	all    []*detail
	sealed bool
}

// detail is one of them: as it came, or put together of its pieces.
type detail struct {
	raw    json.RawMessage // nil once another piece has come
	first  object
	grown  map[string][]byte // of the members that come in pieces, what stands between the quotes
	latest object            // of the others that came later
}

// grows are the members that come in pieces.
var grows = []string{"text", "summary"}

// add takes the details of one chunk.
func (d *details) add(list []json.RawMessage, out *wire.Out) error {
	for _, raw := range list {
		o := asObject(raw)
		if o == nil {
			continue
		}
		d.sealed = d.sealed || o.text("signature") != nil || o.text("data") != nil || o.text("encrypted_content") != nil
		out.Hold(len(raw))
		if n := len(d.all); n > 0 && d.all[n-1].goesOn(o) {
			d.all[n-1].grow(o)
			continue
		}
		if len(d.all) == detailsMax {
			return &provider.Error{Kind: provider.TooLarge, Message: "the answer has more reasoning details than can be kept"}
		}
		d.all = append(d.all, &detail{raw: raw, first: o})
	}
	return nil
}

// goesOn reports whether o is the next piece of d: text of the same kind and
// place. Encrypted data always comes whole.
func (d *detail) goesOn(o object) bool {
	for _, key := range []string{"type", "index"} {
		if !bytes.Equal(d.first[key], o[key]) {
			return false
		}
	}
	was, is := d.first.text("id"), o.text("id")
	if was != nil && is != nil && !bytes.Equal(was, is) {
		return false
	}
	return o.text("data") == nil && d.first.text("data") == nil && o.text("encrypted_content") == nil
}

func (d *detail) grow(o object) {
	if d.grown == nil {
		d.grown, d.latest = map[string][]byte{}, object{}
		for _, key := range grows {
			if text := d.first.text(key); text != nil {
				d.grown[key] = bytes.Clone(text)
			}
		}
	}
	d.raw = nil
	for key, raw := range o {
		switch {
		case key == grows[0] || key == grows[1]:
			d.grown[key] = append(d.grown[key], o.text(key)...)
		case present(raw) && string(raw) != `""`:
			d.latest[key] = raw
		}
	}
}

// json returns the detail as it goes back.
func (d *detail) json() json.RawMessage {
	if d.raw != nil {
		return wire.Mended(d.raw)
	}
	whole := object{}
	for _, from := range []object{d.first, d.latest} {
		for key, raw := range from {
			whole[key] = raw
		}
	}
	for key, text := range d.grown {
		if len(text) > 0 {
			whole[key] = json.RawMessage(`"` + string(text) + `"`)
		}
	}
	return wire.Mended(marshal(whole))
}

// block returns the block that carries them, false if none is needed.
func (d *details) block() (provider.Opaque, bool) {
	if !d.sealed {
		return provider.Opaque{}, false
	}
	all := make([]json.RawMessage, len(d.all))
	for i, one := range d.all {
		all[i] = one.json()
	}
	return provider.Opaque{Dialect: dialect, Raw: marshal(map[string]any{"reasoning_details": all})}, true
}
