package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	_ "time/tzdata"
)

type answer struct {
	Code int
	Head http.Header `json:"head"`
}

func main() {
	fmt.Println(http.StatusOK, http.StatusText(http.StatusTeapot), http.StatusText(799) == "", http.MethodPatch)
	a := answer{http.StatusNotFound, http.Header{"x-raw": {"1"}}}
	a.Head.Add("content-type", "a/b")
	a.Head.Add("Content-Type", "c")
	fmt.Println(a.Head.Get("CONTENT-TYPE"), a.Head.Values("content-type"), a.Head, http.CanonicalHeaderKey("x-a-b"))
	b, err := json.Marshal(a)
	fmt.Println(string(b), err)
	c := a.Head.Clone()
	c.Del("content-type")
	c.Set("b", "2")
	c.Write(os.Stdout)
	fmt.Printf("%T %v %d\n", c, slices.Equal(c["B"], []string{"2"}), len(a.Head))
	t, err := http.ParseTime("Sun, 06 Nov 1994 08:49:37 GMT")
	fmt.Println(t.Format(http.TimeFormat), err, t.Equal(time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC)))
	ck, err := http.ParseSetCookie("id=a3fWa; Path=/; Max-Age=60; HttpOnly; SameSite=Lax")
	fmt.Println(ck, err, ck.SameSite == http.SameSiteLaxMode, ck.MaxAge)
	cs, err := http.ParseCookie("a=1; b=2")
	fmt.Println(len(cs), cs[1].Value, err, (&http.Cookie{Name: "k", Value: "v w", Secure: true}).String())
	fmt.Println(http.DetectContentType([]byte("%PDF-1.5")), errors.Is(fmt.Errorf("x: %w", http.ErrNoCookie), http.ErrNoCookie))
	counts := map[int]int{}
	for f := range strings.FieldsSeq("200 404 200 503") {
		var n int
		fmt.Sscan(f, &n)
		counts[n]++
	}
	for _, n := range []int{200, 404, 503} {
		fmt.Printf("%d %-22s %d\n", n, http.StatusText(n), counts[n])
	}
	l, err := time.LoadLocation("Asia/Kolkata")
	fmt.Println(t.In(l), err)
}
