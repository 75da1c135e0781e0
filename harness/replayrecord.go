package harness

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
)

// ReplayedRecord is a summary of the replay of a record.
type ReplayedRecord struct {
	Run        string      `json:"run"`
	Record     string      `json:"record"` // as the user called it
	Same       bool        `json:"same"`
	Calls      int         `json:"calls"` // answered from the record
	Ms         float64     `json:"ms"`
	Difference *Difference `json:"difference,omitempty"`
	// Skipped says why there is nothing to replay. It is empty if the record was replayed.
	Skipped string `json:"skipped,omitempty"`
	Error   string `json:"error,omitempty"` // why the record cannot be replayed
}

// Words returns the summary as a line of text.
func (r *ReplayedRecord) Words() string {
	switch {
	case r.Skipped != "":
		return r.Skipped
	case r.Error != "":
		return "cannot be replayed: " + registry.Printable(r.Error, 300)
	case !r.Same:
		return "differs from its record: " + registry.Printable(r.Difference.Text, 300)
	}
	return "matches its record"
}

// Replayer replays a run, as Harness.Replay does.
type Replayer func(context.Context, *Replay) (*Replayed, error)

// ReplayRecord loads a record and replays it. name is the user's name for the record.
func ReplayRecord(ctx context.Context, replay Replayer, p Replay, name string,
	load func() (*record.Run, error)) *ReplayedRecord {
	out := &ReplayedRecord{Record: name}
	begin := time.Now()
	defer func() { out.Ms = float64(time.Since(begin).Microseconds()) / 1000 }()
	var err error
	if p.Run, err = load(); err != nil {
		out.Error = err.Error()
		return out
	}
	out.Run = registry.Printable(p.Run.Begin.ID, 100) // the file is untrusted
	got, err := replay(ctx, &p)
	switch {
	case errors.Is(err, ErrNothingToReplay):
		out.Skipped = err.Error()
	case err != nil:
		out.Error = err.Error()
	default:
		out.Same, out.Calls, out.Difference = got.Difference == nil, got.Calls, got.Difference
	}
	return out
}

// ReplayScript replays the record that is stored with a saved script, using the present script. A
// script without a record is Skipped.
func ReplayScript(ctx context.Context, replay Replayer, lib *library.Library, s *library.Script) *ReplayedRecord {
	file := lib.Record(s.Name)
	if _, err := os.Stat(file); file == "" || errors.Is(err, fs.ErrNotExist) {
		return &ReplayedRecord{Skipped: "no record is saved with it; save one with: harness save -with-record"}
	}
	return ReplayRecord(ctx, replay, Replay{Source: s.Source}, file,
		func() (*record.Run, error) { return store.LoadFile(file) })
}
