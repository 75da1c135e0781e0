package console

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
)

// FuzzRunsQuery checks that what the address of the list asks for survives being
// written as an address.
func FuzzRunsQuery(f *testing.F) {
	for _, s := range []string{"", "text=a&status=ok,failed&since=7d", "status=ok&status=died&tool=%5B", "before=x&until=15:04",
		"text=%20+%20&subject=%00", "status=,&status= ok ,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		values, _ := url.ParseQuery(s)
		q, err := readRunsQuery(values)
		if err != nil {
			return
		}
		again, err := readRunsQuery(q.values())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(q.values(), again.values()); d != "" {
			t.Error(d)
		}
		if u, err := url.Parse(q.With("status", "ok")); err != nil || u.Path != "/runs" {
			t.Error(u, err)
		}
		q.Filter(harness.Statuses, time.Now())
	})
}
