package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestBooksAreLentOnceAndComeBack(t *testing.T) {
	h := newLibrary("k")
	for _, x := range []struct {
		method, path, key, body string
		status                  int
		want                    string
	}{
		{"GET", "/openapi.json", "", "", 200, `"openapi": "3.1.0"`},
		{"GET", "/v1/books", "", "", 401, "X-Library-Key"},
		{"GET", "/v1/books", "demo", "", 401, "X-Library-Key"},
		{"GET", "/v1/books?author=LEM&lent=false", "k", "", 200, `{"books":[{"number":4,"title":"The Cyberiad"`},
		{"GET", "/v1/books?author=nobody", "k", "", 200, `{"books":[]}`},
		{"PUT", "/v1/books/4/loan", "k", `{"reader": "Cy"}`, 200, `"reader":"Cy"`},
		{"PUT", "/v1/books/4/loan", "k", `{"reader": "Di"}`, 409, "Cy has borrowed it"},
		{"PUT", "/v1/books/4/loan", "k", `{}`, 400, "reader"},
		{"DELETE", "/v1/books/4/loan", "k", "", 200, `"number":4`},
		{"PUT", "/v1/books/4/loan", "k", `{"reader": "Di"}`, 200, `"reader":"Di"`},
		{"POST", "/v1/books", "k", `{"title": "Roadside Picnic", "author": "A. and B. Strugatsky", "year": 1972, "reader": "me"}`, 201, `{"number":6,"title":"Roadside Picnic","author":"A. and B. Strugatsky","year":1972}`},
		{"POST", "/v1/books", "k", `{"title": ""}`, 400, "title and author"},
		{"POST", "/v1/books", "k", `{"title": "` + strings.Repeat("x", maxBody) + `"}`, 400, "want a JSON object"},
		{"DELETE", "/v1/books/7/loan", "k", "", 404, "the numbers 1 to 6"},
		{"DELETE", "/v1/books/x/loan", "k", "", 404, "there is no book"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(x.method, x.path, strings.NewReader(x.body))
		r.Header.Set("X-Library-Key", x.key)
		h.ServeHTTP(w, r)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.want) {
			t.Errorf("%s %s %.80s: %d %s, want %d …%s…", x.method, x.path, x.body, w.Code, w.Body, x.status, x.want)
		}
	}
}

func TestItSaysWhereItsDocumentIs(t *testing.T) {
	r, w := io.Pipe()
	go run(t.Context(), []string{"-addr", "127.0.0.1:0"}, "k", w, io.Discard)
	line := make([]byte, 100)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(strings.TrimSpace(string(line[:n])))
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	res.Body.Close()
	if code := run(t.Context(), []string{"-nope"}, "", io.Discard, io.Discard); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
