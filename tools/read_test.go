package tools

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadShowsNumberedLines(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a.txt", "one\ntwo\nthree\n")
	for _, c := range []struct {
		args args
		want Result
	}{
		{args{"path": "a.txt"}, Result{Text: "a.txt: lines 1-3 of 3\n     1\tone\n     2\ttwo\n     3\tthree"}},
		{args{"path": k.path("a.txt"), "offset": 3}, Result{Text: k.path("a.txt") + ": lines 3-3 of 3\n     3\tthree"}},
		{args{"path": "./a.txt", "limit": 1}, Result{Text: "./a.txt: lines 1-1 of 3\n     1\tone\n… 2 lines more; go on with offset 2"}},
		{args{"path": "a.txt", "offset": 4}, Result{Kind: Failed, Text: "a.txt: offset 4 is past the end: the file has 3 lines"}},
		{args{"path": "a.txt", "byte_offset": 14}, Result{Kind: Failed, Text: "a.txt: byte_offset 14 is past the end: the file has 14 bytes"}},
		{args{"path": "a.txt", "byte_offset": 4}, Result{Text: "a.txt: bytes 4-14 of 14\ntwo\nthree\n"}},
		{args{"path": "b.txt"}, Result{Kind: Failed, Text: "b.txt: no such file; did you mean a.txt?"}},
		{args{"path": "."}, Result{Kind: Failed, Text: ".: a folder; use list_dir"}},
		{args{"path": "a.txt/x"}, Result{Kind: Failed, Text: "a.txt/x: not a folder"}},
		{args{"path": "a.txt", "offset": -1}, Result{Kind: BadArgument, Text: "-1 is too small: offset, limit, depth and timeout_ms start at 1; leave them out for the default"}},
	} {
		if d := cmp.Diff(c.want, k.call("read_file", c.args)); d != "" {
			t.Errorf("%v: %s", c.args, d)
		}
	}
}

func TestReadStopsAtTheDefaultLimitAndSaysHowToGoOn(t *testing.T) {
	k := newKit(t, Config{})
	k.write("long.txt", strings.Repeat("x\n", 2500))
	r := k.call("read_file", args{"path": "long.txt"})
	has(t, r.Text, "long.txt: lines 1-2000 of 2500", "… 500 lines more; go on with offset 2001")
	if !r.Truncated {
		t.Error("not marked as truncated")
	}
	r = k.call("read_file", args{"path": "long.txt", "offset": 2001})
	if has(t, r.Text, "lines 2001-2500 of 2500"); r.Truncated {
		t.Error("the end is marked as truncated")
	}
	if r = k.call("read_file", args{"path": "long.txt", "limit": 5}); r.Truncated {
		t.Error("an explicit limit that was met is marked as truncated")
	}
}

func TestReadTellsEncodingsApart(t *testing.T) {
	k := newKit(t, Config{})
	for _, c := range []struct{ content, want string }{
		{"\xef\xbb\xbfa\r\nb\r\n", "f: lines 1-2 of 2 (BOM; CRLF)\n     1\ta\n     2\tb"},
		{"no end", "f: lines 1-1 of 1 (no newline at the end)\n     1\tno end"},
		{"caf\xe9\n", "f: lines 1-1 of 1 (not UTF-8, such bytes shown as \\xNN)\n     1\tcaf\\xe9"},
		{"\xff\xfeh\x00i\x00\n\x00", "f: lines 1-1 of 1 (UTF-16)\n     1\thi"},
		{"\xfe\xff\x00h\x00i", "f: lines 1-1 of 1 (UTF-16; no newline at the end)\n     1\thi"},
		{"\n\n", "f: lines 1-2 of 2\n     1\t\n     2\t"},
	} {
		k.write("f", c.content)
		if got := k.want("read_file", args{"path": "f"}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.content, got, c.want)
		}
	}
}

func TestReadTellsBinaryAndPicturesApart(t *testing.T) {
	k := newKit(t, Config{})
	k.write("b.zip", "PK\x03\x04\x00\x00")
	has(t, k.refuse("read_file", args{"path": "b.zip"}), "binary file (application/zip), 6 bytes")
	png := pictures(t, 1, 1)["image/png"]
	k.write("p.png", png)
	want := Result{Text: fmt.Sprintf("p.png: picture (image/png), %d bytes", len(png)), Images: []Image{{MediaType: "image/png", Data: []byte(png)}}}
	if d := cmp.Diff(want, k.call("read_file", args{"path": "p.png"})); d != "" {
		t.Error(d)
	}
	k.write("huge.png", png+strings.Repeat("p", imageMax))
	has(t, k.refuse("read_file", args{"path": "huge.png"}), "too large to show")
}

// Promise 2, B068: what is no regular file is refused at once, and an empty one
// says so.
func TestPromise2B068ReadNeverWaits(t *testing.T) {
	k := newKit(t, Config{})
	k.write("empty", "")
	if got := k.want("read_file", args{"path": "empty"}); got != "empty: file is empty" {
		t.Errorf("got %q", got)
	}
	if err := syscall.Mkfifo(k.path("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", k.path("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Symlink("fifo", k.path("link")); err != nil {
		t.Fatal(err)
	}
	all := newKitIn(t, "/", Config{})
	for _, c := range []struct {
		k          *kit
		path, want string
	}{
		{k, "fifo", "a named pipe, not a regular file"},
		{k, "link", "a named pipe, not a regular file"},
		{k, "socket", "a socket, not a regular file"},
		{all, "/dev/zero", "a device, not a regular file"},
		{all, "/dev/null", "a device, not a regular file"},
		{all, "/dev/tty", "a device, not a regular file"},
		{all, "/proc/self/environ", "a file of the kernel, not of the disk"},
		{all, "/proc/kmsg", "a file of the kernel, not of the disk"},
	} {
		done := make(chan Result, 1)
		go func() { done <- c.k.call("read_file", args{"path": c.path}) }()
		select {
		case r := <-done:
			if r.OK() {
				t.Errorf("%s was read: %s", c.path, r.Text)
			}
			if !strings.Contains(r.Text, "permission denied") {
				has(t, r.Text, c.want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: no answer", c.path)
		}
	}
}

// Promise 2 for the other tools: they pass over what is no regular file.
func TestPromise2OtherToolsNeverWait(t *testing.T) {
	k := newKit(t, Config{})
	if err := syscall.Mkfifo(k.path("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	k.write("sub/f", "needle\n")
	if err := syscall.Mkfifo(k.path("sub/.gitignore"), 0o644); err != nil {
		t.Fatal(err)
	}
	has(t, k.refuse("write_file", args{"path": "fifo", "content": "x"}), "a named pipe, not a regular file")
	has(t, k.refuse("edit_file", args{"path": "fifo", "edits": one("x", "y")}), "a named pipe, not a regular file")
	has(t, k.refuse("grep", args{"pattern": "x", "path": "fifo"}), "a named pipe, not a regular file")
	has(t, k.want("grep", args{"pattern": "needle"}), "1 match in 1 file\nsub/f:1:needle")
	has(t, k.want("glob", args{"pattern": "**"}), "1 file\nsub/f\n")
	has(t, k.want("list_dir", args{}), "fifo  (a named pipe)\n")
}

// B070: a huge line is cut with a note, and the result never grows with it.
func TestB070HugeLineIsCut(t *testing.T) {
	k := newKit(t, Config{})
	k.write("big", strings.Repeat("é", 2_500_000))
	for range 3 {
		r := k.call("read_file", args{"path": "big"})
		if !r.Truncated || len(r.Text) > 2*readLineMax {
			t.Fatalf("truncated %v, %d bytes", r.Truncated, len(r.Text))
		}
		has(t, r.Text, "… 4998000 bytes more in this line; go on with byte_offset 2000")
	}
}

// B071: by the offsets it is told, a model reads a line of any length to its
// end, and gets each byte once.
func TestB071LongLineIsReadToItsEnd(t *testing.T) {
	k := newKit(t, Config{})
	content := strings.Repeat("0123456789é", 12_000)
	k.write("one.json", content)
	k.call("read_file", args{"path": "one.json"})
	var got strings.Builder
	for offset := 0; offset < len(content); {
		r := k.call("read_file", args{"path": "one.json", "byte_offset": offset})
		_, body, _ := strings.Cut(r.Text, "\n")
		body, _, more := strings.Cut(body, "\n… ")
		if !r.OK() || body == "" || !utf8.ValidString(body) || more != r.Truncated {
			t.Fatalf("at %d: %s", offset, r.Text[:200])
		}
		got.WriteString(body)
		offset += len(body)
	}
	if got.String() != content {
		t.Error("the pieces are not the file")
	}
}

func TestReadCutsOutputAtLinesThatFit(t *testing.T) {
	k := newKit(t, Config{})
	k.write("wide", strings.Repeat(strings.Repeat("w", 1500)+"\n", 100))
	r := k.call("read_file", args{"path": "wide"})
	if !r.Truncated || len(r.Text) > readMax+2000 {
		t.Errorf("truncated %v, %d bytes", r.Truncated, len(r.Text))
	}
	has(t, r.Text, "wide: lines 1-33 of 100", "… 67 lines more; go on with offset 34")
}

// B079: a name that looks the same is found if it is the only one; writes never
// guess.
func TestB079LookalikeNameIsRead(t *testing.T) {
	k := newKit(t, Config{})
	k.write("Screen Shot at 9.41\u202fAM.txt", "shot\n")
	k.write("it\u2019s.txt", "curly\n")
	k.write("bad\xffname", "bytes\n")
	k.write("re\u0301sume\u0301.txt", "decomposed\n")
	for asked, real := range map[string]string{
		"Screen Shot at 9.41 AM.txt": `"Screen Shot at 9.41\u202fAM.txt"`,
		"it's.txt":                   `"it\u2019s.txt"`,
		`bad\xffname`:                `"bad\xffname"`,
		"r\u00e9sum\u00e9.txt":       `"re\u0301sume\u0301.txt"`,
	} {
		text := k.want("read_file", args{"path": asked})
		has(t, strings.SplitN(text, "\n", 2)[0], real, "looks like it")
	}
	k.want("write_file", args{"path": "it's.txt", "content": "straight\n"})
	if got := k.content("it\u2019s.txt"); got != "curly\n" {
		t.Errorf("a write guessed: %q", got)
	}
	if got := k.want("read_file", args{"path": "it's.txt"}); got != "it's.txt: lines 1-1 of 1\n     1\tstraight" {
		t.Errorf("the exact name does not win: %s", got)
	}
}

// B080: of two that look alike none is guessed.
func TestB080AmbiguousNameIsListed(t *testing.T) {
	k := newKit(t, Config{})
	k.write("a\u00a0b", "1")
	k.write("a\u202fb", "2")
	has(t, k.refuse("read_file", args{"path": "a b"}), `"a\u00a0b"`, `"a\u202fb"`, "several look like it")
}
