package main

import (
	"fmt"
	"sort"
	"strings"
)

func fib() func() int {
	a, b := 0, 1
	return func() int {
		defer func() { a, b = b, a+b }()
		return a
	}
}

func counter() (inc, dec func() int, get func() int) {
	n := 0
	inc = func() int { n++; return n }
	dec = func() int { n--; return n }
	get = func() int { return n }
	return
}

func compose[A, B, C any](f func(A) B, g func(B) C) func(A) C { return func(a A) C { return g(f(a)) } }

func curry3[A, B, C, R any](f func(A, B, C) R) func(A) func(B) func(C) R {
	return func(a A) func(B) func(C) R {
		return func(b B) func(C) R {
			return func(c C) R { return f(a, b, c) }
		}
	}
}

func memoize[K comparable, V any](f func(self func(K) V, k K) V) func(K) V {
	cache := map[K]V{}
	var self func(K) V
	self = func(k K) V {
		if v, ok := cache[k]; ok {
			return v
		}
		v := f(self, k)
		cache[k] = v
		return v
	}
	return self
}

type Middleware func(Handler) Handler
type Handler func(req *Request) Response
type Request struct {
	Path string
	User string
	vals map[string]any
}
type Response struct {
	Code int
	Body string
}

func Chain(h Handler, ms ...Middleware) Handler {
	for i := len(ms) - 1; i >= 0; i-- {
		h = ms[i](h)
	}
	return h
}

func Logger(log *[]string) Middleware {
	return func(next Handler) Handler {
		return func(req *Request) (resp Response) {
			defer func() {
				*log = append(*log, fmt.Sprintf("%s %s -> %d", req.User, req.Path, resp.Code))
			}()
			return next(req)
		}
	}
}

func Recover(next Handler) Handler {
	return func(req *Request) (resp Response) {
		defer func() {
			if r := recover(); r != nil {
				resp = Response{500, fmt.Sprint("recovered: ", r)}
			}
		}()
		return next(req)
	}
}

func Auth(allowed ...string) Middleware {
	sort.Strings(allowed)
	return func(next Handler) Handler {
		return func(req *Request) Response {
			i := sort.SearchStrings(allowed, req.User)
			if i == len(allowed) || allowed[i] != req.User {
				return Response{Code: 403}
			}
			req.vals["auth"] = true
			return next(req)
		}
	}
}

type Mux map[string]Handler

func (m Mux) Serve(req *Request) Response {
	best := ""
	for p := range m {
		if strings.HasPrefix(req.Path, p) && len(p) > len(best) {
			best = p
		}
	}
	if h, ok := m[best]; ok {
		return h(req)
	}
	return Response{404, "not found: " + req.Path}
}

func variadic(prefix string, xs ...any) string {
	if xs == nil {
		return prefix + "nil"
	}
	return fmt.Sprint(append([]any{prefix, len(xs)}, xs...)...)
}

func main() {
	f := fib()
	for range 10 {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	inc, dec, get := counter()
	inc()
	inc()
	dec()
	fmt.Println(get(), inc()+inc()*10, get())
	lenThenHex := compose(func(s string) int { return len(s) * 37 }, func(i int) string { return fmt.Sprintf("%#x", i) })
	fmt.Println(lenThenHex("hello"), curry3(func(a int, b string, c float64) string { return fmt.Sprint(a, b, c) })(1)("x")(2.5))
	paths := memoize(func(self func([2]int) int, p [2]int) int {
		if p[0] == 0 || p[1] == 0 {
			return 1
		}
		return self([2]int{p[0] - 1, p[1]}) + self([2]int{p[0], p[1] - 1})
	})
	fmt.Println(paths([2]int{16, 16}))
	var log []string
	mux := Mux{
		"/":      func(r *Request) Response { return Response{200, "root"} },
		"/crash": func(r *Request) Response { var p *Request; return Response{Body: p.Path} },
		"/api/":  func(r *Request) Response { return Response{201, fmt.Sprint(r.vals["auth"], len(r.vals))} },
	}
	h := Chain(mux.Serve, Logger(&log), Recover, Auth("zoe", "ann"))
	for _, r := range []Request{{Path: "/x", User: "ann"}, {Path: "/api/v1", User: "zoe"}, {Path: "/", User: "eve"}, {Path: "/crash/1", User: "ann"}, {Path: "x", User: "ann"}} {
		r.vals = map[string]any{}
		fmt.Printf("%+v\n", h(&r))
	}
	fmt.Println(strings.Join(log, "; "))
	fmt.Println(variadic("a"), variadic("b", nil), variadic("c", 1, "x"), variadic("d", []any{1, 2}...), variadic("e", []any{}...))
	x := 1
	{
		x := x + 1
		x++
		if x := x * 2; x > 5 {
			fmt.Println("inner", x)
		} else if y := x; y > 0 {
			fmt.Println(y)
		}
		_ = x
	}
	fmt.Println(x)
	acc := []func(){}
	for i, s := range []string{"a", "b"} {
		for j := 0; j < 2; j++ {
			acc = append(acc, func() { fmt.Print(i, s, j, " ") })
		}
	}
	for _, g := range acc {
		g()
	}
	fmt.Println()
	a, b, c := 1, 2, 3
	a, b, c = c, a, b
	arr := []int{0, 1, 2}
	i := 0
	i, arr[i] = 2, 9
	arr[0], arr[2] = arr[2], arr[0]
	fmt.Println(a, b, c, i, arr)
	func(xs ...int) { xs[0] = 100 }(arr...)
	fmt.Println(arr)
}
