package serve

import (
	"maps"
	"math/bits"
	"sync"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/usage"
)

// counts are how often tools were called without an error: what the catalog's
// log has, which several servers may share, and what this server has seen
// since it looked there last. Without a log they are this server's alone. A nil
// *counts counts nothing.
type counts struct {
	mu    sync.Mutex
	log   *usage.Log
	read  *usage.Counter // of log; nil: there is none
	total map[string]int
}

// maxCounted bounds the tools that are counted.
const maxCounted = 20_000

func newCounts() *counts { return &counts{total: map[string]int{}} }

// refresh takes what is new in the log of a catalog.
func (u *counts) refresh(c *catalog.Catalog) {
	if u == nil || c.Usage == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.log != c.Usage {
		u.log, u.read = c.Usage, c.Usage.Counter()
	}
	if total, changed := u.read.Counts(); changed {
		u.total = maps.Clone(total)
	}
}

func (u *counts) ended(c *record.Call, d *record.Done) {
	if u == nil || d.Message != "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.total[c.Tool]; known || len(u.total) < maxCounted {
		u.total[c.Tool]++
	}
}

// rank is how much a tool is used, in powers of two, so that the order of
// tools seldom changes.
func (u *counts) rank(id string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return bits.Len(uint(max(u.total[id], 0)))
}
