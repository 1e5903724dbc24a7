package provider

import (
	"net/http"
	"strings"
)

// overflowWords are what vendors and local servers say of a request that is
// longer than the model's context window.
var overflowWords = []string{
	"context_length_exceeded", "context length", "context window", "context size", "context limit", "maximum context",
	"prompt is too long", "prompt too long", "maximum prompt length", "input is too long", "input length", "input token count",
	"reduce the length", "too many tokens", "request_too_large",
}

// Overflow reports whether e says that the request was larger than the model
// takes: sending it again is of no use, a shorter one may be. A refused rate
// (429) never is, whatever its words.
func (e *Error) Overflow() bool {
	switch e.Status {
	case http.StatusRequestEntityTooLarge:
		return true
	case 0, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		if e.Kind != HTTPError && e.Kind != ProviderError {
			return false
		}
	default:
		return false
	}
	said := strings.ToLower(e.Message)
	for _, w := range overflowWords {
		if strings.Contains(said, w) {
			return true
		}
	}
	return false
}
