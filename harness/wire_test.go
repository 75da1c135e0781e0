package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// ofThisProcess are the parts of a Result that do not go to another one: how its reader
// goes on, and what only a check or a run under way uses.
var ofThisProcess = map[string]bool{"Next": true, "Unwritten": true, "Parked": true, "PlacedWarnings": true, "Sent": true, "Fixes": true,
	"CutOff": true, "Number": true, "Text": true, "Earlier": true, "AllCalls": true, "For": true}

// fill gives each part of a value, unexported ones too, something else than its zero.
func fill(t testing.TB, v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"n":%d,"s":"<&>"}`, *n))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(int64(*n), 0).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !ofThisProcess[v.Type().Field(i).Name] {
				fill(t, reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem(), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.String:
		v.SetString(fmt.Sprint("<text> ", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("a %v in a Result: fill does not know how", v.Type())
	}
}

var allParts = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool { return ofThisProcess[p.Last().String()[1:]] }, cmp.Ignore()),
}

// crosses fails unless another process would have all of a result.
func crosses(t testing.TB, res *outcome.Result) {
	t.Helper()
	b, err := outcome.Encode(res)
	if err != nil {
		t.Fatal(err)
	}
	got, err := outcome.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(res, got, allParts); diff != "" {
		t.Errorf("on the wire (-sent +got):\n%s", diff)
	}
	if len(got.Errors) > 0 && res.Error == &res.Errors[0] != (got.Error == &got.Errors[0]) {
		t.Error("Error is another one than the first of Errors")
	}
}

// A part that somebody adds to Result, and that EncodeResult leaves out, fails here.
func TestAllOfAResultCrosses(t *testing.T) {
	n := 0
	res := &outcome.Result{}
	fill(t, reflect.ValueOf(res).Elem(), &n)
	crosses(t, res)
	if n < 100 {
		t.Errorf("%d parts were filled", n)
	}
	crosses(t, &outcome.Result{})
	res = &outcome.Result{Tools: []outcome.ToolUse{}, Calls: []outcome.Call{}, Warnings: []string{}, Errors: []outcome.Error{{Line: 3}}}
	res.Error = &res.Errors[0]
	crosses(t, res)
}

func TestErrorsKeepTheirTypesOnTheWire(t *testing.T) {
	unknown := &record.UnknownError{Calls: []*record.Made{{Call: &record.Call{N: 3, Tool: "git.push", Place: "4:1",
		Args: record.Raw(json.RawMessage(`{"a":1}`)), Class: record.Effect}}}}
	for _, sent := range []error{
		errors.New("anything"),
		fmt.Errorf("going on: %w", &harness.NotResumableError{Run: "run", Why: "it has ended"}),
		&store.RunningError{Run: "run", Host: "there", PID: 7},
		&harness.OnceError{"key", "run"},
		&catalog.Error{Err: errors.New("no config")},
		fmt.Errorf("x: %w", unknown),
		fmt.Errorf("x: %w", store.ErrNotFound), fmt.Errorf("x: %w", store.ErrTaken),
		fmt.Errorf("x: %w", store.ErrEnded), fmt.Errorf("x: %w", store.ErrCopy),
		context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded),
	} {
		b, err := harness.EncodeError(sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := harness.DecodeError(b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Error() != sent.Error() {
			t.Errorf("got %q, want %q", got, sent)
		}
		for name, is := range harness.WireSentinels {
			if errors.Is(sent, is) != errors.Is(got, is) {
				t.Errorf("%v: is %s: %v", sent, name, errors.Is(got, is))
			}
		}
		same[*harness.NotResumableError](t, sent, got)
		same[*store.RunningError](t, sent, got)
		same[*harness.OnceError](t, sent, got)
		same[*catalog.Error](t, sent, got)
		same[*record.UnknownError](t, sent, got)
	}
}

func same[E error](t *testing.T, sent, got error) {
	t.Helper()
	var a, b E
	if x, y := errors.As(sent, &a), errors.As(got, &b); x != y || x && a.Error() != b.Error() {
		t.Errorf("%v: %T %v, want %v", sent, a, b, a)
	}
}

func FuzzDecodeResult(f *testing.F) {
	n := 0
	res := &outcome.Result{}
	fill(f, reflect.ValueOf(res).Elem(), &n)
	b, err := outcome.Encode(res)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	failed, err := harness.EncodeError(&harness.OnceError{"a", "b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(failed)
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := harness.DecodeError(b); err == nil && e == nil {
			t.Error("neither an error nor why there is none")
		}
		res, err := outcome.Decode(b)
		if err != nil {
			return
		}
		again, err := outcome.Encode(res)
		if err != nil {
			t.Fatal(err)
		}
		res, err = outcome.Decode(again)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := outcome.Encode(res); err != nil || !bytes.Equal(again, twice) {
			t.Errorf("%v\n%s\n%s", err, again, twice)
		}
	})
}
