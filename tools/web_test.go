package tools

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func webKit(t *testing.T, page http.HandlerFunc) (*kit, string) {
	t.Helper()
	server := httptest.NewServer(page)
	t.Cleanup(server.Close)
	return newKit(t, Config{WebFetch: true, WebPrivate: true}), server.URL
}

func TestWebFetchIsOffUnlessAllowed(t *testing.T) {
	k := newKit(t, Config{})
	if _, ok := k.reg.Lookup("web_fetch"); ok {
		t.Error("it is there")
	}
}

func TestWebFetchShowsTheText(t *testing.T) {
	k, url := webKit(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(`<html><head><title>The title</title><style>x{}</style></head><body><script>evil()</script>
				<h1>Head</h1><p>One <b>two</b>, <a href="/next">a link</a>.</p><ul><li>first<li>second</ul><pre>  kept
   as is</pre></body></html>`))
		case "/latin":
			w.Header().Set("Content-Type", "text/plain; charset=ISO-8859-1")
			_, _ = w.Write([]byte("caf\xe9"))
		case "/gone":
			http.Error(w, "nothing here", http.StatusNotFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/long":
			_, _ = w.Write([]byte(strings.Repeat("word ", 20_000)))
		case "/endless":
			for range webBodyMax/1024 + 100 {
				if _, err := w.Write([]byte(strings.Repeat("x", 1024))); err != nil {
					return
				}
			}
		case "/zip":
			_, _ = w.Write([]byte("PK\x03\x04"))
		}
	})
	want := url + "/page: 200 OK, text/html, 78 bytes\nThe title\nHead\nOne two, a link [" + url + "/next].\n- first\n- second\n  kept\n   as is"
	got := k.want("web_fetch", args{"url": url + "/page"})
	if _, body, _ := strings.Cut(got, "\n"); body != want[strings.Index(want, "\n")+1:] {
		t.Errorf("got %q", got)
	}
	has(t, k.want("web_fetch", args{"url": url + "/latin"}), "café")
	has(t, k.refuse("web_fetch", args{"url": url + "/gone"}), "404 Not Found", "nothing here")
	has(t, k.refuse("web_fetch", args{"url": url + "/loop"}), "more than 5 redirects")
	has(t, k.refuse("web_fetch", args{"url": url + "/file"}), "only http and https")
	has(t, k.refuse("web_fetch", args{"url": url + "/zip"}), "application/zip with 4 bytes, which is no text")
	r := k.call("web_fetch", args{"url": url + "/long"})
	if has(t, r.Text, "… 70000 bytes more"); !r.Truncated {
		t.Error("not marked as truncated")
	}
	if r = k.call("web_fetch", args{"url": url + "/long", "limit": 10}); r.Truncated || len(r.Text) > 200 {
		t.Errorf("%v, %q", r.Truncated, r.Text)
	}
	if r = k.call("web_fetch", args{"url": url + "/endless"}); !r.Truncated || len(r.Text) > webDefault+300 {
		t.Errorf("%v, %d bytes", r.Truncated, len(r.Text))
	}
}

func TestWebFetchRefusesAddresses(t *testing.T) {
	k := newKit(t, Config{WebFetch: true})
	for url, why := range map[string]string{
		"file:///etc/passwd":               "only http and https",
		"ftp://x/":                         "only http and https",
		"http://":                          "no host",
		"http://u:p@host/":                 "leave the user name and password out",
		"http://127.0.0.1:1/":              "not an address of the open internet",
		"http://[::1]:1/":                  "not an address of the open internet",
		"http://169.254.169.254/latest":    "not an address of the open internet",
		"http://10.0.0.1/":                 "not an address of the open internet",
		"http://[::ffff:192.168.0.1]:1/":   "not an address of the open internet",
		"http://[64:ff9b::7f00:1]:1/":      "not an address of the open internet",
		"http://0.0.0.0:1/":                "not an address of the open internet",
		"http://100.64.0.1/":               "not an address of the open internet",
		"http://localhost:1/":              "not an address of the open internet",
		"http://[fe80::1]:1/":              "not an address of the open internet",
		"http://2130706433:1/":             "",
		"http://[fd00::1]:1/":              "not an address of the open internet",
		"http://user@[::1]/":               "leave the user name",
		"http://224.0.0.1/":                "not an address of the open internet",
		"http://[2002:7f00:1::]:1/":        "not an address of the open internet",
		"http://[::]:1/":                   "not an address of the open internet",
		"javascript:alert(1)":              "only http and https",
		"https://192.168.1.1/" + "\u202e/": "not an address of the open internet",
	} {
		has(t, k.refuse("web_fetch", args{"url": url}), why)
	}
}
