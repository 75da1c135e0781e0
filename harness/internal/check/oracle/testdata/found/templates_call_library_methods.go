package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	htemplate "html/template"
	"log"
	"os"
	"strings"
	"sync"
	"text/template"
	"time"
)

type P struct {
	A int `json:"a" xml:"aa"`
}

func (p P) Name() string { return fmt.Sprint("P", p.A) }

type alarm struct {
	*time.Timer
	Hour, D time.Duration
}

func run(text string, data any) {
	if err := template.Must(template.New("t").Parse(text+"\n")).Execute(os.Stdout, data); err != nil {
		fmt.Println("error:", err)
	}
}

func main() {
	p := P{3}
	run("{{.E.Encode .P}}", map[string]any{"E": json.NewEncoder(os.Stdout), "P": P{4}})
	run("{{.E.Encode .P}}", map[string]any{"E": xml.NewEncoder(os.Stdout), "P": P{4}})
	run("{{.D.Decode .P}} {{.P.A}} {{.P.Name}}", map[string]any{"D": json.NewDecoder(strings.NewReader(`{"a":9}`)), "P": &p})
	run("{{.D.Decode .P}} {{.P.A}}", map[string]any{"D": xml.NewDecoder(strings.NewReader(`<P><aa>8</aa></P>`)), "P": &p})
	run("{{.D.Decode .P}}", map[string]any{"D": json.NewDecoder(strings.NewReader(`{"a":"x"}`)), "P": &p})
	run("{{.D.Decode .P}}", map[string]any{"D": json.NewDecoder(strings.NewReader(`{}`)), "P": p})
	run("{{.D.Decode}}", map[string]any{"D": json.NewDecoder(strings.NewReader(`{}`))})
	run("{{.L.Println .P}}", map[string]any{"L": log.New(os.Stdout, "", 0), "P": p})
	run("{{.M.LoadAndDelete 1}}", map[string]any{"M": &sync.Map{}})

	inner := template.Must(template.New("y").Parse("{{.A}} {{.Name}} {{printf \"%T %v\" . .}} "))
	run("{{.T.Execute .W .P}}", map[string]any{"T": inner, "W": os.Stdout, "P": p})
	run("{{.T.ExecuteTemplate .W `y` .P}}", map[string]any{"T": inner, "W": os.Stdout, "P": &p})
	run("{{.T.Execute 1 .P}}", map[string]any{"T": inner, "P": p})
	page := htemplate.Must(htemplate.New("h").Parse("<script>var x = {{.}};</script>"))
	run("{{.T.Execute .W .P}}", map[string]any{"T": page, "W": os.Stdout, "P": p})
	fmt.Println(page.Execute(os.Stdout, p))
	_, err := page.Parse("more")
	fmt.Println(err)
	run("{{(.T.Parse `more`).Name}}", map[string]any{"T": page})

	timer := time.NewTimer(time.Hour)
	timer.Stop()
	run("{{.T.Reset .D}}", map[string]any{"T": timer, "D": 10 * time.Millisecond})
	<-timer.C
	run("{{.Reset .Hour}} {{.Stop}} {{.Timer.Reset .D}}", alarm{timer, time.Hour, 10 * time.Millisecond})
	<-timer.C
	ticker := time.NewTicker(time.Hour)
	ticker.Stop()
	run("{{.T.Reset 5}}", map[string]any{"T": ticker})
	run("{{range .}}{{.IsZero}}{{break}}{{end}}", time.After(10*time.Millisecond))
	run("{{range $i, $t := .C}}{{$i}} {{$t.IsZero}}{{break}}{{end}}", time.NewTimer(10*time.Millisecond))
}
