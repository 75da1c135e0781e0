package main

import (
	"fmt"
	"net/url"
	"sort"
	"text/template"
)

func show(s fmt.Stringer) { fmt.Println(s) }

type holder struct {
	l sort.Interface
	m any
}

func main() {
	var i sort.Interface = sort.IntSlice{3, 1}
	sort.Sort(i)
	fmt.Println(i, i.Len())
	sort.Sort(sort.Reverse(sort.IntSlice{1, 2}))
	h := holder{sort.Float64Slice{2, 1}, url.Values{"a": {"b"}}}
	fmt.Printf("%v %T %T\n", h.l, h.l, h.m)
	l := []sort.Interface{sort.IntSlice{2, 1}, sort.StringSlice{"b"}}
	for _, x := range l {
		sort.Sort(x)
		fmt.Println(x)
	}
	m := map[string]sort.Interface{"k": sort.IntSlice(nil)}
	fmt.Println(m["k"].Len())
	f := template.FuncMap{"x": func() int { return 1 }}
	var a any = f
	_, ok := a.(template.FuncMap)
	fmt.Println(len(f), ok)
	v := url.Values{"q": {"1", "2"}}
	v.Add("r", "3")
	fmt.Println(v.Encode(), v.Get("q"))
	ret := func() sort.Interface { return sort.StringSlice{"z", "y"} }
	fmt.Println(ret().Less(1, 0))
}
