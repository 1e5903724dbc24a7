package tools

import (
	"fmt"
	"strconv"
)

// count is an argument that starts at 1; 0 says that it was left out. A model
// that writes 0 means something else than what it would get, so it is told.
type count int

// UnmarshalJSON refuses what is less than 1.
func (c *count) UnmarshalJSON(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return fmt.Errorf("%s is not a whole number", quoteCapped(string(text)))
	}
	if n < 1 {
		return fmt.Errorf("%d is too small: offset, limit, depth and timeout_ms start at 1; leave them out for the default", n)
	}
	*c = count(n)
	return nil
}
