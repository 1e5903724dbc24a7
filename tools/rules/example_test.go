package rules_test

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/weir-agents/weir/tools"
	"github.com/weir-agents/weir/tools/rules"
)

func Example() {
	dir, err := os.MkdirTemp("", "workspace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	policy, warnings, err := rules.New(rules.Config{
		Allow:       []string{"bash(git status)", "bash(git log *)", "bash(ls*)"},
		Deny:        []string{"bash(git push *)", "read_file(**/.env)"},
		Roots:       []string{dir},
		Interactive: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range warnings {
		fmt.Println("warning:", w.Rule)
	}
	for _, command := range []string{"git status && git log -n 3", "git status; env git push", "go test ./...", "git log > out"} {
		arguments, _ := json.Marshal(map[string]string{"command": command})
		v := policy.Decide(tools.Call{Name: "bash", Arguments: arguments}, tools.Spec{Name: "bash", Class: tools.Exec})
		fmt.Printf("%s: %s\n", [...]string{"deny", "ask", "allow"}[v.Decision], v.Reason)
		if v.Suggestion != "" {
			fmt.Println("always:", v.Suggestion)
		}
	}
	// Output:
	// warning: bash(ls*)
	// allow: the rules bash(git status), bash(git log *) cover every command in it
	// deny: the rule bash(git push *) denies `git push`
	// ask: no rule allows `go test ./...`
	// always: bash(go test ./...)
	// ask: the redirection `> out` is never covered by a rule
}
