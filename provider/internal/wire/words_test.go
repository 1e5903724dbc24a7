package wire

import (
	"strings"
	"testing"
)

// Every number and word that decides whether an error of a stream is final: a
// number beats the words, and those in the 400s that pass are three.
func TestWhichFaultsAreFinal(t *testing.T) {
	for raw, again := range map[string]bool{
		`{"code":399}`: true, `{"code":400}`: false, `{"code":407}`: false, `{"code":408}`: true, `{"code":409}`: true,
		`{"code":410}`: false, `{"code":428}`: false, `{"code":429}`: true, `{"code":430}`: false, `{"code":499}`: false, `{"code":500}`: true,
		`{"status":404}`: false, `{"status_code":"409"}`: true, `{"status_code":"422"}`: false, `{"code":500,"status":400}`: false,
		`{"type":"invalid_request_error","code":409}`: true,
		`{"type":"invalid_request_error"}`:            false, `{"type":"authentication_error"}`: false, `{"type":"permission_error"}`: false,
		`{"type":"not_found_error"}`: false, `{"code":"insufficient_quota"}`: false, `{"type":"billing_error"}`: false,
		`{"code":"context_length_exceeded"}`: false, `{"code":"content_filter"}`: false, `{"code":"content_policy_violation"}`: false,
		`{"type":"request_too_large"}`: false, `{"code":"unsupported_value"}`: false,
		`{"error":{"message":"m"},"status":400}`: false, `{"error":{"message":"m"},"code":"503"}`: true, `{"error":{"message":"m","code":500},"status":400}`: true,
		`{"error":{"message":"m","type":"invalid_request_error"},"status":200}`: false, `{"error":{"type":"invalid_request_error"},"status":529}`: true,
		`{"type":"overloaded_error"}`: true, `{"type":"rate_limit_error"}`: true, `{"status":"invalid"}`: true, `{}`: true, `"words"`: true,
	} {
		if got := FaultOf([]byte(raw)).Error().Retryable; got != again {
			t.Errorf("%s: retryable %t, want %t", raw, got, again)
		}
	}
}

// An error without words says what else it has, and never all that came.
func TestAnErrorWithoutWords(t *testing.T) {
	const none = "the provider sent an error without words"
	for raw, want := range map[string]string{
		`{"error":{"type":"overloaded_error","code":529},"id":"x"}`:  none + ": overloaded_error, 529",
		`{"error":{},"status":503,"id":"x"}`:                         none + ": 503",
		`{"error":{"code":500},"message":"m"}`:                       "m",
		`{"error":{"reason":"tide"},"id":"x"}`:                       none + `: {"reason":"tide"}`,
		`{"error":{}}`:                                               none,
		`{"object":"error"}`:                                         none + `: {"object":"error"}`,
		`{"object":"error","id":"` + strings.Repeat("x", 500) + `"}`: none,
		`null`: none, `""`: none, `[]`: none, `{"error":""}`: none + `: {"error":""}`,
	} {
		if got := FaultOf([]byte(raw)).Error().Message; got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
