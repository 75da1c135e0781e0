package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"
)

type call struct {
	*http.Request
	tries int
}

func (c call) describe() string { return fmt.Sprintf("%s %s (%d)", c.Method, c.URL, c.tries) }

type step func(*http.Request) error

func header(k, v string) step {
	return func(r *http.Request) error { r.Header.Set(k, v); return nil }
}

type signer interface{ sign(*http.Request) string }

type hmacLike struct{ key string }

func (h hmacLike) sign(r *http.Request) string {
	names := make([]string, 0, len(r.Header))
	for n := range r.Header {
		names = append(names, strings.ToLower(n))
	}
	sort.Strings(names)
	return h.key + ":" + r.Method + ":" + r.URL.EscapedPath() + ":" + strings.Join(names, ";")
}

func build(method, to string, body any, steps ...step) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, to, r)
	if err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	for _, s := range steps {
		if err := s(req); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func main() {
	req, err := build("PATCH", "https://x.example/a b/c?q=1", map[string]int{"n": 1}, header("X-Date", "now"), header("accept", "text/html"))
	fmt.Println(err)
	var s signer = hmacLike{"k"}
	fmt.Println(s.sign(req), req.TLS == nil, req.Close, len(req.TransferEncoding))
	if body, err := req.GetBody(); err == nil {
		b, _ := io.ReadAll(body)
		fmt.Println(string(b))
	}
	c := call{req, 2}
	c.Header.Add("X-Date", "later")
	fmt.Println(c.describe(), c.Header.Values("x-date"), c.Request == req)
	lit := &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: "h", Path: "/p"}, Header: http.Header{"A": {"b"}}}
	fmt.Println(lit.URL, lit.Header, lit.Referer() == "")
	lit = lit.WithContext(req.Context())
	byHost := map[string][]*http.Request{}
	for _, r := range []*http.Request{req, lit, nil} {
		if r != nil {
			byHost[r.URL.Host] = append(byHost[r.URL.Host], r)
		}
	}
	fmt.Println(len(byHost["h"]), len(byHost["x.example"]), byHost["none"] == nil)
	var v any = req
	switch r := v.(type) {
	case *http.Response:
		fmt.Println("response", r.Status)
	case *http.Request:
		fmt.Println("request", r.Method)
	}
	fmt.Printf("%T %T %T\n", v, http.NoBody, *lit.URL)
	res := http.Response{Request: req, StatusCode: http.StatusTeapot, Header: http.Header{}}
	res.Header.Set("Location", "../d")
	u, err := res.Location()
	fmt.Println(u, err, res.ProtoAtLeast(1, 0), http.StatusText(res.StatusCode))
	_, err = build("GET", "http://x:bad", nil)
	var ue *url.Error
	fmt.Println(err, ue == nil)
}
