package hook_test

import (
	"encoding/json"
	"fmt"

	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/hook"
)

// A hook in front of every command refuses it.
func ExampleHooks_Policy() {
	hooks, err := hook.New(hook.Config{
		Pre: []hook.Command{{
			Argv:  []string{"/bin/echo", `{"decision": "deny", "reason": "not on a Friday"}`},
			Tools: []string{"bash"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	policy := hooks.Policy(fixed{Decision: tools.Allow})
	call := tools.Call{Name: "bash", Arguments: json.RawMessage(`{"command": "make deploy"}`)}
	fmt.Println(policy.Decide(call, tools.Spec{Name: "bash", Class: tools.Exec}).Reason)
	// Output: the hook /bin/echo refuses it: not on a Friday
}
