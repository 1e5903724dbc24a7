package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcripts of the guide anew")

const guideFile = "../../docs/GUIDE.md"

// varying is what differs from run to run, and what the guide says in its place.
var varying = []struct {
	what *regexp.Regexp
	said string
}{
	{regexp.MustCompile(`"at":"[^"]*"`), `"at":"2026-07-14T09:30:00.123456789Z"`},
	{regexp.MustCompile(`"(session|turn|prompt_id)":"[^"]*"`), `"$1":"01jz"`},
	{regexp.MustCompile(`"(duration|ttft)_ms":\d+`), `"${1}_ms":12`},
	{regexp.MustCompile(`"stalls":\{[^}]*\}`), `"stalls":{}`},
	{regexp.MustCompile(`"version":"[^"]*"`), `"version":"v0.1.0"`},
	{regexp.MustCompile(`"tools":\[[^]]*\]`), `"tools":["read_file","bash"]`},
	{regexp.MustCompile(`"input":\d+`), `"input":298`},
	{regexp.MustCompile(`(?m)(\s)[\d.]+m?s$`), `${1}12ms`},
	{regexp.MustCompile(`(?m)^◇ commands run .*$`), `◇ commands run confined: bubblewrap`},
}

// guide is a run of the guide's transcripts in a folder.
type guide struct {
	dir, home string
}

// said is text as the guide has it.
func (g *guide) said(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, g.dir, "/home/you/project"), g.home, "/home/you")
	for _, v := range varying {
		text = v.what.ReplaceAllString(text, v.said)
	}
	return text
}

func (g *guide) env() []string {
	return append(bare(), "HOME="+g.home, "XDG_CONFIG_HOME="+filepath.Join(g.dir, "config"), "TERM=xterm-256color", "NO_COLOR=1")
}

// TestTheGuideIsTrue runs each transcript of the guide and compares what is
// shown, in the order of the guide.
func TestTheGuideIsTrue(t *testing.T) {
	text, err := os.ReadFile(guideFile)
	if err != nil {
		t.Fatal(err)
	}
	g := &guide{dir: t.TempDir(), home: t.TempDir()}
	blocks := regexp.MustCompile("(?ms)^```(\\S+) ?(\\S*)\\n(.*?)^```$")
	runs := 0
	got := blocks.ReplaceAllStringFunc(string(text), func(block string) string {
		m := blocks.FindStringSubmatch(block)
		switch {
		case m[1] == "console" && m[2] == "talk":
			runs++
			return "```console talk\n" + g.talk(t, m[3]) + "```"
		case m[1] == "console":
			runs++
			return "```console\n" + g.run(t, m[3]) + "```"
		case m[2] != "":
			file := filepath.Join(g.dir, m[2])
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(m[3]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return block
	})
	if runs == 0 {
		t.Fatal("no transcripts found")
	}
	if *update {
		if err := os.WriteFile(guideFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(text), got); diff != "" && !*update {
		t.Error(diff)
	}
}

// run runs the commands of a transcript.
func (g *guide) run(t *testing.T, transcript string) string {
	var out strings.Builder
	for line := range strings.Lines(transcript) {
		command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if !ok {
			continue
		}
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = g.dir, g.env()
		shown, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, shown)
		}
		out.WriteString("$ " + command + "\n" + g.said(string(shown)))
	}
	return out.String()
}

// talk types what stands behind the prompts of a transcript.
func (g *guide) talk(t *testing.T, transcript string) string {
	first, rest, _ := strings.Cut(transcript, "\n")
	args := strings.Fields(strings.TrimPrefix(first, "$ weir "))
	d := onDesktopIn(t, g.dir, g.home, g.env(), args...)
	for line := range strings.Lines(rest) {
		for _, prompt := range []string{promptText, allow} {
			typed, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prompt)
			if !ok {
				continue
			}
			d.sees(t, prompt)
			if *update {
				<-time.After(500 * time.Millisecond) // nothing says yet what is to come
			} else {
				before, _, _ := strings.Cut(rest, line)
				d.out.until(t, "what the guide says up to "+line, func(text string) bool {
					return strings.HasPrefix(g.said(d.screen(t, text).Text()), strings.TrimSuffix(before, "\n"))
				})
			}
			d.types(t, typed+enter)
		}
	}
	d.leaves(t, 0)
	return first + "\n" + g.said(d.screen(t, d.out.text()).Text()) + "\n"
}

// TestTheExamplesOfHelpRun runs what --help shows, with the built-in demo in the
// place of a model, or a simulated server at the address.
func TestTheExamplesOfHelpRun(t *testing.T) {
	t.Parallel()
	g := &guide{dir: tree(t, map[string]string{"README.md": "# Of this folder\n"}), home: t.TempDir()}
	help, err := exec.Command("weir", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^ +((?:echo .*\| )?weir(?: .*?)?)  +\S.*$`).FindAllStringSubmatch(string(help), -1)
	if len(examples) < 8 {
		t.Fatalf("%d examples in:\n%s", len(examples), help)
	}
	server := simulated(t, `{"steps": ["fine"], "loop": true}`)
	for _, m := range examples {
		command := strings.Replace(m[1], "http://localhost:11434", server, 1)
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir, cmd.Env = g.dir, append(g.env(), "WEIR_PROVIDER=script")
		if strings.Contains(command, "--base-url") {
			cmd.Env = g.env()
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}
