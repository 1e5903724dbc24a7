package tools

import (
	"io/fs"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever is not the administrator loses the set-user-ID and set-group-ID bits of
// a file by writing to it, so they are given back behind the content, whether it
// was replaced or written in place.
func TestModeBitsOutliveAWriteWithoutRights(t *testing.T) {
	const mode = fs.ModeSetuid | fs.ModeSetgid | 0o755
	k := newKit(t, Config{})
	for _, name := range []string{"alone", "linked"} {
		k.write(name, "one\n")
		if err := os.Chmod(k.path(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(k.path("linked"), k.path("other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(k.path("linked"), mode); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { // Ends with its thread, which has fewer rights than the others.
		defer close(done)
		runtime.LockOSThread()
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var rights [2]unix.CapUserData
		if err := unix.Capget(&header, &rights[0]); err != nil {
			t.Error(err)
			return
		}
		rights[0].Effective &^= 1 << unix.CAP_FSETID
		if err := unix.Capset(&header, &rights[0]); err != nil {
			t.Error(err)
			return
		}
		for _, name := range []string{"alone", "linked"} {
			if r := k.call("write_file", args{"path": name, "content": "two\n"}); !r.OK() {
				t.Errorf("%+v", r)
			}
		}
	}()
	<-done
	for _, name := range []string{"alone", "linked", "other"} {
		if got := k.mode(name); got != mode || k.content(name) != "two\n" {
			t.Errorf("%s: %v became %v, it holds %q", name, mode, got, k.content(name))
		}
	}
}
