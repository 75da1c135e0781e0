// What encoders, templates and slog write of types that are declared as a struct of the library with fields that are not exported.
package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"log/slog"
	"math/big"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	ttemplate "text/template"
	"time"
)

type (
	Raw  time.Time
	Num  big.Int
	Ad   netip.Addr
	Link url.URL
	Buf  bytes.Buffer
)

type rec struct {
	R  Raw
	P  *Raw
	N  Num  `json:"n"`
	NP *Num `xml:"np" json:"np"`
	A  Ad
}

func main() {
	t := time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)
	r := Raw(t)
	n := Num(*big.NewInt(300))
	v := rec{r, &r, n, &n, Ad(netip.MustParseAddr("1.2.3.4"))}
	for _, x := range []any{r, &r, v, &v, []Raw{r}, map[string]Raw{"a": r}, map[string]*Num{"n": &n}, Link{Host: "h"}, &Link{Host: "p"}} {
		b, err := json.Marshal(x)
		fmt.Println(string(b), err)
		b, err = xml.Marshal(x)
		fmt.Println(string(b), err)
	}
	_, err := json.Marshal(map[Raw]int{r: 1})
	fmt.Println(err)
	var back rec
	fmt.Println(json.Unmarshal([]byte(`{"R":{},"P":{"wall":1},"n":{},"np":null}`), &back), back.P != nil, back.R == Raw{})
	fmt.Println(json.Unmarshal([]byte(`{"R":"2024-02-28T12:00:00Z"}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"n":5}`), &back))
	fmt.Println(xml.Unmarshal([]byte(`<rec><R>x</R><np>7</np></rec>`), &back), back.NP != nil)
	fmt.Println(ttemplate.Must(ttemplate.New("").Parse("{{.R}}  {{printf \"%v\" .R}}\n")).Execute(os.Stdout, v))
	fmt.Println(template.Must(template.New("").Parse("{{.R}}<script>{{.R}}</script>\n")).Execute(os.Stdout, v))
	fmt.Println(ttemplate.Must(ttemplate.New("").Parse("{{.R.Year}}\n")).Execute(os.Stdout, v))
	rep := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "time" {
			return slog.Attr{}
		}
		return a
	}
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: rep})).Info("m", "r", r, "n", n)
	slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: rep})).Info("m", "r", r, "p", &r, "n", &n)
	fmt.Println(n, v.A == Ad(netip.MustParseAddr("1.2.3.4")), reflect.DeepEqual(n, Num(*big.NewInt(300))))
	fmt.Println(Buf{}, []Buf{}, fmt.Sprint(struct{ R Raw }{r}), fmt.Sprintf("%+v", struct {
		R Raw
		N Num
	}{r, n}))
	fmt.Println(Link{Scheme: "s", Host: "h"}, &Link{Path: "/x"}, url.URL(Link{Path: "/y"}).Path)
	fmt.Printf("%#v\n", Ad{})
}
