package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/backend"
)

func TestACallIsLookedForByWhatItAloneHas(t *testing.T) {
	s := store.Memory(1, nil)
	w, err := s.Begin(&record.Begin{Script: record.String("x")})
	if err != nil {
		t.Fatal(err)
	}
	for i, args := range []string{`{"ref":"a"}`, `{"ref":"b"}`, `{"ref":"b"}`, `{"ref":7}`,
		`{"ref":""}`, `{"ref":{"x":1}}`, `{}`} {
		if err := w.Add(&record.Call{N: i + 1, Place: "1:1", Class: record.Effect, Tool: "shop.buy",
			Args: record.Raw([]byte(args))}); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{"ref":"a"}`, "", "", `{"ref":7}`, "", "", ""} {
		got, err := reference(r, r.Calls[i], "ref")
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("call %d: %s, %v", i+1, got, err)
		}
	}
}

func TestAReferenceIsFoundAsAWholeValue(t *testing.T) {
	for answer, want := range map[string]bool{
		`{"content":[],"structuredContent":{"orders":[{"ref":"a-7"}]}}`:              true,
		`{"content":[],"structuredContent":{"orders":[{"ref":"a-70"}]}}`:             false,
		`{"content":[{"type":"text","text":"{\"ref\":\"a-7\"}"}]}`:                   true,
		`{"content":[{"type":"text","text":"there is no order a-7"}]}`:               false,
		`{"content":[],"structuredContent":{"a-7":true}}`:                            false,
		`{"content":[{"type":"text","text":"[]"}],"structuredContent":{"orders":0}}`: false,
	} {
		res, err := backend.DecodeResult([]byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		if got := has(res, json.RawMessage(`{"ref":"a-7"}`)); got != want {
			t.Errorf("%s: %t", answer, got)
		}
	}
}

func TestWhatALookUpMeansIsSaid(t *testing.T) {
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	res, err := backend.DecodeResult([]byte(`{"content":[{"type":"text","text":"a\u001b[2Jb"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for want, v := range map[string]verified{
		"harness runs settle r 2 happened -result JSON": {Found: true},
		"The call may still have happened":              {},
		"which means nothing before ":                   {NotAfter: &future},
		"harness runs settle r 2 not\n":                 {NotAfter: &past},
	} {
		var out bytes.Buffer
		v.Run, v.Call, v.Tool, v.Args = "r", 2, "shop.find", json.RawMessage(`{"ref":1}`)
		if err := (&env{stdout: &out}).sayVerified(&cli.Command{}, &v, res); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) || !strings.Contains(out.String(), `a\x1b[2Jb`) ||
			strings.Count(out.String(), "harness runs settle") != strings.Count(want, "harness runs settle") {
			t.Errorf("want %q, got %s", want, out.String())
		}
	}
}
