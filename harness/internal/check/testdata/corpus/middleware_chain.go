// Middleware chains over handler funcs: logging, recovery, retry, timeout by fake clock, auth via context values.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

type Request struct {
	Path string
	Body string
}

type Response struct {
	Code int
	Body string
}

type Handler interface {
	Serve(context.Context, *Request) (Response, error)
}

type HandlerFunc func(context.Context, *Request) (Response, error)

func (f HandlerFunc) Serve(ctx context.Context, r *Request) (Response, error) { return f(ctx, r) }

type Middleware func(Handler) Handler

func Chain(h Handler, ms ...Middleware) Handler {
	for _, m := range slices.Backward(ms) {
		h = m(h)
	}
	return h
}

type ctxKey int

const (
	userKey ctxKey = iota
	traceKey
)

func Logging(log *[]string) Middleware {
	return func(next Handler) Handler {
		return HandlerFunc(func(ctx context.Context, r *Request) (resp Response, err error) {
			defer func(start int) {
				*log = append(*log, fmt.Sprintf("%s -> %d %v (%d nested)", r.Path, resp.Code, err, len(*log)-start))
			}(len(*log))
			return next.Serve(ctx, r)
		})
	}
}

type PanicError struct {
	Value any
	Path  string
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", p.Path, p.Value) }
func (p *PanicError) Unwrap() error { err, _ := p.Value.(error); return err }

func Recover(next Handler) Handler {
	return HandlerFunc(func(ctx context.Context, r *Request) (resp Response, err error) {
		defer func() {
			if v := recover(); v != nil {
				resp.Code, err = 500, &PanicError{v, r.Path}
			}
		}()
		return next.Serve(ctx, r)
	})
}

type temporary interface{ Temporary() bool }

type tempErr struct{ n int }

func (t tempErr) Error() string   { return fmt.Sprintf("temporary #%d", t.n) }
func (t tempErr) Temporary() bool { return t.n < 3 }

func Retry(max int, sleep func(time.Duration)) Middleware {
	return func(next Handler) Handler {
		return HandlerFunc(func(ctx context.Context, r *Request) (resp Response, err error) {
			var all []error
			for i := range max {
				resp, err = next.Serve(ctx, r)
				if err == nil {
					return
				}
				all = append(all, fmt.Errorf("attempt %d: %w", i+1, err))
				var t temporary
				if !errors.As(err, &t) || !t.Temporary() {
					break
				}
				sleep(100 * time.Millisecond << i)
			}
			return resp, errors.Join(all...)
		})
	}
}

var ErrAuth = errors.New("unauthorized")

func Auth(tokens map[string]string) Middleware {
	return func(next Handler) Handler {
		return HandlerFunc(func(ctx context.Context, r *Request) (Response, error) {
			tok, body, ok := strings.Cut(r.Body, ":")
			user, known := tokens[tok]
			if !ok || !known {
				return Response{Code: 401}, ErrAuth
			}
			cp := *r
			cp.Body = body
			return next.Serve(context.WithValue(ctx, userKey, user), &cp)
		})
	}
}

type Mux map[string]Handler

func (m Mux) Serve(ctx context.Context, r *Request) (Response, error) {
	if h, ok := m[r.Path]; ok {
		return h.Serve(ctx, r)
	}
	return Response{Code: 404}, fmt.Errorf("no route %q", r.Path)
}

func main() {
	var log []string
	var slept time.Duration
	n := 0
	mux := Mux{
		"/echo": HandlerFunc(func(ctx context.Context, r *Request) (Response, error) {
			user, _ := ctx.Value(userKey).(string)
			trace, ok := ctx.Value(traceKey).(int)
			return Response{200, fmt.Sprint(user, " said ", r.Body, trace, ok, ctx.Value("none"))}, nil
		}),
		"/flaky": HandlerFunc(func(context.Context, *Request) (Response, error) {
			n++
			return Response{Code: 503}, tempErr{n}
		}),
		"/boom": HandlerFunc(func(_ context.Context, r *Request) (Response, error) { return Response{Body: r.Body[:99]}, nil }),
		"/err":  HandlerFunc(func(context.Context, *Request) (Response, error) { panic(fmt.Errorf("lost: %w", context.Canceled)) }),
	}
	h := Chain(mux, Logging(&log), Recover, Retry(5, func(d time.Duration) { slept += d }), Logging(&log), Recover, Auth(map[string]string{"t1": "ann"}))
	ctx := context.WithValue(context.Background(), traceKey, 7)
	for _, r := range []Request{{"/echo", "t1:hi"}, {"/echo", "bad:hi"}, {"/flaky", "t1:"}, {"/boom", "t1:xyz"}, {"/err", "t1:"}, {"/none", "t1:"}} {
		resp, err := h.Serve(ctx, &r)
		var pe *PanicError
		fmt.Printf("%v err=%t auth=%t canceled=%t panic=%t body=%q\n", resp, err != nil, errors.Is(err, ErrAuth), errors.Is(err, context.Canceled), errors.As(err, &pe), r.Body)
	}
	fmt.Println(slept, n)
	fmt.Println(strings.ReplaceAll(strings.Join(log, "\n"), "\nattempt", " / attempt"))
}
