package openai

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weir-agents/weir/provider"
)

// answers is a transport that answers by itself.
type answers func(req *http.Request) *http.Response

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	resp := a(req)
	resp.Request = req
	return resp, nil
}

func reply(status int, body string, head ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i < len(head); i += 2 {
		resp.Header.Set(head[i], head[i+1])
	}
	return resp
}

const keyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/=%&"

func lettersOf(rnd *rand.Rand, n int, from string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = from[rnd.IntN(len(from))]
	}
	return string(b)
}

// echoes are the ways in which a failing server repeats what it was sent.
var echoes = map[string]func(echo, cut string) *http.Response{
	"a page":           func(echo, cut string) *http.Response { return reply(200, "<html><p>"+cut) },
	"a title":          func(echo, cut string) *http.Response { return reply(502, "<title>"+cut+"</title>"+cut) },
	"a refusal":        func(echo, cut string) *http.Response { return reply(401, cut) },
	"a refusal's JSON": func(echo, cut string) *http.Response { return reply(403, inJSON(cut, echo)) },
	"half of it":       func(echo, cut string) *http.Response { return reply(403, `{"error":{"message":"`+cut) },
	"garbage":          func(echo, cut string) *http.Response { return reply(200, "data: "+oneLine(cut)+"\n\n") },
	"an error event": func(echo, cut string) *http.Response {
		return reply(200, "event: error\ndata: "+oneLine(cut)+"\n\n")
	},
	"an error": func(echo, cut string) *http.Response { return reply(200, "data: "+inJSON(cut, echo)+"\n\n") },
	"a whole":  func(echo, cut string) *http.Response { return reply(200, inJSON(cut, echo)) },
	"a redirect": func(echo, cut string) *http.Response {
		return reply(302, cut, "Location", "http://else.invalid/"+url.PathEscape(cut)+"?k="+url.QueryEscape(echo))
	},
	"a host": func(echo, cut string) *http.Response {
		return reply(307, "", "Location", "http://"+strings.ToLower(url.PathEscape(echo))+"/")
	},
	"a head": func(echo, cut string) *http.Response {
		return reply(429, cut, "Retry-After", echo, "Content-Encoding", echo, "X-Request-Id", echo)
	},
}

func inJSON(cut, echo string) string {
	b, _ := json.Marshal(map[string]any{"error": map[string]any{
		"message": cut, "type": echo, "metadata": map[string]string{"raw": echo},
	}})
	return string(b)
}

func oneLine(text string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(text) }

// The key, the user of the address, a header and the Basic forms of them are
// echoed by a server at any place and cut at any place; no eight bytes in a
// row reach anything that an error tells.
func TestNoFailureShowsAPieceOfAKey(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		for how, respond := range echoes {
			key := lettersOf(rnd, 8+rnd.IntN(80), keyLetters)
			user := lettersOf(rnd, 8+rnd.IntN(40), keyLetters)
			password := lettersOf(rnd, rnd.IntN(20), keyLetters)
			u := url.URL{Scheme: "http", Host: "host", User: url.UserPassword(user, password)}
			basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
			about := []string{key, user, basic, u.User.String(), url.QueryEscape(key), "Bearer " + key}
			echo := about[rnd.IntN(len(about))]
			pad := lettersOf(rnd, rnd.IntN(5000), "xyz .,\n")
			cut := pad + " " + echo
			if rnd.IntN(2) == 0 {
				cut += " " + lettersOf(rnd, rnd.IntN(3000), "xyz .,\n")
			}
			cut = cut[:len(cut)-rnd.IntN(min(len(cut), 60))]
			c := client(t, Config{
				BaseURL: u.String(), APIKey: key, Headers: map[string]string{"X-Api-Key": user},
				Transport: answers(func(*http.Request) *http.Response { return respond(echo, cut) }),
			})
			o := send(t, c)
			if o.Err == nil {
				t.Fatalf("seed %d, %s: no error", seed, how)
			}
			_, listed := c.Models(t.Context())
			for _, err := range []error{o.Err, listed} {
				if told := toldBy(err); shows(told, key, user, basic) {
					t.Fatalf("seed %d, %s: key %s, user %s, password %s, echo %s:\n%s", seed, how, key, user, password, echo, told)
				}
			}
		}
	}
}

// toldBy returns all that err and its causes tell.
func toldBy(err error) string {
	var b strings.Builder
	if e, ok := errors.AsType[*provider.Error](err); ok {
		b.WriteString(e.URL + "\n" + e.Tool + "\n" + e.Raw + "\n")
	}
	for ; err != nil; err = errors.Unwrap(err) {
		b.WriteString(err.Error() + "\n")
	}
	return b.String()
}

func shows(text string, secrets ...string) bool {
	for _, s := range secrets {
		for i := range len(s) - 7 {
			if strings.Contains(text, s[i:i+8]) {
				return true
			}
		}
	}
	return false
}

func TestAShortKeyIsHiddenWhereItStandsAlone(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"bad key s3s4me, of s3s4mes"}`: "bad key [key], of s3s4mes",
		`{"error":"bad key \"s3s4me\""}`:         `bad key "[key]"`,
		`s3s4me`:                                 "[key]",
	} {
		c := client(t, Config{
			BaseURL: "http://host", APIKey: "s3s4me",
			Transport: answers(func(*http.Request) *http.Response { return reply(401, body) }),
		})
		if e := provider.AsError(send(t, c).Err); !strings.Contains(e.Message, want) {
			t.Errorf("%s gave %s", body, e.Message)
		}
	}
}

// What is put behind a server's words must not hide that they end in a key.
func TestAPageCutWithinTheKeyDoesNotShowItsBeginning(t *testing.T) {
	const key = "canary-7f3a9c5e1b"
	for cut := 4; cut < len(key); cut++ {
		page := "<" + strings.Repeat("x", 4<<10-len("<> ")-cut) + "> " + key
		c := client(t, Config{
			BaseURL: "http://host", APIKey: key,
			Transport: answers(func(*http.Request) *http.Response { return reply(200, page) }),
		})
		e := provider.AsError(send(t, c).Err)
		if e.Kind != provider.NotAStream || strings.Contains(e.Message, key[:4]) {
			t.Errorf("cut after %d: %s", cut, e.Message)
		}
	}
}
