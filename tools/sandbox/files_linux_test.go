package sandbox

import (
	"os"
	"strings"
	"testing"
)

func TestPromise6CommandsWriteInTheRootAndNowhereElse(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.ok(`echo hi > b && mkdir -p d/e && mv b d/e/b && ln d/e/b d/c && ln -s e/b d/l && cat d/l && rm d/c && chmod 600 d/e/b`, "hi")
		a.want("root/d/e/b", "hi\n")
		a.refused(
			`echo x > ../outside/new`, `echo x >> ../outside/kept`, `: > ../outside/kept`, `truncate -s 0 ../outside/kept`,
			`rm ../outside/kept`, `mv ../outside ../away`, `mkdir ../outside/d`, `mkfifo ../outside/p`,
			`ln -s /etc ../outside/l`, `mv a.txt ../outside/a.txt`, `ln a.txt ../outside/a.txt`,
			`ln ../outside/kept kept`, `mv ../outside/kept kept`, `cp /bin/true /usr/bin/weir-was-here`,
			`ln -s ../outside out && echo x > out/new`, `ln -s ../outside/kept k && echo x > k`,
			`ln -s ../outside/new dangling && echo x > dangling`,
			`echo x > /proc/self/root`+a.base+`/outside/new`, `echo x > /proc/1/root`+a.base+`/outside/new`,
			`echo x > /proc/self/cwd/../outside/new`, `exec 3< ../outside/kept; echo x > /proc/self/fd/3`,
			`echo x > "$BASE-sibling"`, `cd / && echo x > weir-was-here`, `echo x > /etc/weir-was-here`,
			`mount -t tmpfs t ../outside`, `unshare -Urm sh -c 'mount -t tmpfs t ../outside && mount -o remount,rw / && echo x > ../outside/new'`,
			`unshare -Urm sh -c 'mount -o remount,rw,bind / && echo x > ../outside/new'`,
		)
		a.want("outside/kept", "kept")
		a.want("outside/new", "")
		if a.kind != Landlock {
			a.refused(`chmod 777 ../outside/kept`)
			a.refused(`touch ../outside/kept`)
		}
		a.want("root/a.txt", "a")
	})
}

func TestPromise6WhatIsHiddenCannotBeReadOrWritten(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.refused(
			`cat ../secret/key`, `cat ../token | grep .`, `ln -s ../secret/key k; cat k`, `ln -s ../secret s; cat s/key`,
			`ln ../token t && cat t | grep .`, `mv ../secret here && cat here/key`, `cp -r ../secret here && cat here/key`,
			`cat /proc/self/root`+a.base+`/secret/key`, `cd ../secret && cat key`, `grep -rh --exclude=probe canary ..`,
			`echo x > ../secret/new`, `echo x > ../token`, `rm -r ../secret`, `rm ../token`,
			`"$PROBE" probe umount "$BASE/secret"; cat ../secret/key`, `umount ../secret; cat ../secret/key`,
			`unshare -Urm sh -c 'umount ../secret; cat ../secret/key'`,
			`unshare -Urm sh -c 'umount ../token; cat ../token' | grep .`,
		)
		a.want("secret/key", "canary-secret")
		a.want("token", "canary-secret")
		a.ok(`cat ../outside/kept`, "kept")
	})
}

func TestHiddenInsideTheRoot(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.write("root/keys/key", "canary-secret")
		a.change(func(c *Config) { c.Hidden, c.ReadOnlyInside = []string{a.root + "/keys"}, nil })
		a.refused(`cat keys/key`)
		a.refused(`mv keys k2 && cat k2/key`)
		a.refused(`echo x > keys/new`)
		a.ok(`cat a.txt`, "a")
		a.want("root/keys/key", "canary-secret")
	})
}

func TestPromise8WhatIsProtectedStaysAsItIs(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind == Landlock {
			return // It says so: see TestPromise6OnTakesOnlyWhatClosesEverything.
		}
		a.refused(
			`echo x > .git/hooks/pre-commit`, `echo x > .git/hooks/old`, `rm -r .git/hooks`, `mv .git/hooks .git/h2`,
			`mv .git .git2`, `rm -rf .git`, `echo x >> .git/config`, `rm .git/config`, `echo x > c; mv -f c .git/config`,
			`chmod 777 .git/hooks`, `git config core.fsmonitor evil`, `ln -sf /tmp/evil .git/hooks/old`,
			`echo x > sub/.weir/new`, `mv sub sub2`, `rm -rf sub`, `"$PROBE" probe umount "$PWD/.git/hooks" && echo x > .git/hooks/new`,
			`"$PROBE" probe remount "$PWD/.git/hooks" && echo x > .git/hooks/new`,
			`unshare -Urm sh -c 'mount -o remount,rw,bind .git/hooks; echo x > .git/hooks/new'`,
			`unshare -Urm sh -c 'umount .git/hooks; echo x > .git/hooks/new'`,
			`echo x > /proc/self/cwd/.git/hooks/new`, `cd .git/hooks; echo x > new`, `git init -q --separate-git-dir=g2 .`,
		)
		a.want("root/.git/hooks/old", "old")
		a.want("root/.git/hooks/new", "")
		a.want("root/.git/config", "[core]\n")
		a.want("root/sub/.weir/config", "kept")
		a.want("root/sub/.weir/new", "")
		a.ok(`echo x > .git/index && echo y > sub/new && cat .git/index sub/new`, "x\ny")
	})
}

func TestAProtectedFolderThatIsMissingIsMade(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind == Landlock {
			return // It protects nothing inside a root.
		}
		if err := os.RemoveAll(a.root + "/.git"); err != nil {
			t.Fatal(err)
		}
		a.ok(`git init -q . && rm -r .git/hooks && ls .git/config`, ".git/config")
		a.refused(`mkdir -p .git/hooks && echo x > .git/hooks/new`)
		a.refused(`echo x >> .git/config`)
	})
}

func TestALinkOnTheWayToAProtectedPathIsAnError(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if err := os.RemoveAll(a.root + "/.git"); err != nil {
			t.Fatal(err)
		}
		a.ok(`ln -s "$BASE/outside" .git`, "")
		err := a.sandbox.Wrap(a.command("true"))
		if err == nil || !strings.Contains(err.Error(), a.root+"/.git is a symbolic link") {
			t.Error(err)
		}
	})
}

func TestTemporaryFilesAreTheirOwnAndLast(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		outer := t.TempDir() // In /tmp, unless the machine is set up otherwise.
		a.ok(`echo x > "$TMPDIR/f" && f=$(mktemp) && echo y > "$f" && cat "$TMPDIR/f"`, "x")
		a.ok(`cat "$TMPDIR/f"`, "x")
		if _, err := os.Stat("/tmp/f"); err == nil {
			t.Error("the file is in the machine's /tmp")
		}
		a.refused(`echo x > ` + outer + `/new`)
		a.refused(`echo x > /var/tmp/weir-was-here`)
		tmp := a.sandbox.tmp
		if err := a.sandbox.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(tmp); !os.IsNotExist(err) {
			t.Error("the temporary folder stays: ", err)
		}
	})
}

func TestARootInTmp(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		root := t.TempDir()
		a.change(func(c *Config) { c.Roots, c.ReadOnlyInside = []string{root}, nil })
		cmd := a.command(`echo x > in && pwd && cat in`)
		cmd.Dir = root
		if out, err := a.wrapped(cmd).CombinedOutput(); err != nil || string(out) != root+"\nx\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func TestGitWorksInTheRoot(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if err := os.RemoveAll(a.root + "/.git"); err != nil {
			t.Fatal(err)
		}
		a.ok(`git init -q .`, "")
		a.ok(`git add a.txt && git -c user.name=n -c user.email=e commit -q -m 'first' && git switch -q -c other && git log --format=%s`, "first")
	})
}

// What is written there is there already, and some of it needs root to matter.
func TestTheKernelKeepsItsSettings(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.refused(
			`v=$(cat /proc/sys/kernel/hostname); echo "$v" > /proc/sys/kernel/hostname`,
			`v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern`,
			`v=$(cat /proc/sys/vm/swappiness); echo "$v" > /proc/sys/vm/swappiness`,
			`: >> /proc/sysrq-trigger`, `: >> /proc/irq/default_smp_affinity`, `: >> /sys/kernel/uevent_helper`,
		)
		a.ok(`echo x > /proc/self/fd/1 && echo y > /dev/stderr && : > /proc/self/fd/2 && cat /proc/self/comm`, "x\ny\ncat")
	})
}

// A disk holds every file, and a terminal is a person's.
func TestOnlyHarmlessDevices(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		a.ok(`echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 3 /dev/urandom | wc -c`, "3\n3")
		a.ok(`echo x > /dev/stdout && echo y | cat /dev/stdin <(echo z)`, "x\ny\nz")
		a.ok(`"$PROBE" probe devices`, "done")
	})
}
