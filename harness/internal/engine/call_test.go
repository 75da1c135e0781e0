package engine

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// A worker is not trusted: what it must not call is refused, and in the record.
func TestACallThatIsRefusedIsInTheRecord(t *testing.T) {
	store := store.Memory(1, nil)
	j, err := journal.Begin(&record.Begin{}, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{journal: j, answers: noAnswers{}, tree: newTree(worker.Limits{}), bound: &bind.Bound{}}
	var denied *worker.DeniedError
	if _, err := r.Call(t.Context(), &worker.Call{Tool: "shop.steal", Args: json.RawMessage(`{"all": true}`), Place: "1:1"}); !errors.As(err, &denied) {
		t.Fatal(err)
	}
	j.End(&outcome.Result{Status: outcome.Denied})
	run, err := store.Load(j.ID())
	if err != nil || len(run.Calls) != 1 {
		t.Fatal(run, err)
	}
	m := run.Calls[0]
	if s, err := m.State(false); m.Call.Tool != "shop.steal" || m.Done.Kind != record.NotSent || s != record.Denied || err != nil {
		t.Errorf("%+v, %+v, %s, %v", m.Call, m.Done, s, err)
	}
}
