// Anonymous structs, table tests, conversions between identical struct types, comparable structs, tags, embedded anon.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Point struct{ X, Y int }
type Pixel struct {
	X int `json:"px"`
	Y int `json:"py"`
}
type Named struct {
	Point
	struct1
	Label string
}
type struct1 struct{ hidden int }

var config = struct {
	Name  string
	Limit struct{ Min, Max int }
	Tags  []struct{ K, V string }
	On    map[string]struct{ N int }
	Hook  func(int) (int, error)
}{
	Name:  "cfg",
	Limit: struct{ Min, Max int }{1, 9},
	Tags:  []struct{ K, V string }{{"a", "1"}, {K: "b"}},
	On:    map[string]struct{ N int }{"x": {5}},
	Hook:  func(n int) (int, error) { return strconv.Atoi(strconv.Itoa(n) + "0") },
}

func abs(n int) (int, error) {
	if n == -1<<63 {
		return 0, errors.New("overflow")
	}
	return max(n, -n), nil
}

func expect[I any, O comparable](name string, f func(I) (O, error), cases ...struct {
	in   I
	want O
	err  string
}) (failed int) {
	for i, c := range cases {
		got, err := f(c.in)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if got != c.want || !strings.Contains(msg, c.err) || (c.err == "") != (msg == "") {
			failed++
			fmt.Printf("  %s[%d](%v) = %v, %q; want %v, %q\n", name, i, c.in, got, msg, c.want, c.err)
		}
	}
	return
}

func pairUp(keys []string, vals ...int) (out []struct {
	Key string
	Val int
}) {
	for i, k := range keys {
		out = append(out, struct {
			Key string
			Val int
		}{k, vals[i%len(vals)]})
	}
	return
}

func main() {
	type abCase = struct {
		in   int
		want int
		err  string
	}
	fmt.Println(expect("abs", abs, abCase{3, 3, ""}, abCase{-3, 3, ""}, abCase{-1 << 63, 0, "over"}, abCase{1, 2, ""}, abCase{-1 << 63, 0, "other"}))
	fmt.Println(expect("atoi", strconv.Atoi, []struct {
		in   string
		want int
		err  string
	}{{"1", 1, ""}, {"x", 0, "invalid syntax"}, {"", 0, ""}}...))
	p := Point{1, 2}
	px := Pixel(p)
	b, _ := json.Marshal([]any{p, px, struct{ X, Y int }(px), Named{p, struct1{9}, "l"}})
	fmt.Println(string(b))
	var anon struct{ X, Y int } = p
	anon.X = 50
	p2 := Point(anon)
	fmt.Println(p, p2, anon == struct{ X, Y int }{50, 2}, Point(anon) == p2, any(anon) == any(p2))
	fmt.Printf("%T %T %v %+v %#v\n", anon, px, px, anon, anon)
	fmt.Println(config.Limit.Max-config.Limit.Min, config.Tags, config.On["x"].N, config.On["none"].N)
	fmt.Println(config.Hook(4))
	c2 := config
	c2.Limit.Min = 100
	c2.Tags[0].V = "shared"
	fmt.Println(config.Limit, config.Tags[0], c2.Limit)
	for _, kv := range pairUp([]string{"q", "r", "s"}, 1, 2) {
		fmt.Print(kv.Key, kv.Val, " ")
	}
	fmt.Println()
	set := map[struct{ a, b string }][]int{}
	for i, s := range []string{"xy", "yx", "xy"} {
		k := struct{ a, b string }{s[:1], s[1:]}
		set[k] = append(set[k], i)
	}
	fmt.Println(len(set), set[struct{ a, b string }{"x", "y"}])
	var resp struct {
		OK   bool `json:"ok"`
		Data []struct {
			ID    int
			Inner *struct{ Deep [2]string }
		} `json:"data"`
		Err *struct{ Code int } `json:"err"`
	}
	err := json.Unmarshal([]byte(`{"ok":true,"data":[{"id":1,"inner":{"deep":["a","b"]}},{"ID":2}],"err":{"code":-1}}`), &resp)
	fmt.Println(err, resp.OK, len(resp.Data), resp.Data[0].Inner.Deep[1], resp.Data[1].Inner == nil, resp.Err.Code)
	ch := make(chan struct {
		n   int
		err error
	}, 2)
	for i := range 2 {
		n, err := abs(-i)
		ch <- struct {
			n   int
			err error
		}{n, err}
	}
	close(ch)
	for r := range ch {
		fmt.Print(r.n, r.err, " ")
	}
	n := Named{Label: "z", Point: Point{Y: 7}}
	n.X++
	n.hidden--
	fmt.Println(n, n.Y, n.Point.X, n == Named{Point{1, 7}, struct1{-1}, "z"})
	fn := struct {
		name string
		do   func(...any) string
	}{"sprint", fmt.Sprint}
	fmt.Println(fn.do(fn.name, 1, 2), [...]struct{}{{}, {}}, struct{}{} == struct{}{})
}
