package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Method string
type Header map[string][]string

func (h Header) Add(k, v string) { h[canon(k)] = append(h[canon(k)], v) }
func (h Header) Get(k string) string {
	if v := h[canon(k)]; len(v) > 0 {
		return v[0]
	}
	return ""
}
func canon(s string) string {
	parts := strings.Split(strings.ToLower(s), "-")
	for i, p := range parts {
		if p != "" {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "-")
}

type Request struct {
	Method Method
	URL    *url.URL
	Header Header
	Body   io.Reader
}
type Response struct {
	Status int
	Header Header
	Body   io.ReadCloser
}
type RoundTripper interface {
	RoundTrip(context.Context, *Request) (*Response, error)
}
type RTFunc func(context.Context, *Request) (*Response, error)

func (f RTFunc) RoundTrip(ctx context.Context, r *Request) (*Response, error) { return f(ctx, r) }

type closeTracker struct {
	io.Reader
	closed *int
}

func (c closeTracker) Close() error { *c.closed++; return nil }

type APIError struct {
	Status  int               `json:"-"`
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Details map[string]string `json:"details,omitempty"`
}

func (e *APIError) Error() string   { return fmt.Sprintf("api %d %s: %s", e.Status, e.Code, e.Message) }
func (e *APIError) Temporary() bool { return e.Status >= 500 || e.Status == 429 }

type Client struct {
	base  *url.URL
	rt    RoundTripper
	token string
	sleep func(time.Duration)
}

func Do[Out any](ctx context.Context, c *Client, m Method, path string, query url.Values, in any) (out Out, err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return out, fmt.Errorf("encode: %w", err)
		}
	}
	u := c.base.ResolveReference(&url.URL{Path: path, RawQuery: query.Encode()})
	for attempt := 1; ; attempt++ {
		req := &Request{m, u, Header{}, bytes.NewReader(body)}
		req.Header.Add("authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.token)))
		resp, e := c.rt.RoundTrip(ctx, req)
		if e != nil {
			return out, &url.Error{Op: string(m), URL: u.String(), Err: e}
		}
		out, err = decode[Out](resp)
		ae, ok := errors.AsType[*APIError](err)
		if !ok || !ae.Temporary() || attempt == 3 {
			return out, err
		}
		d := time.Duration(attempt) * 100 * time.Millisecond
		if s, perr := strconv.Atoi(resp.Header.Get("retry-after")); perr == nil {
			d = time.Duration(s) * time.Second
		}
		c.sleep(d)
	}
}

func decode[Out any](r *Response) (out Out, err error) {
	defer func() { err = errors.Join(err, r.Body.Close()) }()
	if r.Status/100 != 2 {
		ae := &APIError{Status: r.Status}
		if e := json.NewDecoder(r.Body).Decode(ae); e != nil {
			ae.Code, ae.Message = "unknown", e.Error()
		}
		return out, ae
	}
	err = json.NewDecoder(r.Body).Decode(&out)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return
}

type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next"`
}
type User struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func pages[T any](ctx context.Context, c *Client, path string) func(func(T, error) bool) {
	return func(yield func(T, error) bool) {
		q := url.Values{"limit": {"2"}}
		for {
			p, err := Do[Page[T]](ctx, c, "GET", path, q, nil)
			if err != nil {
				var z T
				yield(z, err)
				return
			}
			for _, it := range p.Items {
				if !yield(it, nil) {
					return
				}
			}
			if p.Next == "" {
				return
			}
			q.Set("cursor", p.Next)
		}
	}
}

func main() {
	closed, calls := 0, 0
	var slept []time.Duration
	server := RTFunc(func(ctx context.Context, r *Request) (*Response, error) {
		calls++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := Header{}
		reply := func(status int, body string) (*Response, error) {
			return &Response{status, h, closeTracker{strings.NewReader(body), &closed}}, nil
		}
		switch r.URL.Path {
		case "/v1/users":
			if r.Method == "POST" {
				b, _ := io.ReadAll(r.Body)
				return reply(201, strings.Replace(string(b), `"id":0`, `"id":42`, 1))
			}
			switch r.URL.Query().Get("cursor") {
			case "":
				return reply(200, `{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"next":"p 2"}`)
			case "p 2":
				return reply(200, `{"items":[{"id":3,"name":"c"}]}`)
			}
		case "/v1/flaky":
			if calls%3 != 0 {
				h.Add("Retry-AFTER", strconv.Itoa(calls))
				return reply(503, `{"code":"busy","message":"try","details":{"k":"v"}}`)
			}
			return reply(204, "")
		case "/v1/html":
			return reply(500, "<html>")
		}
		return reply(404, `{"code":"nf","message":"no `+r.URL.RequestURI()+`"}`)
	})
	base, _ := url.Parse("https://api.test/v1/")
	c := &Client{base, server, "u:p", func(d time.Duration) { slept = append(slept, d) }}
	ctx, cancel := context.WithCancel(context.Background())
	u, err := Do[User](ctx, c, "POST", "users", nil, User{Name: "new"})
	fmt.Println(u, err)
	for u, err := range pages[User](ctx, c, "users") {
		fmt.Print(u, err, " ")
	}
	fmt.Println(calls)
	_, err = Do[map[string]any](ctx, c, "GET", "flaky", nil, nil)
	fmt.Println(err, slept)
	_, err = Do[[]int](ctx, c, "GET", "html", nil, nil)
	fmt.Println(err)
	_, err = Do[User](ctx, c, "DELETE", "nope/x", url.Values{"q": {"a b"}}, nil)
	ae, ok := errors.AsType[*APIError](err)
	fmt.Println(err, ok, ae.Code)
	_, err = Do[User](ctx, c, "PUT", "x", nil, func() {})
	fmt.Println(err)
	cancel()
	_, err = Do[User](ctx, c, "GET", "users", nil, nil)
	var ue *url.Error
	fmt.Println(err, errors.Is(err, context.Canceled), errors.As(err, &ue), closed, len(slept))
	h := Header{}
	h.Add("x-b", "1")
	h.Add("X-B", "2")
	h.Add("a", "3")
	fmt.Println(h, slices.Sorted(maps.Keys(h)), h.Get("zz") == "")
}
