package provider

import (
	"strings"
	"testing"
)

func TestCheckHistory(t *testing.T) {
	user := Message{Role: User, Blocks: []Block{Text{Text: "hi"}}}
	said := Message{Role: Assistant, Blocks: []Block{Thinking{Text: "hm"}, Text{Text: "hello"}}}
	call := func(ids ...string) Message {
		m := Message{Role: Assistant}
		for _, id := range ids {
			m.Blocks = append(m.Blocks, ToolCall{ID: id, Name: "ls"})
		}
		return m
	}
	results := func(ids ...string) Message {
		m := Message{Role: Tool}
		for _, id := range ids {
			m.Blocks = append(m.Blocks, ToolResult{Call: id, Name: "ls"})
		}
		return m
	}
	of := func(r Role, blocks ...Block) Message { return Message{Role: r, Blocks: blocks} }
	for _, c := range []struct {
		name string
		in   []Message
		want string
	}{
		{"nothing", nil, ""},
		{"a talk", []Message{user, said, user, said}, ""},
		{"a turn that failed, and the next", []Message{user, user, said}, ""},
		{"a pause", []Message{user, said, said}, ""},
		{"calls", []Message{user, call("a", "b"), results("a", "b"), call("a"), results("a"), said}, ""},
		{"a prompt that joined", []Message{user, call("a"), results("a"), user, said}, ""},
		{"an image alone", []Message{of(User, Image{MediaType: "image/png"}), said}, ""},
		{"opaque alone", []Message{user, of(Assistant, Opaque{Dialect: "anthropic"})}, ""},
		{"an assistant first", []Message{said}, "message 0 (assistant): a conversation begins with"},
		{"no such role", []Message{of("system", Text{Text: "s"})}, "message 0 (system): there is no such role"},
		{"a blank user", []Message{of(User, Text{Text: " \n"})}, "message 0 (user): it is empty"},
		{"a user without blocks", []Message{of(User)}, "message 0 (user): it is empty"},
		{"a user's call", []Message{of(User, ToolCall{ID: "a", Name: "ls"})}, "does not send a provider.ToolCall"},
		{"thinking alone", []Message{user, of(Assistant, Thinking{Text: "hm"})}, "message 1 (assistant): it is empty"},
		{"an assistant's image", []Message{user, of(Assistant, Text{Text: "x"}, Image{})}, "does not send a provider.Image"},
		{"a call without id", []Message{user, call("")}, `a call of "ls" has no id`},
		{"a call without name", []Message{user, of(Assistant, ToolCall{ID: "a"})}, `the call "a" names no tool`},
		{"an id twice", []Message{user, call("a", "a")}, `two calls have the id "a"`},
		{"a call left open", []Message{user, call("a")}, `message 1 (assistant): the call "a" has no result`},
		{"a call passed over", []Message{user, call("a"), user}, `message 2 (user): the call "a" before it has no result`},
		{"results without calls", []Message{user, said, results("a")}, "message 2 (tool): results without calls"},
		{"results twice", []Message{user, call("a"), results("a"), results("a")}, "message 3 (tool): results without calls"},
		{"one result for two", []Message{user, call("a", "b"), results("a")}, "1 results for 2 calls"},
		{"two results for one", []Message{user, call("a"), results("a", "b")}, "2 results for 1 calls"},
		{"another order", []Message{user, call("a", "b"), results("b", "a")}, `result 0 is of the call "b", not of "a"`},
		{"text among results", []Message{user, call("a"), of(Tool, Text{Text: "x"})}, "a provider.Text among results"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := CheckHistory(c.in)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
