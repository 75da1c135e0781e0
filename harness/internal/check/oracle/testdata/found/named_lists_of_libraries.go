package main

import (
	"fmt"
	"net/url"
	"sort"
)

func main() {
	fmt.Println(sort.IsSorted(sort.StringSlice{"a", "b"}))
	var x sort.Interface = sort.IntSlice{3, 1}
	sort.Sort(x)
	fmt.Println(x, sort.IsSorted(x))
	v := url.Values{"a": {"b"}}
	fmt.Println(v.Encode(), url.Values{"c": {"d"}}.Encode())
	sort.Sort(sort.Reverse(sort.IntSlice{1, 2}))
	fmt.Println(sort.SearchInts(sort.IntSlice{1, 2}, 2), sort.IntSlice{1, 2}.Len())
	s := sort.StringSlice{"b", "a"}
	sort.Sort(s)
	fmt.Println(s)
}

func init() {
	fmt.Println(len(make(url.Values)), make(sort.IntSlice, 3).Len(), append(sort.IntSlice{}, 3, 1).Len(), append(sort.StringSlice(nil), []string{"z"}...).Len())
	sort.Sort(append(sort.IntSlice(nil), 4))
	m := map[string]url.Values{"a": {"b": {"c"}}}
	fmt.Println(m["a"].Encode(), m["q"].Get("z"))
	l := []sort.IntSlice{{2, 1}, nil}
	sort.Sort(l[0])
	fmt.Println(l, l[0].Len())
	type w struct {
		sort.IntSlice
		V url.Values
	}
	x := w{sort.IntSlice{3, 2}, url.Values{"k": {"v"}}}
	sort.Sort(x)
	fmt.Println(x, x.V.Encode(), x.Len())
	f := url.Values{"g": {"h"}}.Encode
	fmt.Println(f(), (*&url.Values{"p": {"q"}}).Encode(), (&url.Values{"p": {"q"}}).Encode())
	var a any = url.Values{"z": nil}
	_, ok := a.(map[string][]string)
	fmt.Printf("%T %v %T\n", a, ok, make(url.Values))
	fmt.Println(sort.IntSlice{5, 4}[1:].Len(), x.IntSlice[:1].Len(), sort.IntSlice([]int{1}).Len())
	for k, v := range (url.Values{"r": {"s"}}) {
		fmt.Println(k, v)
	}
	fn := func(v url.Values) string { return v.Encode() }
	fmt.Println(fn(url.Values{"t": {"u"}}), fn(map[string][]string{"v": {"w"}}), fn(nil))
	defer fmt.Println(url.Values{"d": {"e"}}.Encode())
	go func(s sort.Interface) {}(sort.IntSlice{1})
	var i sort.Interface
	i = sort.Float64Slice{2, 1}
	sort.Sort(i)
	fmt.Println(i)
	switch y := i.(type) {
	case sort.Float64Slice:
		fmt.Println("f", y[0])
	}
	r := func() sort.Interface { return sort.StringSlice{"b"} }()
	fmt.Printf("%T %d\n", r, r.Len())
	ch := make(chan sort.Interface, 1)
	ch <- sort.IntSlice{9}
	fmt.Println(<-ch)
}
