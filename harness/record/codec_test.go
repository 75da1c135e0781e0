package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oneOfEach is a line of each type that a record can have, with all its fields
// set.
func oneOfEach(t *testing.T) []Line {
	t.Helper()
	var all []Line
	for _, typ := range slices.Sorted(func(yield func(string) bool) {
		for typ := range newLine {
			if !yield(typ) {
				return
			}
		}
	}) {
		l := newLine[typ]()
		set(t, reflect.ValueOf(l).Elem(), new(int))
		*l.head() = Head{}
		all = append(all, l)
	}
	return all
}

// set gives a value to all that v has.
func set(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2030, 1, 1, 0, 0, *n, 0, time.UTC)
		return
	case *Data:
		*x = Raw(fmt.Appendf(nil, `{"<n>": %d}`, *n))
		return
	case *json.RawMessage:
		*x = fmt.Appendf(nil, `["\u2028<n>",%d]`, *n)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("<text> %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n % 256))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 8)
	case reflect.Struct:
		for i := range v.NumField() {
			set(t, v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		set(t, v.Index(0), n)
		set(t, v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			set(t, v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		set(t, e, n)
		v.SetMapIndex(reflect.ValueOf("<key>"), e)
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}

func TestEveryTypeOfLineIsReadAsItWasWritten(t *testing.T) {
	for _, l := range oneOfEach(t) {
		l.head().Type, _ = lineType(l)
		l.head().Time = time.Date(2030, 1, 1, 0, 0, 0, 1000, time.UTC)
		b, err := EncodeLine(l)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(b, []byte("\n")) != 1 || !bytes.HasSuffix(b, []byte("}\n")) || !json.Valid(b) {
			t.Errorf("it is not one line of JSON: %q", b)
		}
		got, err := DecodeLine(bytes.TrimSuffix(b, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(l, got); diff != "" {
			t.Errorf("%s: %s", l.head().Type, diff)
		}
	}
}

// FuzzDecode reads bytes that anybody may have written, with a check that fits.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"call","time":"2030-01-01T00:00:00Z","n":1,"args":"blob:sha256:x:1"`))
	f.Add([]byte(`{"type":"begin","v":7,"inputs":{"a":"blob:json:{}"},"seed":"AA=="`))
	f.Add([]byte(`{"type":"done","result":"blob:hmac:` + strings.Repeat("0", 64) + `:4:json:{}"`))
	f.Add([]byte(`{"type":"later","time":"2030-01-01T00:00:00Z"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		DecodeLine(b)
		l, err := DecodeLine(checked(b))
		if err != nil {
			return
		}
		if _, ok := l.(*Other); ok {
			return
		}
		l.head().Type, _ = lineType(l)
		again, err := EncodeLine(l)
		if err != nil {
			var invalid *json.MarshalerError // a value that JSON in a line cannot be
			if !errors.As(err, &invalid) && !strings.Contains(err.Error(), "year outside") {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			return
		}
		got, err := DecodeLine(bytes.TrimSuffix(again, []byte("\n")))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, again)
		}
		twice, err := EncodeLine(got)
		if err != nil || !bytes.Equal(again, twice) {
			t.Fatalf("it changes:\n%s%s%v", again, twice, err)
		}
	})
}

// checked returns a line with its check.
func checked(b []byte) []byte {
	return fmt.Appendf(bytes.Clone(b), "%s%08x%s", crcBegin, crcOf(b), crcEnd)
}

// FuzzRead reads files that anybody may have written.
func TestALaterVersionIsReadWithAWord(t *testing.T) {
	line := func(s string) string { return string(checked([]byte(s))) + "\n" }
	data := line(`{"type":"begin","time":"2030-01-01T00:00:00Z","v":2,"id":"x","new":[1]`) +
		line(`{"type":"later","time":"2030-01-01T00:00:01Z","n":1`) +
		line(`{"type":"note","time":"2030-01-01T00:00:02Z","stdout":"a","colour":"red"`) +
		line(`{"type":"call","time":"2030-01-01T00:00:03Z","n":"7"`)
	r, err := Parse([]byte(data), Stored{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Later == nil || r.Damaged != nil || r.Stdout() != "a" {
		t.Errorf("%+v", r)
	}
	if o, ok := r.Lines[3].(*Other); !ok || o.Type != "call" || len(r.Calls) != 0 {
		t.Errorf("a call with another n: %+v", r.Lines[3])
	}
	if o, ok := r.Lines[1].(*Other); !ok || o.Type != "later" || !json.Valid(o.JSON) {
		t.Errorf("%+v", r.Lines[1])
	}
}
