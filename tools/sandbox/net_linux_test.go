package sandbox

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// canary is a port of the machine that tells who came.
func canary(t *testing.T, network, address string) (at string, came chan string) {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	came = make(chan string, 100)
	done := make(chan struct{})
	go func() { // Ends with the listener.
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 100)
			n, _ := conn.Read(buf) // Nothing is also an answer.
			came <- string(buf[:n])
			_ = conn.Close() // Only read from.
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close() // The end of the test.
		<-done
	})
	return listener.Addr().String(), came
}

func TestPromise6NoNetworkUnlessAllowed(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		address, came := canary(t, "tcp", "127.0.0.1:0")
		datagrams, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer datagrams.Close()
		udp := datagrams.LocalAddr().String()
		connect := fmt.Sprintf(`"$PROBE" probe connect tcp %s`, address)
		send := fmt.Sprintf(`"$PROBE" probe connect udp %s`, udp)
		a.refused(connect)
		a.refused(fmt.Sprintf(`exec 3<>/dev/tcp/%s`, strings.Replace(address, ":", "/", 1)))
		_, _ = a.run(send) // To an own network it may go out; it must not come here.
		if len(came) > 0 {
			t.Error("the canary was reached")
		}
		own, err := net.Dial("udp", udp)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own.Write([]byte("from outside")); err != nil {
			t.Fatal(err)
		}
		want(t, datagrams, "from outside")
		if err := own.Close(); err != nil {
			t.Fatal(err)
		}

		a.change(func(c *Config) { c.AllowNet = true })
		a.ok(connect, "done")
		a.ok(send, "done")
		if got := <-came; got != "from inside" {
			t.Errorf("the canary got %q", got)
		}
		want(t, datagrams, "from inside")
	})
}

// want fails unless the next datagram is text.
func want(t *testing.T, conn net.PacketConn, text string) {
	t.Helper()
	buf := make([]byte, 100)
	n, _, err := conn.ReadFrom(buf)
	if err != nil || string(buf[:n]) != text {
		t.Errorf("the canary got %q, %v; want %q", buf[:n], err, text)
	}
}

func TestProgramsInsideReachEachOther(t *testing.T) {
	eachKind(t, func(t *testing.T, a *arena) {
		if a.kind == Landlock {
			a.refused(`"$PROBE" probe loopback`)
			return
		}
		a.ok(`"$PROBE" probe loopback`, "done")
	})
}

// A socket in the file system, or an abstract one, is a door to a service that
// may do everything for who knocks. This test makes some, which no other should see go.
func TestNoSocketOfTheMachineIsReached(t *testing.T) {
	inTurn(t, func(t *testing.T, a *arena) {
		for i, allowed := range []bool{false, true} {
			a.change(func(c *Config) { c.AllowNet = allowed })
			for _, place := range []string{a.base + "/socket", t.TempDir() + "/socket", "@" + a.base} {
				if place[0] == '@' && allowed && a.kind == Bubblewrap {
					continue // Abstract sockets belong to the network.
				}
				at, came := canary(t, "unix", fmt.Sprint(place, i))
				a.refused(fmt.Sprintf(`"$PROBE" probe connect unix %s`, at))
				if len(came) > 0 {
					t.Errorf("%s was reached", at)
				}
			}
		}
	})
}
