package provider

import (
	"bytes"
	"encoding/json"
)

// The JSON forms below are those of `message_completed.blocks` in the event
// contract; results, images and files have the same style and stand in
// journals only.

// MarshalJSON returns {"type":"text","text":…}.
func (b Text) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", b.Text})
}

// MarshalJSON returns {"type":"thinking","text":…,"signature"?,"redacted"?}.
func (b Thinking) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Signature string `json:"signature,omitempty"`
		Redacted  string `json:"redacted,omitempty"`
	}{"thinking", b.Text, b.Signature, b.Redacted})
}

// MarshalJSON returns {"type":"tool_call","id":…,"name":…,"arguments":…,
// "raw_arguments":…,"extra"?}; arguments is null where the text is no object.
func (b ToolCall) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type      string                     `json:"type"`
		ID        string                     `json:"id"`
		Name      string                     `json:"name"`
		Arguments json.RawMessage            `json:"arguments"`
		Raw       string                     `json:"raw_arguments"`
		Extra     map[string]json.RawMessage `json:"extra,omitempty"`
	}{"tool_call", b.ID, b.Name, b.Arguments, b.Raw, b.Extra})
}

// MarshalJSON returns {"type":"tool_result","call":…,"name":…,"text":…,"is_error":…,"images"?}.
func (b ToolResult) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type    string  `json:"type"`
		Call    string  `json:"call"`
		Name    string  `json:"name"`
		Text    string  `json:"text"`
		IsError bool    `json:"is_error"`
		Images  []Image `json:"images,omitempty"`
	}{"tool_result", b.Call, b.Name, b.Text, b.IsError, b.Images})
}

// MarshalJSON returns {"type":"image","media_type":…,"data":base64}.
func (b Image) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}{"image", b.MediaType, b.Data})
}

// MarshalJSON returns {"type":"file","name":…,"media_type":…,"data":base64}.
func (b File) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type      string `json:"type"`
		Name      string `json:"name"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}{"file", b.Name, b.MediaType, b.Data})
}

// MarshalJSON returns {"type":"opaque","raw":…}.
func (b Opaque) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		Type string          `json:"type"`
		Raw  json.RawMessage `json:"raw"`
	}{"opaque", b.Raw})
}

// plainJSON is json.Marshal without the escapes that only HTML needs, so that a
// block says its text as a delta does.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
