package worker

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

// asked is a Host that notes what it was asked for and has nothing.
type asked struct {
	lenient
	needs []Needs
}

func (h *asked) Resolve(_ context.Context, n *Needs) (*Tools, bool, error) {
	h.needs = append(h.needs, *n)
	return nil, false, nil
}

// Its errors end the run of a script that does not parse, after the parent was
// told what the script seems to need.
func TestABrokenScriptTellsItsNeeds(t *testing.T) {
	for source, want := range map[string][]Needs{
		"UseTools(\"list quays\")\nx := quays.List(quays.ListParams{Port: \"x\"}) ? 1 : 2": {{
			Phrases: []Phrase{{Text: "list quays", Line: 1, Column: 10}},
			Names: []Name{{Package: "quays", Name: "List", Line: 2, Column: 6},
				{Package: "quays", Name: "ListParams", Line: 2, Column: 17, Fields: []string{"Port"}}},
			Broken: true,
		}},
		"x := 1 ? 2 : 3": nil,
	} {
		h := &asked{}
		o, err := Run(t.Context(), &Script{Source: source}, h, &Options{Policy: sandbox.BestEffort})
		if err != nil {
			t.Fatal(err)
		}
		for i := range h.needs {
			h.needs[i].Timing = Timing{}
		}
		if diff := cmp.Diff(want, h.needs); diff != "" {
			t.Error(diff)
		}
		if o.Status != CompileError || len(o.Errors) == 0 {
			t.Errorf("%s: %s %v", o.Status, o.Message, fmt.Sprint(o.Errors))
		}
	}
}
