package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseWhen reads a point in time as people and agents write it: RFC 3339, a
// date with or without a time (UTC), or a distance such as "2 weeks ago". A
// date alone means its first moment, and its last one when end is set, so that
// since and until of the same date give that day.
func parseWhen(text string, end bool, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		if end {
			day = day.AddDate(0, 0, 1).Add(-time.Nanosecond)
		}
		return day, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04",
		"2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if t, ok := parseAgo(strings.ToLower(text), now); ok {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%.60q is not time: write 2026-01-31, 2026-01-31T15:04:05Z or a distance like 2 "+
		"weeks ago", text)
}

// parseAgo reads "now", "yesterday" and "N units ago"; the word ago may miss.
func parseAgo(text string, now time.Time) (time.Time, bool) {
	switch text {
	case "now":
		return now, true
	case "yesterday":
		return now.AddDate(0, 0, -1), true
	}
	words := strings.Fields(strings.ReplaceAll(text, ".", " "))
	if len(words) == 3 && words[2] == "ago" {
		words = words[:2]
	}
	if len(words) != 2 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 || n > 100_000 {
		return time.Time{}, false
	}
	switch strings.TrimSuffix(words[1], "s") {
	case "second":
		return now.Add(-time.Duration(n) * time.Second), true
	case "minute":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "hour":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "day":
		return now.AddDate(0, 0, -n), true
	case "week":
		return now.AddDate(0, 0, -7*n), true
	case "month":
		return now.AddDate(0, -n, 0), true
	case "year":
		return now.AddDate(-n, 0, 0), true
	}
	return time.Time{}, false
}
