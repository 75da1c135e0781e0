package rt

import (
	"bytes"
	"encoding/gob"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type (
	gobPoint struct{ X, Y int }
	gobInner struct {
		Name  string
		Point *gobPoint
		Any   any
	}
	gobOuter struct {
		B    bool
		I8   int8
		U16  uint16
		F    float32
		C    complex64
		S    string
		Raw  []byte
		L    []int
		P    []*gobPoint
		In   gobInner
		Arr  [2]string
		SS   [][]string
		T    time.Time
		Big  *big.Int
		Next *gobOuter
		Any  []any
	}
	gobLess struct {
		S   string
		In  struct{ Name string }
		Arr [2]string
	}
)

// gobTargets are types without maps, for which encoding/gob makes room before it
// has seen the entries.
var gobTargets = []reflect.Type{
	reflect.TypeFor[gobOuter](), reflect.TypeFor[gobLess](), reflect.TypeFor[gobPoint](), reflect.TypeFor[[]gobInner](), reflect.TypeFor[int](), reflect.TypeFor[string](),
	reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[[]string](), reflect.TypeFor[time.Time](), reflect.TypeFor[*big.Int](), reflect.TypeFor[[3]float64](), reflect.TypeFor[[]byte](),
}

// bothGobs are encoding/gob and ours, that have met the same types in the same order.
func bothGobs(t testing.TB) (m *Machine, values []any) {
	m = New(Config{})
	point := gobPoint{1, -2}
	gob.Register(point)
	m.gobRegister(point)
	when := time.Date(2024, 1, 2, 3, 4, 5, 6, time.UTC)
	inner := gobInner{"in", &point, point}
	outer := gobOuter{true, -8, 300, 1.5, 1 + 2i, "text", []byte("raw"), []int{1, 0, -1000}, []*gobPoint{&point, {}}, inner, [2]string{"a", ""}, [][]string{{"x"}, {}}, when, big.NewInt(1 << 40), &gobOuter{S: "next"}, []any{1, "two", nil, point, []string{"x"}}}
	values = []any{outer, point, []gobInner{inner, {}}, 7, "seven", &[]any{1, point}, []string{"a", "b"}, when, big.NewInt(-5), [3]float64{1, 2, 3}, []byte{1, 2}, map[string]gobPoint{"k": point}, map[int][]bool{1: {true}}, struct{}{}, 1i, uint(9), true}
	for _, x := range values {
		var theirs, ours bytes.Buffer
		if err := gob.NewEncoder(&theirs).Encode(x); err != nil {
			t.Fatal(err)
		}
		if err := m.gobNewEncoder(&ours).Encode(x); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(theirs.Bytes(), ours.Bytes()) {
			t.Errorf("%T:\n%x, want\n%x", x, ours.Bytes(), theirs.Bytes())
		}
	}
	return m, values
}

// gobNames are those of the definitions themselves, which only a corrupted stream
// asks for.
var gobNames = strings.NewReplacer("rt.gobFieldType", "gob.fieldType", "Common gobCommon", "CommonType CommonType", "gobCommon", "CommonType", "gobWire", "wireType", "gobArrayType", "arrayType", "gobSliceType", "sliceType", "gobStructType", "structType", "gobFieldType", "fieldType", "gobMapType", "mapType", "gobOwnType", "gobEncoderType")

func gobText(err error) string {
	if err == nil {
		return ""
	}
	return gobNames.Replace(err.Error())
}

func FuzzGobDecodesAsGoDoes(f *testing.F) {
	m, values := bothGobs(f)
	for _, x := range values {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(x); err != nil {
			f.Fatal(err)
		}
		for i := range gobTargets {
			f.Add(byte(i), b.Bytes())
		}
	}
	opts := []cmp.Option{cmpopts.EquateNaNs(), cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }), cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		typ := gobTargets[int(which)%len(gobTargets)]
		theirs, ours := reflect.New(typ), reflect.New(typ)
		ourDecoder, theirDecoder := m.gobNewDecoder(bytes.NewReader(data)), gob.NewDecoder(bytes.NewReader(data))
		for range 3 {
			err := ourDecoder.Decode(ours.Interface())
			if errors.Is(err, errGobEmpty) || errors.Is(err, errGobDeep) {
				return // Go goes on
			}
			want := theirDecoder.Decode(theirs.Interface())
			if gobText(err) != gobText(want) {
				t.Fatalf("into %s: error %v, want %v", typ, err, want)
			}
			if diff := cmp.Diff(theirs.Interface(), ours.Interface(), opts...); diff != "" {
				t.Fatalf("into %s (-Go +ours):\n%s", typ, diff)
			}
			if err != nil {
				return
			}
		}
		var a, b bytes.Buffer
		err, want := m.gobNewEncoder(&b).Encode(ours.Interface()), gob.NewEncoder(&a).Encode(theirs.Interface())
		if gobText(err) != gobText(want) || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: %x, %v, want %x, %v", typ, b.Bytes(), err, a.Bytes(), want)
		}
	})
}
