package main

import (
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"net/url"
	"time"
)

type Level int

type Base struct {
	ID      int
	Created time.Time
}

type Tag struct{ Key, Value string }

type Node struct {
	Name  string
	Left  *Node
	Right *Node
	Kids  []*Node
}

type Tree map[string]Tree

type List []List

type All struct {
	Base
	B    bool
	I8   int8
	I64  int64
	U    uint
	U8   uint8
	F32  float32
	F64  float64
	C    complex128
	S    string
	L    Level
	Raw  []byte
	Arr  [3]int
	Bits [4]byte
	Tags []Tag
	Ptr  *Tag
	PP   **int
	M    map[string]int
	MT   map[string]Tag
	MP   map[Level]*Tag
	SS   [][]string
	Any  any
	Err  error
	Big  *big.Int
	BigV big.Int
	URL  *url.URL
	Addr netip.Addr
	D    time.Duration
	T    time.Time
	Anon struct{ X, Y int }
	Fn   func()
	Ch   chan int
	PCh  *chan int
	hide int
}

type hidden struct{ a, b int }

type Half struct {
	hidden
	A int
}

func dump(name string, x any) []byte {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(x)
	fmt.Println(name, err, b.Len())
	fmt.Println(hex.EncodeToString(b.Bytes()))
	return b.Bytes()
}

func back[T any](b []byte) {
	var v T
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v)
	fmt.Printf("%T %+v %v\n", v, v, err)
}

func main() {
	n := 5
	p := &n
	when := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	u, _ := url.Parse("https://example.com/a?b=c")
	x := All{
		Base: Base{7, when}, B: true, I8: -3, I64: 1 << 40, U: 300, U8: 200, F32: 1.5, F64: 3.14159, C: 1 + 2i, S: "héllo", L: 4,
		Raw: []byte("raw"), Arr: [3]int{1, 0, 3}, Bits: [4]byte{1, 2}, Tags: []Tag{{"a", "b"}, {}}, Ptr: &Tag{"p", "q"}, PP: &p,
		M: map[string]int{"one": 1}, MT: map[string]Tag{"t": {"k", "v"}}, MP: map[Level]*Tag{2: {"m", "p"}}, SS: [][]string{{"x"}, nil, {"y", "z"}},
		Any: 42, Big: big.NewInt(-123456789), BigV: *big.NewInt(99), URL: u, Addr: netip.MustParseAddr("10.0.0.1"), D: time.Second, T: when, Anon: struct{ X, Y int }{1, 2}, hide: 9,
	}
	b := dump("all", &x)
	var y All
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&y)
	fmt.Println(err, y.Base, y.B, y.I8, y.I64, y.U, y.U8, y.F32, y.F64, y.C, y.S, y.L, y.Raw, y.Arr, y.Bits, y.Tags, *y.Ptr, **y.PP, y.M, y.MT, *y.MP[2], y.SS, len(y.SS), y.Any, y.Err, y.Big, &y.BigV, y.URL, y.Addr, y.D, y.T, y.Anon, y.hide)
	dump("byvalue", x)
	b = dump("zero", All{})
	back[All](b[:0])
	b = dump("node", Node{"root", &Node{Name: "l"}, &Node{Name: "r", Kids: []*Node{{Name: "k"}}}, nil})
	var root Node
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&root), root.Left.Name, root.Right.Kids[0].Name, root.Kids == nil)
	b = dump("nilkid", Node{Kids: []*Node{nil}})
	b = dump("tree", Tree{"a": {"b": {}}})
	back[Tree](b)
	b = dump("list", List{{}, {{}, {}}})
	back[List](b)
	b = dump("half", Half{A: 3})
	back[Half](b)
	dump("hidden", hidden{1, 2})
	dump("anon hidden", struct{ a int }{1})
	b = dump("empty", struct{}{})
	back[struct{}](b)
	dump("func", func() {})
	dump("chan", make(chan int))
	dump("nil", nil)
	dump("slice of func", []func(){nil})
	b = dump("level", Level(3))
	back[Level](b)
	back[int](b)
	back[string](b)
	back[float64](b)
	back[Tag](b)
	back[any](b)
	b = dump("map", map[string][]Tag{"k": {{"a", "b"}}})
	back[map[string][]Tag](b)
	back[map[string][]struct{ Key string }](b)
	back[map[int]string](b)
	back[[]string](b)
	b = dump("time", when)
	back[time.Time](b)
	b = dump("big", big.NewInt(77))
	var z big.Int
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&z), z.String())
	b = dump("array", [2]Level{1, 2})
	back[[2]int](b)
	back[[3]int](b)
	back[[]int](b)
	b = dump("strings", []string{"a", "", "b"})
	back[[]string](b)
	b = dump("bytes", []byte{1, 2, 3})
	back[[]byte](b)
	back[string](b)
	b = dump("string", "text")
	back[[]byte](b)
	b = dump("300", 300)
	back[int8](b)
	b = dump("float", 1e300)
	back[float32](b)
	b = dump("complex", 1e300+2i)
	back[complex64](b)
	b = dump("uint", uint(256))
	back[uint8](b)
	b = dump("any slice", []any{1, "a", 2.5, []int{1}, nil})
	back[[]any](b)
	b = dump("any map", map[string]any{"k": []string{"v"}})
	back[map[string]any](b)
	b = dump("unregistered", []any{Tag{"a", "b"}})
	b = dump("unregistered2", map[string]any{"a": map[string]any{}})
	b = dump("nilptr", []any{(*Tag)(nil)})
	fmt.Println(errors.Is(gob.NewDecoder(&bytes.Buffer{}).Decode(&n), io.EOF))
	fmt.Println(gob.NewDecoder(bytes.NewReader([]byte{5, 1})).Decode(&n))
	fmt.Println(gob.NewDecoder(bytes.NewReader([]byte("garbage here"))).Decode(&n))
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(n))
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode((*int)(nil)))
}
