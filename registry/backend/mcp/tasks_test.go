package mcp

import (
	"encoding/json"
	"testing"
	"time"
)

func TestTasksAreAskedForNeitherTooOftenNorTooSeldom(t *testing.T) {
	for said, want := range map[string]time.Duration{
		"0": minPoll, "-1": minPoll, "-1e300": minPoll, "99.9": minPoll, "100": minPoll, "2500": 2500 * time.Millisecond,
		"1e9": maxPoll, "1e300": maxPoll, "10000": maxPoll,
	} {
		if got := pollPause(json.RawMessage(said), 3); got != want {
			t.Errorf("%s: %v, want %v", said, got, want)
		}
	}
	for _, said := range []string{"", "null", `"5"`, "1e999", "{}", "nonsense"} {
		for n, want := range map[int]time.Duration{0: minPoll, 1: 2 * minPoll, 6: 64 * minPoll, 7: maxPoll,
			1 << 30: maxPoll} {
			if got := pollPause(json.RawMessage(said), n); got != want {
				t.Errorf("%q, %d times: %v, want %v", said, n, got, want)
			}
		}
	}
}
