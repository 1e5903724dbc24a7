package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unsafe"
)

// floor reads with net/http and looks for the text in each line, and nothing
// else: it decodes no escape, checks nothing, and keeps nothing.
type floor struct {
	source Source
	http   http.Client
}

func openFloor(src Source) (Client, error) {
	return &floor{src, http.Client{Transport: src.Transport}}, nil
}

func (f *floor) Session() (Session, error) { return stateless(f.read), nil }
func (f *floor) Close()                    { f.http.CloseIdleConnections() }

func (f *floor) read(ctx context.Context, question string, take func(string) bool) error {
	text, err := json.Marshal(question)
	if err != nil {
		return err
	}
	body := `{"model":"` + f.source.modelName() + `","stream":true,"messages":[{"role":"user","content":` + string(text) + `}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.source.base()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return err
	}
	if f.source.Key != "" {
		req.Header.Set("Authorization", "Bearer "+f.source.Key)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := f.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // It was read, or is given up.
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", res.Status)
	}
	lines := bufio.NewReader(res.Body)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if text := content(line); len(text) > 0 && !take(unsafe.String(&text[0], len(text))) {
			return nil
		}
	}
}

// content returns what stands between the quotes behind `"content":`.
func content(line []byte) []byte {
	key := []byte(`"content":`)
	at := bytes.Index(line, key)
	if at < 0 {
		return nil
	}
	text := bytes.TrimLeft(line[at+len(key):], " ")
	if len(text) == 0 || text[0] != '"' {
		return nil // null
	}
	text = text[1:]
	end := bytes.IndexByte(text, '"')
	if end < 0 {
		return nil
	}
	return text[:end]
}
