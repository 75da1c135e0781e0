package worker

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

func TestFramesAreTheirJSON(t *testing.T) {
	timing := Timing{Parse: 0.001, Check: 12.345, Lower: 0, Run: 60000}
	for _, v := range []any{
		&ready{}, &ready{Report: sandbox.Report{Landlock: 6, Seccomp: true, Rlimits: true, NoNewPrivs: true}},
		&ready{Report: sandbox.Report{Missing: []string{"all"}}}, &ready{Error: "x"},
		&Needs{}, &Needs{Phrases: []Phrase{}, Names: []Name{}, Probe: true, Timing: timing},
		&Needs{Phrases: []Phrase{}, Names: []Name{}, Uncertain: true},
		&Needs{Phrases: []Phrase{}, Names: []Name{}, Broken: true},
		&Needs{Phrases: []Phrase{{Text: "a"}}, Names: []Name{}},
		&Needs{Phrases: []Phrase{}, Names: []Name{}, Own: []string{"x"}},
		&Plan{}, &Plan{Timing: timing}, &Plan{Warnings: []Diagnostic{}}, &Plan{MapWrites: []int{1}},
		&done{}, &done{Exit: 3, Timing: Timing{Run: 0.5}}, &done{Panic: "p"}, &done{Fatal: "f"}, &done{Code: "c"},
		&done{Error: "e"},
		&done{Refused: "r"}, &done{Trace: []Frame{{}}}, &done{Line: 1}, &done{Late: true},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := encode(v); err != nil || string(got) != string(want) {
			t.Errorf("%T: %s, want %s; %v", v, got, want, err)
		}
	}
}

func TestScriptsComeOutAsTheyWentIn(t *testing.T) {
	all := Script{Source: "Return(1)", Strict: true, Check: true, Clock: true, Resume: true, Free: true, Left: time.Second,
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
		for n := range b {
			if err := new(Script).decode(b[:n]); err == nil {
				t.Errorf("%d of %d bytes were a script", n, len(b))
			}
		}
		if err := new(Script).decode(append(b, 0)); err == nil {
			t.Error("what is behind a script was not seen")
		}
	}
}

func TestAWorkerIsToldItsLimits(t *testing.T) {
	all := sandbox.Config{Policy: sandbox.BestEffort, Memory: 1 << 40, CPU: 2, Procs: 3, Stack: 4, Files: 5}
	for _, s := range []setup{{}, {7, all}} {
		var got setup
		if err := got.decode(s.encode()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Error(diff)
		}
	}
	for _, text := range []string{"", "1 2 3", "a 0 0 0 0 0 x", strings.Repeat("9", 30) + " 0 0 0 0 0 x"} {
		if err := new(setup).decode(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
