package present

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimesOfFilters(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.FixedZone("", 3600))
	for in, want := range map[string]string{
		"90s": "2026-11-23T11:58:30+01:00", "7d": "2026-11-16T12:00:00+01:00", "1.5d": "2026-11-22T00:00:00+01:00",
		"0d": "2026-11-23T12:00:00+01:00", "09:30": "2026-11-23T09:30:00+01:00", "2026-11-01": "2026-11-01T00:00:00+01:00",
		"2026-11-01 08:15": "2026-11-01T08:15:00+01:00", "2026-11-01T08:15:00Z": "2026-11-01T08:15:00Z",
		"2026-11-01T08:15": "2026-11-01T08:15:00+01:00",
		"-2h":              "", "NaNd": "", "-1d": "", "yesterday": "", "": "", "1e9d": "",
	} {
		got, err := When(in, now)
		if shown := got.Format(time.RFC3339); want == "" && err == nil || want != "" && shown != want {
			t.Errorf("%q: %s, %v, want %s", in, shown, err, want)
		}
	}
}

func TestAQueryThatCannotBeReadSaysWhatWouldBeRight(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	statuses := []string{"ok", "timeout", "waiting", "uncertain", "denied"}
	for _, c := range []struct {
		q           Query
		field, says string
	}{
		{Query{Status: []string{"okay"}}, "status", "ok, timeout, waiting, uncertain, denied, running, died, or failed"},
		{Query{Status: []string{"ok,"}}, "status", `"" is unknown`},
		{Query{Tool: "git.["}, "tool", "is not a pattern"},
		{Query{Since: "soon"}, "since", "want an age such as"},
		{Query{Until: "-3h"}, "until", "want an age such as"},
	} {
		_, err := c.q.Filter(statuses, now)
		var q *QueryError
		if !errors.As(err, &q) || q.Field != c.field || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.q, err)
		}
	}
	f, err := (&Query{Status: []string{"failed", "running, ok"}, Since: "1d"}).Filter(statuses, now)
	if err != nil || !f.Since.Equal(now.AddDate(0, 0, -1)) {
		t.Fatal(f, err)
	}
	slices.Sort(f.Status)
	if d := cmp.Diff([]string{"denied", "died", "ok", "running", "timeout"}, f.Status); d != "" {
		t.Error(d)
	}
}
