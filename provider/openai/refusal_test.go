package openai

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weir-agents/weir/provider"
)

func TestAStatusSaysWhetherToTryAgain(t *testing.T) {
	for status, again := range map[int]bool{
		400: false, 401: false, 402: false, 403: false, 404: false, 405: false, 408: true, 409: true, 410: false, 413: false,
		418: false, 422: false, 425: false, 429: true, 451: false, 500: true, 501: true, 502: true, 503: true, 504: true, 520: true, 529: true,
	} {
		requests := 0
		s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"The harbor master says no","type":"t","code":null}}`)
		})
		o := send(t, client(t, Config{BaseURL: s.URL}))
		e := provider.AsError(o.Err)
		if e.Kind != provider.HTTPError || e.Status != status || e.Retryable != again ||
			!strings.Contains(e.Message, "The harbor master says no") || e.URL != s.URL+"/v1/chat/completions" {
			t.Errorf("%d: %+v", status, e)
		}
		if requests != 1 {
			t.Errorf("%d: sent %d times", status, requests)
		}
	}
}

func TestAnEmptyPurseIsNotTriedAgain(t *testing.T) {
	for body, again := range map[string]bool{
		`{"error":{"message":"m","type":"insufficient_quota"}}`:    false,
		`{"error":{"message":"m","code":"billing_hard_limit"}}`:    false,
		`{"error":{"message":"m","type":"rate_limit_error"}}`:      true,
		`{"error":{"message":"your quota per minute","code":429}}`: true,
	} {
		s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, body)
		})
		if e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL})).Err); e.Retryable != again {
			t.Errorf("%s: %+v", body, e)
		}
	}
}

func TestTheWordsOfARefusalReachTheUser(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"Plain words"}`:                                                "Plain words",
		`{"message":"Top words"}`:                                                "Top words",
		`{"detail":[{"loc":["body"],"msg":"field required"}]}`:                   "field required",
		`[{"error":{"code":400,"message":"In a list"}}]`:                         "In a list",
		`{"error":{"message":"Upstream","metadata":{"raw":"its own words"}}}`:    "Upstream: its own words",
		"<html><head><title>502 Bad &amp; Gate</title></head><h1>Oh</h1></html>": "502 Bad & Gate: Oh",
		"<html><body>only <b>text</b></body></html>":                             "only text",
		"not found\nat all\x1b[31m":                                              "not found at all[31m",
		"":                                                                       "502 Bad Gateway",
		`{"odd":true}`:                                                           `{"odd":true}`,
	} {
		s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, body)
		})
		if e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL})).Err); !strings.Contains(e.Message, want) {
			t.Errorf("%q gave %q", body, e.Message)
		}
	}
}

func TestAnEndlessRefusalIsCut(t *testing.T) {
	s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for {
			if _, err := io.WriteString(w, strings.Repeat("wall of text ", 1000)); err != nil {
				return
			}
		}
	})
	if e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL})).Err); e.Status != 400 || len(e.Message) > 3000 {
		t.Errorf("%d bytes: %.200s", len(e.Message), e.Message)
	}
}

// B125
func TestRetryAfterIsReadInAllItsForms(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, tt := range []struct {
		name, value string
		least, most time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second, 7 * time.Second},
		{"Retry-After", "1.5", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{"Retry-After", "3600", time.Hour, time.Hour},
		{"Retry-After", in(time.Hour), 50 * time.Minute, time.Hour},
		{"Retry-After", in(-time.Hour), 0, 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond, 250 * time.Millisecond},
		{"Retry-After", "-1", 0, 0},
		{"Retry-After", "soon", 0, 0},
		{"Retry-After", "NaN", 0, 0},
		{"Retry-After", "1e400", 1e18, 1 << 62},
		{"X-Other", "7", 0, 0},
	} {
		s := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(tt.name, tt.value)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL})).Err)
		if e.RetryAfter < tt.least || e.RetryAfter > tt.most {
			t.Errorf("%s: %s gave %v", tt.name, tt.value, e.RetryAfter)
		}
	}
}

func TestNoErrorShowsAKey(t *testing.T) {
	const canary = "sk-canary/+7f3a9c5e1b"
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		echo := r.Header.Get("Authorization") + " " + r.Header.Get("X-Api-Key") + " " + r.URL.String()
		w.Header().Set("X-Echo", echo)
		w.Header().Set("Retry-After", echo)
		switch r.URL.Query().Get("how") {
		case "stream":
			_, _ = io.WriteString(w, "event: error\ndata: bad key "+echo+"\n\n")
		case "json":
			_, _ = io.WriteString(w, `{"error":{"message":"bad key `+echo+`","code":"`+canary+`"}}`)
		case "page":
			_, _ = io.WriteString(w, "<html><title>"+echo+"</title>")
		case "garbage":
			_, _ = io.WriteString(w, "data: "+echo+"\n\n")
		case "redirect":
			w.Header().Set("Location", "http://elsewhere.invalid/"+canary+"?k="+canary)
			w.WriteHeader(http.StatusFound)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, strings.Repeat("x", 1000)+"bad key "+echo)
		}
	})
	closed := httptest.NewServer(nil)
	closed.Close()
	bases := []string{closed.URL + "/v1?key=" + canary, strings.Replace(closed.URL, "http://", "http://user:secret-pass@", 1)}
	for _, how := range []string{"stream", "json", "page", "garbage", "redirect", "status"} {
		bases = append(bases, s.URL+"/v1?how="+how+"&key="+canary)
	}
	for _, base := range bases {
		o := send(t, client(t, Config{BaseURL: base, APIKey: canary, Headers: map[string]string{"X-Api-Key": canary + "2"}}))
		for err := o.Err; err != nil; {
			text := err.Error() + provider.AsError(o.Err).URL
			if strings.Contains(text, "canary") || strings.Contains(text, "secret-pass") {
				t.Errorf("%s: %s", base, text)
			}
			u, ok := err.(interface{ Unwrap() error })
			if !ok {
				break
			}
			err = u.Unwrap()
		}
		if o.Err == nil {
			t.Errorf("%s: no error", base)
		}
	}
	if _, err := New(Config{BaseURL: "http://user:secret-pass@host:x y/"}); err == nil || strings.Contains(err.Error(), "secret-pass") {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeReachedIsTriedAgain(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	plain := harbor(t, func(http.ResponseWriter, *http.Request) {})
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS() // with a certificate that nobody knows
	t.Cleanup(secure.Close)
	drops := harbor(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
	})
	for name, base := range map[string]string{
		"closed": closed.URL, "no TLS": strings.Replace(plain.URL, "http:", "https:", 1), "strange TLS": secure.URL, "drops": drops.URL,
	} {
		e := provider.AsError(send(t, client(t, Config{BaseURL: base})).Err)
		if e.Kind != provider.Unreachable || !e.Retryable || e.Status != 0 || !strings.Contains(e.Message, base) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestARedirectDoesNotTakeTheKeyAway(t *testing.T) {
	far := harbor(t, func(http.ResponseWriter, *http.Request) { t.Error("the key went to another server") })
	s := harbor(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/far/v1/chat/completions":
			http.Redirect(w, r, far.URL, http.StatusTemporaryRedirect)
		case "/get/v1/chat/completions":
			http.Redirect(w, r, "/near", http.StatusFound)
		case "/near/v1/chat/completions":
			http.Redirect(w, r, "/here", http.StatusPermanentRedirect)
		case "/here":
			body, _ := io.ReadAll(r.Body)
			if r.Method != http.MethodPost || len(body) == 0 {
				t.Errorf("%s with %d bytes", r.Method, len(body))
			}
			_, _ = io.WriteString(w, finished)
		}
	})
	if o := send(t, client(t, Config{BaseURL: s.URL + "/near", APIKey: "sk-1"})); o.Err != nil {
		t.Error(o.Err)
	}
	for _, path := range []string{"/far", "/get"} {
		e := provider.AsError(send(t, client(t, Config{BaseURL: s.URL + path, APIKey: "sk-1"})).Err)
		if e.Kind != provider.HTTPError || e.Status/100 != 3 || e.Retryable {
			t.Errorf("%s: %+v", path, e)
		}
	}
}
