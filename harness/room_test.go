package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/internal/room"
)

// Four scripts with 16 calls at once whose results are large for their room:
// the results under way are bounded, and none is lost.
func TestLargeResultsUnderWayAreBounded(t *testing.T) {
	defer func(s *room.Results) { room.UnderWay = s }(room.UnderWay)
	room.UnderWay = room.NewResults(int64(*resultSize)*harness.MaxRoom/(30<<20), time.Hour)
	big := textResult(strings.Repeat("x", *resultSize))
	var now, most atomic.Int64
	h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return strings.Clone(big), nil
	})
	defer h.Close()
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	before := memoryOf("VmRSS:")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			res, err := h.Run(t.Context(), &harness.Script{Origin: harness.Origin{Results: harness.NewRoom(room.Max/4, nil)},
				Limits: harness.Limits{Timeout: 5 * time.Minute, Memory: 2 << 30}, Source: `var wg sync.WaitGroup
var n, failed atomic.Int64
for range 16 { wg.Go(func() {
	r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
	if err != nil { failed.Add(1); return }
	n.Add(int64(len(r.Text())))
}) }
wg.Wait(); Return([]int64{n.Load(), failed.Load()})`})
			if want := fmt.Sprintf("[%d,0]", 16**resultSize); err != nil || string(res.Value) != want {
				t.Errorf("%v %s, want %s: %+v", err, res.Value, want, res.Error)
			}
		})
	}
	wg.Wait()
	if most.Load() > room.MaxUnknown {
		t.Errorf("%d calls at once, want at most %d", most.Load(), room.MaxUnknown)
	}
	t.Logf("%d calls at once; %d kB before, %d at most", most.Load(), before, memoryOf("VmHWM:"))
}

// memoryOf is a line of this process's status, in kB; 0 where it is not known.
func memoryOf(line string) (kb int) {
	b, _ := os.ReadFile("/proc/self/status")
	if _, rest, ok := strings.Cut(string(b), line); ok {
		fmt.Sscan(rest, &kb)
	}
	return kb
}
