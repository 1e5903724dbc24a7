package streamtest

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// checkEnd compares how the response ended.
func (c Case) checkEnd(t testing.TB, o Outcome) {
	t.Helper()
	if c.Expect.Outcome == "completed" {
		if o.Err != nil {
			t.Errorf("failed, want %s: %v", c.Expect.Finish, o.Err)
		} else if string(o.Stop) != c.Expect.Finish {
			t.Errorf("finish %s, want %s", o.Stop, c.Expect.Finish)
		}
		return
	}
	if o.Err == nil {
		t.Errorf("completed with %s, want %s", o.Stop, c.Expect.ErrorKind)
		return
	}
	e := provider.AsError(o.Err)
	if string(e.Kind) != c.Expect.ErrorKind || e.Retryable != c.Expect.Retryable {
		t.Errorf("error %v, retryable %t; want %s, %t", e, e.Retryable, c.Expect.ErrorKind, c.Expect.Retryable)
	}
	if !strings.Contains(e.Message, c.Expect.ErrorContains) {
		t.Errorf("the error does not say %q: %v", c.Expect.ErrorContains, e)
	}
}

// made is what an id may look like that the reader makes up.
var made = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check compares call number i.
func (c Call) check(t testing.TB, calls []provider.ToolCall, i int) {
	t.Helper()
	got := calls[i]
	if c.ID != "*" && got.ID != c.ID {
		t.Errorf("call %d: id %q, want %q", i, got.ID, c.ID)
	}
	if c.ID == "*" && !made.MatchString(got.ID) {
		t.Errorf("call %d: id %q is none that a reader may make", i, got.ID)
	}
	for j := range i {
		if calls[j].ID == got.ID {
			t.Errorf("calls %d and %d have the id %q", j, i, got.ID)
		}
	}
	if got.Name != c.Name {
		t.Errorf("call %d: name %q, want %q", i, got.Name, c.Name)
	}
	usable := len(c.Arguments) > 0 && string(c.Arguments) != "null"
	if usable != (got.Arguments != nil) || usable && !sameJSON(got.Arguments, c.Arguments) {
		t.Errorf("call %d: arguments %s, want %s", i, short(string(got.Arguments)), short(string(c.Arguments)))
	}
	if c.Raw != nil && got.Raw != *c.Raw {
		t.Errorf("call %d: raw arguments %q, want %q", i, short(got.Raw), short(*c.Raw))
	}
	if c.Extra != nil && !maps.EqualFunc(got.Extra, c.Extra, sameJSON) {
		t.Errorf("call %d: extra %s, want %s", i, got.Extra, c.Extra)
	}
}

// sameJSON reports whether a and b are the same value, numbers to the letter.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
