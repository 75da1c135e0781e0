package main

import (
	"fmt"
	"io/fs"
	"net"
	"net/textproto"
	"net/url"
	"sort"
	"strings"
	"text/template"
	"unicode"
)

type server struct {
	q   url.Values
	ips []net.IP
	fn  template.FuncMap
}

func encode(v url.Values) string { return v.Encode() }

func id[T any](x T) T { return x }

func main() {
	fmt.Println(url.Values{"a": {"1"}, "b": {"x y", "z"}}.Encode(), url.Values{}.Get("a"))
	fmt.Println(sort.StringSlice{"b", "a"}.Len(), net.IP{1, 2, 3, 4}.String(), net.IPMask{255, 255, 0, 0}.String())
	fmt.Println(textproto.MIMEHeader{"A": {"x"}}.Get("a"), net.IP{1, 2, 3, 4})
	list := []string{"b", "c", "a"}
	sort.Sort(sort.Reverse(sort.StringSlice(list)))
	fmt.Println(list)
	s := sort.IntSlice{3, 1, 2}
	sort.Sort(sort.Reverse(s))
	fmt.Println(s, encode(url.Values{"k": []string{"v"}}), encode(map[string][]string{"m": {"n"}}))
	sort.Sort(sort.Reverse(sort.IntSlice{2, 1}))
	x := server{q: url.Values{"p": {"1"}}, ips: []net.IP{{1, 1, 1, 1}, {2, 2, 2, 2}}, fn: template.FuncMap{"up": strings.ToUpper}}
	fmt.Println(x.q.Encode(), x.ips, len(x.fn))
	fmt.Printf("%T %v %#v\n", url.Values{"a": nil}, url.Values{"a": nil}, url.Values{"a": {"b"}})
	fmt.Printf("%T %T\n", id(url.Values{}), []any{sort.StringSlice{"q"}, net.IP{1, 2, 3, 4}})
	p := &url.Values{"a": {"b"}}
	p.Add("a", "c")
	fmt.Println(p.Encode(), (*p)["a"])
	var i fmt.Stringer = net.IP{9, 8, 7, 6}
	fmt.Println(i)
	m := map[string]url.Values{"x": {"y": {"z"}}}
	fmt.Println(m["x"].Get("y"), m["none"].Get("y"))
	for k, v := range (url.Values{"only": {"1", "2"}}) {
		fmt.Println(k, v)
	}
	fmt.Println(unicode.SpecialCase{}.ToUpper('a') == 'A', fs.FileMode(0o644))
	t := template.Must(template.New("t").Funcs(template.FuncMap{"up": strings.ToUpper, "add": func(a, b int) int { return a + b }}).Parse(`{{up "x"}} {{add 1 2}}`))
	var b strings.Builder
	fmt.Println(t.Execute(&b, nil), b.String())
	u := url.URL{Scheme: "https", Host: "h", Path: "/p", RawQuery: url.Values{"q": {"go"}}.Encode()}
	fmt.Println(u.String(), u.Query()["q"])
}
