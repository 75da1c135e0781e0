package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type key struct{}

// body counts what is read of it.
type body struct {
	io.Reader
	n      int
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.n += n
	return n, err
}
func (b *body) Close() error { b.closed = true; return nil }

func main() {
	req, err := http.NewRequest("POST", "https://shop.example/orders?sort=up&page=2", strings.NewReader(`{"id":7}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("content-type", "application/json")
	req.SetBasicAuth("ann", "pa:ss")
	req.AddCookie(&http.Cookie{Name: "session", Value: "42"})
	fmt.Println(req.Method, req.URL.Host, req.URL.Query()["page"], req.ContentLength, req.Host)
	user, pass, ok := req.BasicAuth()
	fmt.Println(user, pass, ok, req.UserAgent() == "", req.Header.Get("Content-Type"))
	fmt.Println(req.Cookies()[0].Value)
	if c, err := req.Cookie("none"); errors.Is(err, http.ErrNoCookie) {
		fmt.Println(c, err)
	}
	var wire bytes.Buffer
	fmt.Println(req.Write(&wire))
	fmt.Printf("%q\n", wire.String())

	back, err := http.ReadRequest(bufio.NewReader(&wire))
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := io.ReadAll(back.Body)
	fmt.Println(string(data), err, back.RequestURI, back.ProtoMajor, back.Header["Cookie"], back.FormValue("sort"))

	ctx := context.WithValue(context.Background(), key{}, "deep")
	b := &body{Reader: strings.NewReader("name=Ann+Lee&n=1&n=2")}
	req, err = http.NewRequestWithContext(ctx, http.MethodPut, "http://x.example/form?n=3", b)
	fmt.Println(err, req.Context().Value(key{}), req.ContentLength)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	fmt.Println(req.ParseForm(), req.Form["n"], req.PostForm.Get("name"), req.PostFormValue("n"), b.n, b.closed)
	two := req.Clone(context.Background())
	two.URL.Path = "/other"
	fmt.Println(req.URL.Path, two.URL, two.Context().Value(key{}))

	_, err = http.NewRequest("BAD METHOD", "http://x", nil)
	fmt.Println(err)
	_, err = http.NewRequest("GET", "http://[::1", http.NoBody)
	fmt.Println(err)
	_, err = http.ReadRequest(bufio.NewReader(strings.NewReader("GET\r\n\r\n")))
	fmt.Println(err)

	answer := "HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b; Path=/; HttpOnly\r\nContent-Length: 5\r\n\r\nhello"
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	loc, err := res.Location()
	fmt.Println(res.Status, res.StatusCode == http.StatusFound, loc, err, res.Cookies()[0])
	text, _ := io.ReadAll(res.Body)
	fmt.Println(string(text))
	made := &http.Response{StatusCode: 404, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"X-A": {"1"}}, Body: io.NopCloser(strings.NewReader("gone")), ContentLength: 4}
	made.Write(os.Stdout)
	fmt.Println()

	r, err := http.NewRequest("POST", "http://x/up", strings.NewReader("--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nfile\r\n--B--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=B")
	parts, err := r.MultipartReader()
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		data, _ := io.ReadAll(p)
		fmt.Println(p.FormName(), p.FileName(), string(data))
	}
	r.Header.Del("Content-Type")
	_, err = r.MultipartReader()
	fmt.Println(errors.Is(err, http.ErrNotMultipart), err)
}
