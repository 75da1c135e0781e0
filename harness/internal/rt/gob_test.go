package rt

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"go/types"
	"math/big"
	"reflect"
	"strings"
	"sync"
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

func gobValues() []any {
	point := gobPoint{1, -2}
	when := time.Date(2024, 1, 2, 3, 4, 5, 6, time.UTC)
	inner := gobInner{"in", &point, point}
	outer := gobOuter{true, -8, 300, 1.5, 1 + 2i, "text", []byte("raw"), []int{1, 0, -1000}, []*gobPoint{&point, {}}, inner, [2]string{"a", ""}, [][]string{{"x"}, {}}, when, big.NewInt(1 << 40), &gobOuter{S: "next"}, []any{1, "two", nil, point, []string{"x"}}}
	return []any{outer, point, []gobInner{inner, {}}, 7, "seven", &[]any{1, point}, []string{"a", "b"}, when, big.NewInt(-5), [3]float64{1, 2, 3}, []byte{1, 2}, map[string]gobPoint{"k": point}, map[int][]bool{1: {true}}, struct{}{}, 1i, uint(9), true}
}

// gobsAgree makes encoding/gob and ours meet the same types in the same order, once:
// the numbers of types are those of the process.
var gobsAgree = sync.OnceValues(func() (m *Machine, failed error) {
	m = New(Config{})
	gob.Register(gobPoint{})
	m.gobRegister(gobPoint{})
	for _, x := range gobValues() {
		var theirs, ours bytes.Buffer
		if err := errors.Join(gob.NewEncoder(&theirs).Encode(x), m.gobNewEncoder(&ours).Encode(x)); err != nil {
			return nil, err
		}
		if !bytes.Equal(theirs.Bytes(), ours.Bytes()) {
			return nil, fmt.Errorf("%T:\n%x, want\n%x", x, ours.Bytes(), theirs.Bytes())
		}
	}
	return m, nil
})

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
	m, err := gobsAgree()
	if err != nil {
		f.Fatal(err)
	}
	for _, x := range gobValues() {
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

// FuzzGobDecodesIntoScriptTypes looks for panics: whatever the bytes are, they are a
// value or an error.
func FuzzGobDecodesIntoScriptTypes(f *testing.F) {
	if _, err := gobsAgree(); err != nil { // before others are met
		f.Fatal(err)
	}
	pkg, typ := checked(f, `
type Base struct { Name string; hidden int }
type Level uint8
type Tree map[string]Tree
type List []List
type Key struct { A, B int8 }
type T struct {
	Base
	L    Level
	Raw  []byte
	Next *T
	Kids []*T
	M    map[Key]*Base
	ML   map[Level][]Level
	Any  any
	Keys map[any]Level
	Tree Tree
	List List
	Arr  [2]List
	PP   **Level
	Anon struct{ X, Y []float32 }
	C    complex64
	F    func()
}
`)
	m := machineOf(pkg, typ("T"), typ("Tree"), typ("List"))
	targets := []types.Type{typ("T"), typ("Tree"), typ("List"), types.NewSlice(typ("T")), types.NewMap(typ("Level"), typ("T")), types.Universe.Lookup("any").Type()}
	fresh := func(t types.Type) any { return m.pointerTo(t).boxed(reflect.New(m.reflectOf(t)).Interface()) }
	m.gobRegister(m.typeOf(typ("T")).boxed(reflect.Zero(m.reflectOf(typ("T"))).Interface()))
	type base struct{ Name string }
	type key struct{ A, B int8 }
	type list []list
	type tree map[string]tree
	level := uint8(3)
	pp := &level
	type plain struct {
		Base base
		L    uint8
		Raw  []byte
		Next *plain
		Kids []*plain
		M    map[key]*base
		ML   map[uint8][]byte
		Any  any
		Keys map[any]uint8
		Tree tree
		List list
		Arr  [2]list
		PP   **uint8
		Anon struct{ X, Y []float32 }
		C    complex64
	}
	x := plain{Base: base{"n"}, L: 3, Raw: []byte("r"), Next: &plain{L: 1}, Kids: []*plain{{C: 1i}}, M: map[key]*base{{1, 2}: {"m"}}, ML: map[uint8][]byte{1: {2}}, Any: []string{"x"}, Keys: map[any]uint8{"a": 1, 2: 3},
		Tree: tree{"a": {"b": {}}}, List: list{{}, {{}}}, PP: &pp}
	for i, x := range []any{x, []plain{x}, x.Tree, x.List, &x.Any, map[uint8]plain{1: {L: 2}}} {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(x); err != nil {
			f.Fatal(err)
		}
		for k := range targets {
			f.Add(byte(k), b.Bytes())
		}
		into := fresh(targets[[]int{0, 3, 1, 2, 5, 4}[i]])
		if err := m.gobNewDecoder(bytes.NewReader(b.Bytes())).Decode(into); err != nil {
			f.Errorf("%T: %v", x, err)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		into := fresh(targets[int(which)%len(targets)])
		d := m.gobNewDecoder(bytes.NewReader(data))
		for range 3 {
			if d.Decode(into) != nil {
				return
			}
		}
		if err := m.gobNewEncoder(new(bytes.Buffer)).Encode(into); err != nil {
			t.Logf("encoded again: %v", err)
		}
	})
}

// TestGobsOfManyGoroutines meets types for the first time in several goroutines.
func TestGobsOfManyGoroutines(t *testing.T) {
	m := New(Config{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			m.gobRegister(gobPoint{})
			for _, x := range gobValues() {
				var b bytes.Buffer
				if err := m.gobNewEncoder(&b).Encode(x); err != nil {
					t.Errorf("%T: %v", x, err)
				}
				into := reflect.New(reflect.TypeOf(x))
				if into.Elem().Kind() == reflect.Pointer {
					into = reflect.New(into.Type().Elem().Elem())
				}
				if err := m.gobNewDecoder(&b).Decode(into.Interface()); err != nil {
					t.Errorf("%T: %v", x, err)
				}
			}
		})
	}
	all.Wait()
}
