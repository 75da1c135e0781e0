package present

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Query is a query for runs, as text. Empty fields match all runs.
type Query struct {
	Status                              []string // each may list several, separated by commas, or be NotOK
	Tool, Server, Script, Session, Text string   // see store.Filter
	Since, Until                        string   // see When
}

// NotOK stands for the statuses of runs that failed.
const NotOK = "failed"

// QueryError says which field of a Query is invalid, and lists the valid values.
type QueryError struct{ Field, Text string }

func (e *QueryError) Error() string { return e.Field + e.Text }

// Filter returns the filter for the query at a time. statuses are the statuses of finished runs.
// Errors are *QueryErrors.
func (q *Query) Filter(statuses []string, now time.Time) (*store.Filter, error) {
	f := &store.Filter{Tool: q.Tool, Server: q.Server, Script: q.Script, Session: q.Session, Text: q.Text}
	all := append(slices.Clip(statuses), record.Running, record.Died)
	for _, list := range q.Status {
		for s := range strings.SplitSeq(list, ",") {
			switch s = strings.TrimSpace(s); {
			case s == NotOK:
				f.Status = append(f.Status, slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !IsFailure(s) })...)
			case slices.Contains(all, s):
				f.Status = append(f.Status, s)
			default:
				return nil, &QueryError{"status", fmt.Sprintf(" %q is unknown: want one of %s, or %s for all finished runs "+
					"that are neither ok nor canceled", s, strings.Join(all, ", "), NotOK)}
			}
		}
	}
	if _, err := path.Match(f.Tool, "x"); err != nil {
		return nil, &QueryError{"tool", fmt.Sprintf(" %q is not a pattern: %v", f.Tool, err)}
	}
	for _, t := range []struct {
		field, text string
		to          *time.Time
	}{{"since", q.Since, &f.Since}, {"until", q.Until, &f.Until}} {
		if t.text == "" {
			continue
		}
		var err error
		if *t.to, err = When(t.text, now); err != nil {
			return nil, &QueryError{t.field, fmt.Sprintf(" %q: %v", t.text, err)}
		}
	}
	return f, nil
}

// IsFailure reports whether NotOK includes a status: the run ended, and is neither ok nor canceled,
// waiting or uncertain.
func IsFailure(status string) bool {
	return !(status == "ok" || status == "canceled" || status == record.Running || status == "waiting" || status == "uncertain")
}

// When parses a time or an age: 90s, 2h, 7d, 15:04, 2006-01-02, 2006-01-02 15:04,
// 2006-01-02T15:04:05Z. A time without a zone is in the zone of now.
func When(s string, now time.Time) (time.Time, error) {
	if d, err := Age(s); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime,
		"2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	if t, err := time.ParseInLocation("15:04", s, now.Location()); err == nil {
		y, m, d := now.Date()
		return time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, now.Location()), nil
	}
	return time.Time{}, errors.New("want an age such as 90s, 2h or 7d, or a time such as 15:04, 2006-01-02 or " +
		"2006-01-02T15:04:05Z")
}

// Age parses a duration, which may be in days: 30d, 12h.
func Age(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0 && n < 1e5) {
			return 0, errors.New("want a number of days")
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = errors.New("must not be negative")
	}
	return d, err
}
