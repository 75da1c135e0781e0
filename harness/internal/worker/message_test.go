package worker

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestScriptsComeOutAsTheyWentIn(t *testing.T) {
	all := Script{Source: "Return(1)\xff", Strict: true, Check: true, Clock: true, Resume: true, Free: true, Left: time.Second,
		Inputs: map[string]json.RawMessage{"n": json.RawMessage("1")},
		Stored: map[string]json.RawMessage{"r1": json.RawMessage(`"x"`)},
		Limits: Limits{Timeout: 1, Stdout: 2, Value: 3, Calls: 4, Parallel: 5, Result: 6, Memory: 1 << 40, CPU: 8},
		Seed:   []byte("seed"), Mark: []byte{0, 1},
		Replay: &Replay{Begin: 5, Readings: map[string][]int64{"": {1, 2}}, CPUs: 3}}
	for v := reflect.ValueOf(all); ; { // a field that is forgotten here may be forgotten there
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Fatalf("%s is not tested", v.Type().Field(i).Name)
			}
		}
		if v.Type() == reflect.TypeFor[Limits]() {
			break
		}
		v = reflect.ValueOf(all.Limits)
	}
	for _, s := range []Script{{}, all, {Source: "x", Limits: Limits{}.WithDefaults(), Seed: make([]byte, seedSize)},
		{Stored: map[string]json.RawMessage{}}, {Strict: true}, {Check: true}, {Clock: true}, {Resume: true}, {Free: true}} {
		b, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		var got Script
		if err := got.decode(b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Error(diff)
		}
		for n := range len(b) - len(s.Source) {
			if err := new(Script).decode(b[:n]); err == nil {
				t.Errorf("%d of %d bytes were a script", n, len(b))
			}
		}
	}
}
