package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Bounds of a plan.
const (
	todoMax     = 100
	todoTextMax = 500 // bytes of one item
)

//go:embed todo.md
var todoText string

// todoSchema is written by hand for its three words.
const todoSchema = `{"type":"object","properties":{"items":{"type":"array","description":"the whole plan, in order",` +
	`"items":{"type":"object","properties":{"text":{"type":"string"},"state":{"type":"string","enum":["open","doing","done"]}},` +
	`"required":["text","state"],"additionalProperties":false}}},"required":["items"],"additionalProperties":false}`

type todoArgs struct {
	Items []TodoItem `json:"items"`
}

// TodoItem is one line of the model's plan.
type TodoItem struct {
	Text  string `json:"text"`
	State string `json:"state"` // "open", "doing" or "done"
}

func (a todoArgs) Summary() string {
	done := 0
	for _, item := range a.Items {
		if item.State == "done" {
			done++
		}
	}
	return fmt.Sprintf("%d of %d done", done, len(a.Items))
}

// todos is the plan of a session.
type todos struct {
	mu    sync.Mutex
	items []TodoItem
}

type todosKey struct{}

func todosOf(s *Scope) *todos {
	return s.Value(todosKey{}, func() any { return &todos{} }).(*todos)
}

// Todo returns the plan of a session as the model has last told it.
func Todo(s *Scope) []TodoItem {
	t := todosOf(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]TodoItem(nil), t.items...)
}

func (b *builtin) todo() Tool {
	spec := Spec{Name: "todo", Description: todoText, Schema: json.RawMessage(todoSchema), Class: ReadOnly}
	return mustNew(spec, runTodo)
}

func runTodo(_ context.Context, call Call, args todoArgs) Result {
	if len(args.Items) > todoMax {
		return badArgument("%d items; at most %d", len(args.Items), todoMax)
	}
	marks := map[string]string{"open": "[ ]", "doing": "[>]", "done": "[x]"}
	var text strings.Builder
	for i, item := range args.Items {
		mark, ok := marks[item.State]
		line := strings.Join(strings.Fields(item.Text), " ")
		switch {
		case !ok:
			return badArgument("item %d: state %s is none of open, doing, done", i+1, quoteCapped(item.State))
		case line == "":
			return badArgument("item %d: the text is empty", i+1)
		case len(line) > todoTextMax:
			return badArgument("item %d: %d bytes; at most %d", i+1, len(line), todoTextMax)
		}
		text.WriteString("\n" + mark + " " + line)
	}
	call.Lasting(func() {
		t := todosOf(call.Scope)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.items = args.Items
	})
	return Result{Text: args.Summary() + text.String()}
}
