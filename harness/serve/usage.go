package serve

import (
	"encoding/json"
	"log/slog"
	"math/bits"
	"os"
	"path/filepath"
	"sync"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
)

// usage counts how often each tool was called without an error, in a small
// file that several servers may share.
type usage struct {
	path string
	log  *slog.Logger

	mu    sync.Mutex
	total map[string]int
	fresh map[string]int // since the last save
}

// maxUsageFile and maxUsageTools bound the file.
const (
	maxUsageFile  = 4 << 20
	maxUsageTools = 20_000
)

func openUsage(path string, log *slog.Logger) *usage {
	u := &usage{path: path, log: log, fresh: map[string]int{}}
	u.total = u.read()
	return u
}

// read returns the counts in the file; one that is not there or broken has
// none: they only order a list.
func (u *usage) read() map[string]int {
	counts := map[string]int{}
	if u.path == "" {
		return counts
	}
	info, err := os.Stat(u.path)
	if err != nil || info.Size() > maxUsageFile {
		return counts
	}
	data, err := os.ReadFile(u.path)
	if err != nil || json.Unmarshal(data, &counts) != nil || counts == nil || len(counts) > maxUsageTools {
		return map[string]int{}
	}
	return counts
}

func (u *usage) count(ev harness.CallEvent) {
	if ev.Done == nil || ev.Done.Error != nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.total[ev.Tool.ID]; known || len(u.total) < maxUsageTools {
		u.total[ev.Tool.ID]++
		u.fresh[ev.Tool.ID]++
	}
}

// rank is how much a tool is used, in powers of two, so that the order of
// tools seldom changes.
func (u *usage) rank(id string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return bits.Len(uint(max(u.total[id], 0)))
}

// save adds the counts since the last save to the file.
func (u *usage) save() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.path == "" || len(u.fresh) == 0 {
		return
	}
	counts := u.read()
	for id, n := range u.fresh {
		counts[id] += n
	}
	if err := writeAtomically(u.path, counts); err != nil {
		u.log.Warn("counting calls", "error", err)
		return
	}
	u.total, u.fresh = counts, map[string]int{}
}

// Close saves.
func (u *usage) Close() error { u.save(); return nil }

func writeAtomically(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return registry.WriteFile(path, data, 0o600)
}
