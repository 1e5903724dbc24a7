package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// Bounds of web_fetch.
const (
	webTime     = 30 * time.Second
	webDefault  = 30_000  // bytes of text
	webLimitMax = 100_000 // bytes of text
	webBodyMax  = 5 << 20 // bytes read of the page
	webHopsMax  = 5
)

//go:embed web_fetch.md
var webFetchText string

type webFetchArgs struct {
	URL   string `json:"url" jsonschema:"address of the page"`
	Limit count  `json:"limit,omitempty" jsonschema:"how many bytes of its text, 30000 if left out, at most 100000"`
}

func (a webFetchArgs) Summary() string { return a.URL }

func (b *builtin) webFetch() Tool {
	return mustNew(Spec{Name: "web_fetch", Description: webFetchText, Class: Exec, Timeout: 2 * webTime}, b.runWebFetch)
}

func (b *builtin) runWebFetch(ctx context.Context, _ Call, args webFetchArgs) Result {
	if err := webAddress(args.URL); err != nil {
		return badArgument("%v", err)
	}
	limit := webDefault
	if args.Limit > 0 {
		limit = min(int(args.Limit), webLimitMax)
	}
	timed, cancel := context.WithTimeout(ctx, webTime)
	defer cancel()
	page, err := b.fetch(timed, args.URL)
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, "canceled")
	case timed.Err() != nil:
		return Result{Kind: TimedOut, Text: fmt.Sprintf("no whole answer within %v", webTime)}
	case err != nil:
		return failed("%s: %v", shown(args.URL), err)
	}
	return page.result(limit, args.Limit > 0 && args.Limit <= webLimitMax)
}

// webAddress refuses what is no plain address of a page.
func webAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf("url: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("url: only http and https, not %s", quoteCapped(u.Scheme))
	case u.Hostname() == "":
		return errors.New("url: there is no host in it")
	case u.User != nil:
		return errors.New("url: leave the user name and password out")
	}
	return nil
}

// page is what a fetch has brought.
type page struct {
	address string // after redirects
	status  int
	media   string
	text    string
	partial bool // the body was longer than is read
}

func (b *builtin) fetch(ctx context.Context, address string) (*page, error) {
	client := b.webClient()
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "weir")
	req.Header.Set("Accept", "text/html, text/plain, text/*;q=0.9, application/json;q=0.8, */*;q=0.1")
	res, err := client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // Without the address, which the caller says.
		}
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, webBodyMax+1))
	if err != nil {
		return nil, err
	}
	p := &page{address: res.Request.URL.String(), status: res.StatusCode, partial: len(body) > webBodyMax}
	return p, p.read(body[:min(len(body), webBodyMax)], res.Header.Get("Content-Type"))
}

// read makes text of the body.
func (p *page) read(body []byte, contentType string) error {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("content type %s: %w", quoteCapped(contentType), err)
	}
	p.media = media
	switch strings.ToLower(params["charset"]) {
	case "iso-8859-1", "latin1", "windows-1252":
		body = fromLatin1(body)
	}
	switch {
	case media == "text/html" || media == "application/xhtml+xml":
		p.text, err = htmlText(body, p.address)
		return err
	case strings.HasPrefix(media, "text/"), media == "application/json", strings.HasSuffix(media, "+json"),
		media == "application/xml", strings.HasSuffix(media, "+xml"), media == "application/javascript":
		p.text = string(body)
		return nil
	}
	return fmt.Errorf("%s with %s, which is no text", media, plural(len(body), "byte"))
}

func fromLatin1(b []byte) []byte {
	out := make([]byte, 0, len(b)+len(b)/8)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

func (p *page) result(limit int, asked bool) Result {
	text := strings.ToValidUTF8(strings.ReplaceAll(p.text, "\x00", ""), "\uFFFD")
	head := fmt.Sprintf("%s: %d %s, %s, %s", shown(p.address), p.status, http.StatusText(p.status), p.media, plural(len(text), "byte"))
	result := Result{Truncated: p.partial}
	if p.partial {
		head += fmt.Sprintf(" of the first %d read", webBodyMax)
	}
	if len(text) > limit {
		kept := wholeRunes([]byte(text[:limit]))
		text = fmt.Sprintf("%s\n… %d bytes more; ask with a larger limit", kept, len(text)-len(kept))
		result.Truncated = result.Truncated || !asked
	}
	if p.status >= 400 {
		result.Kind = Failed
	}
	result.Text = head + "\n" + text
	return result
}

// webClient follows few redirects, keeps no cookies, uses no proxy, and checks
// every address after its name was resolved, so that no name leads inside.
func (b *builtin) webClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !b.cfg.WebPrivate {
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return publicAddress(address) }
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			ResponseHeaderTimeout: webTime, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) >= webHopsMax {
				return fmt.Errorf("more than %d redirects", webHopsMax)
			}
			return webAddress(req.URL.String())
		},
	}
}

// publicAddress refuses what is not on the open internet.
func publicAddress(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || reserved(ip) {
		return fmt.Errorf("%s is not an address of the open internet", ip)
	}
	return nil
}

// reserved are the ranges that netip does not call private: this network,
// shared by carriers, tests, 6to4 and NAT64 with an address in it.
func reserved(ip netip.Addr) bool {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "fec0::/10",
	} {
		if netip.MustParsePrefix(text).Contains(ip) {
			return true
		}
	}
	return false
}
