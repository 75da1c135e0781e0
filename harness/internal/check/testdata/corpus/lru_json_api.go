package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"
)

type Method string
type Request struct {
	Method Method
	URL    *url.URL
	Body   []byte
	Params map[string]string
	ctx    map[any]any
}
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}
type HandlerFunc func(*Request) (*Response, error)
type Middleware func(HandlerFunc) HandlerFunc
type HTTPError struct {
	Code int
	Msg  string
}

func (h *HTTPError) Error() string { return strconv.Itoa(h.Code) + " " + h.Msg }

type route struct {
	method Method
	segs   []string
	h      HandlerFunc
}
type Router struct {
	routes []route
	mws    []Middleware
}

func (r *Router) Handle(pattern string, h HandlerFunc) {
	m, p, _ := strings.Cut(pattern, " ")
	r.routes = append(r.routes, route{Method(m), strings.Split(strings.Trim(p, "/"), "/"), h})
}
func (rt route) match(req *Request) (map[string]string, bool) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if rt.method != req.Method {
		return nil, false
	}
	params := map[string]string{}
	for i, s := range rt.segs {
		if name, ok := strings.CutPrefix(s, "*"); ok {
			params[name] = strings.Join(parts[i:], "/")
			return params, true
		}
		if i >= len(parts) {
			return nil, false
		}
		if s[0] == '{' {
			params[s[1:len(s)-1]] = parts[i]
		} else if s != parts[i] {
			return nil, false
		}
	}
	return params, len(parts) == len(rt.segs)
}
func (r *Router) Serve(method, raw, body string) *Response {
	u, err := url.Parse(raw)
	if err != nil {
		return &Response{Status: 400, Body: err.Error()}
	}
	req := &Request{Method: Method(method), URL: u, Body: []byte(body), ctx: map[any]any{}}
	h := func(*Request) (*Response, error) { return nil, &HTTPError{404, "no route " + u.Path} }
	for _, rt := range r.routes {
		if p, ok := rt.match(req); ok {
			req.Params = p
			h = rt.h
			break
		}
	}
	for i := len(r.mws) - 1; i >= 0; i-- {
		h = r.mws[i](h)
	}
	res, err := h(req)
	var he *HTTPError
	switch {
	case errors.As(err, &he):
		return &Response{Status: he.Code, Body: map[string]string{"error": he.Msg}}
	case err != nil:
		return &Response{Status: 500, Body: err.Error()}
	}
	return res
}

type Todo struct {
	ID    int      `json:"id"`
	Title string   `json:"title"`
	Done  bool     `json:"done"`
	Tags  []string `json:"tags"`
}
type todos struct {
	m    map[int]*Todo
	next int
}

func (t *todos) create(r *Request) (*Response, error) {
	var in Todo
	dec := json.NewDecoder(bytes.NewReader(r.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("decode: %w", &HTTPError{400, err.Error()})
	}
	t.next++
	in.ID = t.next
	t.m[in.ID] = &in
	return &Response{201, map[string]string{"Location": fmt.Sprintf("/todos/%d", in.ID)}, in}, nil
}
func (t *todos) one(r *Request) (*Response, error) {
	id, err := strconv.Atoi(r.Params["id"])
	if err != nil {
		return nil, err
	}
	td, ok := t.m[id]
	if !ok {
		return nil, &HTTPError{404, fmt.Sprintf("todo %d", id)}
	}
	if r.Method == "PATCH" {
		if err := json.Unmarshal(r.Body, td); err != nil {
			return nil, err
		}
	}
	return &Response{Status: 200, Body: td}, nil
}
func (t *todos) list(r *Request) (*Response, error) {
	q := r.URL.Query()
	out := []*Todo{}
	for _, td := range t.m {
		if q.Has("done") && strconv.FormatBool(td.Done) != q.Get("done") {
			continue
		}
		out = append(out, td)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	if r.ctx["user"] == "anon" {
		out = out[:min(1, len(out))]
	}
	return &Response{Status: 200, Body: out}, nil
}

func main() {
	td := &todos{m: map[int]*Todo{}}
	var log []string
	r := &Router{mws: []Middleware{
		func(next HandlerFunc) HandlerFunc {
			return func(req *Request) (res *Response, err error) {
				defer func() {
					if p := recover(); p != nil {
						res, err = nil, fmt.Errorf("panic: %v", p)
					}
					log = append(log, fmt.Sprint(req.Method, req.URL.Path, err == nil))
				}()
				return next(req)
			}
		},
		func(next HandlerFunc) HandlerFunc {
			return func(req *Request) (*Response, error) {
				req.ctx["user"] = req.URL.Query().Get("user")
				return next(req)
			}
		},
	}}
	r.Handle("POST /todos", td.create)
	r.Handle("GET /todos", td.list)
	r.Handle("GET /todos/{id}", td.one)
	r.Handle("PATCH /todos/{id}", td.one)
	r.Handle("GET /static/*path", func(r *Request) (*Response, error) {
		return &Response{Status: 200, Body: r.Params}, nil
	})
	r.Handle("GET /boom", func(r *Request) (*Response, error) { var t *Todo; return &Response{Body: t.Title}, nil })
	for _, c := range [][3]string{
		{"POST", "/todos", `{"title":"buy <milk> & eggs","tags":["a"]}`}, {"POST", "/todos", `{"title":"x","done":true}`}, {"POST", "/todos", `{"titel":"x"}`},
		{"POST", "/todos", `{"title":5}`}, {"POST", "/todos", `{`}, {"GET", "/todos?done=true", ""}, {"GET", "/todos?user=anon", ""}, {"PATCH", "/todos/1", `{"done":true,"tags":null}`},
		{"GET", "/todos/9", ""}, {"GET", "/todos/abc", ""}, {"GET", "/static/css/a%20b.css", ""}, {"GET", "/boom", ""}, {"DELETE", "/x", ""}, {"GET", "::bad", ""}, {"GET", "/todos/", ""},
	} {
		res := r.Serve(c[0], c[1], c[2])
		b, err := json.Marshal(res)
		fmt.Println(string(b), err)
	}
	fmt.Println(strings.Join(log, " "))
	v := url.Values{"q": {"a b&c"}, "n": {"1", "2"}}
	u := url.URL{Scheme: "https", Host: "ex.com:8080", Path: "/p q", RawQuery: v.Encode(), Fragment: "f"}
	fmt.Println(u.String(), u.Hostname(), u.Port(), url.PathEscape("a/b c"), u.JoinPath("../z"))
}
