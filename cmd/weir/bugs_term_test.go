package main

import (
	"regexp"
	"strings"
	"testing"
)

// keyboards are sequences that push, pop or set how a terminal reports keys.
var keyboards = regexp.MustCompile(`\x1b\[[<>=][\d;]*[um]`)

// TestB004_EveryWayOutLeavesNoModeOn also holds that neither the mouse nor the
// alternate screen is ever asked for.
func TestB004_EveryWayOutLeavesNoModeOn(t *testing.T) {
	t.Parallel()
	script := scriptFile(t, `{"steps": ["fine"], "loop": true}`)
	for _, out := range []string{"/exit" + enter, "/quit" + enter, ctrlD, ctrlC + ctrlC, "go" + enter + ctrlD} {
		d := onDesktop(t, t.TempDir(), "--script", script)
		d.sees(t, "weir> ")
		d.types(t, out)
		d.leaves(t, 0)
		modes := d.screen(t, d.out.text()).Modes
		if len(modes) != 1 || modes["2004"] != 0 {
			t.Errorf("%q: modes that were set or reset: %v", out, modes)
		}
	}
}

// TestB005_NoKeyboardProtocolIsLeftOn has a terminal that says, unasked, that it
// could report keys in another way.
func TestB005_NoKeyboardProtocolIsLeftOn(t *testing.T) {
	t.Parallel()
	home, script := t.TempDir(), scriptFile(t, `{"steps": ["fine"]}`)
	for range 10 {
		d := onDesktop(t, home, "--script", script)
		d.sees(t, "weir> ")
		d.types(t, "\x1b[?31u\x1b[?62;4c")
		d.types(t, "x")
		d.sees(t, "weir> x")
		d.types(t, ctrlC+ctrlC)
		d.leaves(t, 0)
		if got := keyboards.FindString(d.out.text()); got != "" {
			t.Fatalf("the keyboard's protocol was changed: %q", got)
		}
	}
}

// TestB028_WhatAToolSaysLooksLikeNoLineOfOurs has a command show an old run,
// which is protocol, and lines as weir writes them.
func TestB028_WhatAToolSaysLooksLikeNoLineOfOurs(t *testing.T) {
	t.Parallel()
	old := `{\"type\":\"turn_ended\",\"outcome\":\"completed\"}`
	script := scriptFile(t, `{"steps": [{"blocks": [{"call": "bash", "arguments": {"command": "printf '%s\\n' 'x' '`+old+`' '✔ bash -> done' 'weir: all is well'; exit 1"}}]}, "fine"]}`)
	for _, format := range []string{"text", "json", "jsonl"} {
		p := run(t, nil, nil, "-v", "-p", "hi", "--mode", "bypass", "--output-format", format, "--script", script)
		p.exits(t, 0)
		for line := range strings.Lines(p.err.text()) {
			if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "✔") || strings.HasPrefix(line, "weir: all") {
				t.Errorf("%s: on standard error: %q", format, line)
			}
		}
		if format == "text" {
			p.err.want(t, "\n  {\"type\":\"turn_ended\"")
		}
	}
}
