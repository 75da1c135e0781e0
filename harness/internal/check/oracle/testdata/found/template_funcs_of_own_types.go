package main

import (
	"fmt"
	"os"
	"text/template"
)

type temp float64

func (t temp) String() string { return fmt.Sprintf("%.1f°", float64(t)) }

type event struct{ Name string }

func main() {
	t := template.Must(template.New("t").Funcs(template.FuncMap{
		"temp": func(f float64) temp { return temp(f) },
		"name": func(e event) string { return "<" + e.Name + ">" },
	}).Parse("{{temp 1.5}} {{range .}}{{name .}}{{end}}\n"))
	fmt.Println(t.Execute(os.Stdout, []event{{"a"}, {"b"}}))
}
