package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/localfile"
)

// maxHistoryBytes bounds a history. If it is longer, the older half is removed.
const maxHistoryBytes = 4 << 20

// HistoryFile returns the path of the history of a registry file, which is beside it.
func HistoryFile(path string) string { return strings.TrimSuffix(path, ".json") + ".history.jsonl" }

// Entry is a rebuild that changed something.
type Entry struct {
	Time    time.Time `json:"time"`
	Added   []string  `json:"added,omitempty"`
	Removed []string  `json:"removed,omitempty"`
	Changed []Change  `json:"changed,omitempty"`
}

// Record appends the changes of a rebuild to a history file, as one line of JSON. It writes
// nothing for the first build or a rebuild without changes.
func Record(path string, previous *registry.Registry, r *Report, now time.Time) error {
	if previous == nil || r.Changes.Empty() {
		return nil
	}
	line, err := json.Marshal(Entry{now.UTC().Truncate(time.Second), r.Changes.Added, r.Changes.Removed, r.Changed})
	if err != nil {
		return fmt.Errorf("writing history: %w", err)
	}
	if err := localfile.Append(path, append(line, '\n'), maxHistoryBytes, 0o644); err != nil {
		return fmt.Errorf("writing history: %w", err)
	}
	return nil
}

// History returns the last n entries of a history file, oldest first. It skips invalid lines. A
// missing file has no entries.
func History(path string, n int) ([]Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading history: %w", err)
	}
	var entries []Entry
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			entries = append(entries, e)
		}
	}
	return entries[max(0, len(entries)-n):], nil
}
