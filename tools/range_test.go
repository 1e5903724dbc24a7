package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Zero is not the same as leaving an argument out that starts at 1.
func TestArgumentsThatStartAtOneAreNotZero(t *testing.T) {
	k := newKit(t, Config{WebFetch: true})
	k.write("a", "x\n")
	for _, c := range []struct {
		tool string
		args args
	}{
		{"read_file", args{"path": "a", "offset": 0}},
		{"read_file", args{"path": "a", "limit": 0}},
		{"read_file", args{"path": "a", "limit": -3}},
		{"list_dir", args{"depth": 0}},
		{"glob", args{"pattern": "*", "limit": 0}},
		{"grep", args{"pattern": "x", "limit": -1}},
		{"bash", args{"command": "true", "timeout_ms": 0}},
		{"web_fetch", args{"url": "http://localhost", "limit": 0}},
	} {
		if r := k.call(c.tool, c.args); r.Kind != BadArgument || !strings.Contains(r.Text, "start at 1") {
			t.Errorf("%s %v: %+v", c.tool, c.args, r)
		}
	}
	has(t, k.want("read_file", args{"path": "a", "offset": 1, "limit": 1}), "lines 1-1 of 1")
}

// B053, B056 for a file that is replaced whole: what the model does not see of
// a file stays, and is told.
func TestB053B056WriteFileKeepsLineEndsAndMark(t *testing.T) {
	for _, c := range []struct{ before, content, after, said string }{
		{"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", "f: replaced, 6 bytes, before 6, its CRLF line ends kept\n"},
		{"\ufeffa\n", "x\n", "\ufeffx\n", "f: replaced, 5 bytes, before 5, its byte order mark kept\n"},
		{"\ufeffa\r\n", "x\n", "\ufeffx\r\n", "f: replaced, 6 bytes, before 6, its CRLF line ends and byte order mark kept\n"},
		{"\ufeffa\r\n", "\ufeffx\r\ny\n", "\ufeffx\r\ny\n", "f: replaced, 8 bytes, before 6\n"},
		{"a\r\nb\n", "x\ny\n", "x\ny\n", "f: replaced, 4 bytes, before 5\n"},
		{"a\n", "x\r\n", "x\r\n", "f: replaced, 3 bytes, before 2\n"},
		{"a\r\n", "x", "x", "f: replaced, 1 byte, before 3\n"},
		{"\ufeffa\r\n", "", "", "f: replaced, 0 bytes, before 6\n"},
		{"a\r\n", "a\n", "a\r\n", "f: unchanged, it holds just that, 3 bytes"},
		{"\x00\r\n", "x\n", "x\n", "f: replaced, 2 bytes, before 3\n"},
	} {
		k := newKit(t, Config{})
		k.write("f", c.before)
		got := k.want("write_file", args{"path": "f", "content": c.content})
		if after := k.content("f"); after != c.after || !strings.HasPrefix(got, c.said) {
			t.Errorf("%q over %q: holds %q, says %q", c.content, c.before, after, got)
		}
	}
}

// Hooks and commands get an environment that went through the same sieve.
func TestWithoutSecretsTakesNamesAndValues(t *testing.T) {
	got := WithoutSecrets([]string{
		"PATH=/bin", "MONKEY=1", "MY_API_KEY=1", "PGPASSWORD=1", "AWS_REGION=x", "DB=postgres://u:p@h/d", "GIT=ghp_abc", "NAMED=1", "broken", "BASH_ENV=f",
	}, []string{"NAMED"})
	if want := []string{"PATH=/bin", "MONKEY=1", "BASH_ENV=f"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// Secrets whose names say so in part, and names that only look so.
func TestPromise9NamesOfSecrets(t *testing.T) {
	stay := []string{
		"PWD=/w", "OLDPWD=/v", "SSH_AUTH_SOCK=/run/agent", "PATH=/bin", "MANPATH=/man", "PATTERN=*", "FILE_PATTERN=*", "AUTHOR=me", "GIT_AUTHOR_NAME=me",
	}
	secret := []string{"MYSQL_PWD=a", "NPM_CONFIG__AUTH=b", "npm_config__auth=b", "DOCKER_AUTH_CONFIG=c", "GITHUB_PAT=d", "AZURE_DEVOPS_EXT_PAT=e"}
	if diff := cmp.Diff(stay, WithoutSecrets(append(secret, stay...), nil)); diff != "" {
		t.Error(diff)
	}
}
