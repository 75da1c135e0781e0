package cluster

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
)

func FuzzParseJob(f *testing.F) {
	s := harness.Script{Source: "Return(1)", Origin: harness.Origin{Subject: "ann", Stored: map[string]json.RawMessage{}}, Policy: &policy.Policy{Deny: []string{"git"}},
		Inputs: map[string]json.RawMessage{"a": json.RawMessage(` {"b": 1}`)}}
	for _, kind := range []string{kindRun, kindResume} {
		name := store.NewName(time.Unix(1, 0))
		_, id, _ := store.ParseName(name)
		j := newJob(f.Context(), kind, id, &s)
		j.Name, j.Until = name, time.Unix(2, 0)
		b, err := marshal(j)
		if err != nil {
			f.Fatal(err)
		}
		got, err := parseJob(b)
		if err != nil || got.Script.Origin.Stored == nil || string(got.script().Inputs["a"]) != `{"b":1}` {
			f.Fatalf("%s is read as %+v, %v", b, got, err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"v":3,"new":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := parseJob(b)
		if err != nil {
			return
		}
		again, err := marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseJob(again); err != nil {
			t.Errorf("%s: %v", again, err)
		}
	})
}
