// A request parser over bufio.Reader with chunked bodies and header maps, all in memory.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type Header map[string][]string

func (h Header) Add(k, v string) {
	k = textproto.CanonicalMIMEHeaderKey(k)
	h[k] = append(h[k], v)
}
func (h Header) Get(k string) string {
	if v := h[textproto.CanonicalMIMEHeaderKey(k)]; len(v) > 0 {
		return v[0]
	}
	return ""
}

type Request struct {
	Method string
	URL    *url.URL
	Header
	Body io.Reader
}

type ProtoError struct {
	Status int
	Msg    string
}

func (p ProtoError) Error() string { return strconv.Itoa(p.Status) + " " + p.Msg }
func (p ProtoError) Is(target error) bool {
	t, ok := target.(ProtoError)
	return ok && t.Status == p.Status && t.Msg == ""
}

type chunked struct {
	r    *bufio.Reader
	left int64
	err  error
}

func (c *chunked) Read(p []byte) (n int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	defer func() { c.err = err }()
	if c.left == 0 {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		if c.left, err = strconv.ParseInt(size, 16, 32); err != nil {
			return 0, ProtoError{400, "bad chunk size " + strconv.Quote(size)}
		}
		if c.left == 0 {
			return 0, io.EOF
		}
	}
	n, err = c.r.Read(p[:min(int64(len(p)), c.left)])
	if c.left -= int64(n); c.left == 0 && err == nil {
		_, err = c.r.Discard(2)
	}
	return
}

func Parse(r *bufio.Reader) (req *Request, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	req = &Request{Header: Header{}}
	var target, proto string
	if n, _ := fmt.Sscan(line, &req.Method, &target, &proto); n != 3 {
		return req, ProtoError{400, fmt.Sprintf("bad request line %q", strings.TrimSpace(line))}
	}
	if !strings.HasPrefix(proto, "HTTP/1.") {
		return req, ProtoError{505, proto}
	}
	if req.URL, err = url.ParseRequestURI(target); err != nil {
		return req, fmt.Errorf("target: %w", err)
	}
	for {
		l, err := r.ReadString('\n')
		if err != nil {
			return req, io.ErrUnexpectedEOF
		}
		l = strings.TrimRight(l, "\r\n")
		if l == "" {
			break
		}
		k, v, ok := strings.Cut(l, ":")
		if !ok {
			return req, ProtoError{400, "header without colon"}
		}
		req.Add(k, strings.TrimSpace(v))
	}
	switch cl := req.Get("content-length"); {
	case strings.EqualFold(req.Get("transfer-encoding"), "chunked"):
		req.Body = &chunked{r: r}
	case cl != "":
		n, err := strconv.ParseInt(cl, 10, 64)
		if err != nil {
			return req, ProtoError{411, err.Error()}
		}
		req.Body = io.LimitReader(r, n)
	default:
		req.Body = strings.NewReader("")
	}
	return
}

func main() {
	raw := "GET /a%20b?q=1&q=2&z=%26#f HTTP/1.1\nhost: x.y\nx-tag: 1\nX-TAG: 2\n\n" +
		"POST /p HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello" +
		"PUT /c HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nWiki\r\n6;x=1\r\npedia \r\nB\r\nin \r\nchunks\r\n0\r\n"
	br := bufio.NewReaderSize(strings.NewReader(raw), 16)
	for {
		req, err := Parse(br)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println("error", err)
			break
		}
		body, err := io.ReadAll(req.Body)
		fmt.Printf("%s %q %v %q %v\n", req.Method, req.URL.Path, req.URL.Query(), body, err)
		for _, k := range slices.Sorted(maps.Keys(req.Header)) {
			fmt.Printf("  %s: %q\n", k, req.Header[k])
		}
	}
	for _, bad := range []string{"nonsense\n", "GET / HTTP/2\n", "GET /x HTTP/1.1\nno colon\n\n", "GET /%zz HTTP/1.1\n", "GET / HTTP/1.1\nA: b", "P / HTTP/1.1\ncontent-length: x\n\n",
		"P / HTTP/1.1\ntransfer-encoding: chunked\n\n3\nabc\r\nzz\n", "P / HTTP/1.1\ntransfer-encoding: chunked\n\n9\nabc"} {
		req, err := Parse(bufio.NewReader(strings.NewReader(bad)))
		if err == nil {
			b, rerr := io.ReadAll(req.Body)
			fmt.Printf("body %q %v\n", b, rerr)
			continue
		}
		fmt.Println(err, errors.Is(err, ProtoError{Status: 400}), req.Method)
	}
}
