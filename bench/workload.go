package bench

import (
	"fmt"
	"time"
)

// word is the text of every token.
const word = " lighthouse"

// Answer is the script of an answer of tokens words, gap apart, the first after
// first; it is given to every request.
func Answer(tokens int, first, gap time.Duration) string {
	return fmt.Sprintf(`{"loop": true, "first_ms": %g, "gap_ms": %g, "steps": [
		{"blocks": [{"text": {"repeat": %q, "bytes": %d}}]}
	]}`, ms(first), ms(gap), word, tokens*len(word))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
