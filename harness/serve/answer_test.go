package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/outcome"
)

// An answer lists the first calls and counts the others, however many there
// were and whatever their servers said.
func TestCallsOfAnAnswerAreBounded(t *testing.T) {
	long := strings.Repeat("x", 5000)
	a := &Answer{Result: outcome.Result{}}
	for i := range 1000 {
		c := outcome.Call{Tool: fmt.Sprintf("s.t%d", i%40)}
		if i%10 == 0 {
			c.Error = &long
		}
		a.Calls = append(a.Calls, c)
	}
	all := a.Calls
	a.shorten()
	b, err := json.Marshal(a)
	if err != nil || len(b) > 10_000 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	n, failed := len(a.Calls), 2
	for _, c := range a.MoreCalls {
		n, failed = n+c.Calls, failed+c.Failed
	}
	if n != 1000 || failed != 100 || len(a.MoreCalls) != maxToolCounts+1 || a.MoreCalls[otherTools].Calls == 0 ||
		*all[0].Error != long {
		t.Errorf("%d calls, %d failed: %+v", n, failed, a.MoreCalls)
	}
	if a := (&Answer{Result: outcome.Result{Calls: all[:maxCalls]}}); true {
		if a.shorten(); len(a.Calls) != maxCalls || a.MoreCalls != nil {
			t.Errorf("%+v", a)
		}
	}
}
