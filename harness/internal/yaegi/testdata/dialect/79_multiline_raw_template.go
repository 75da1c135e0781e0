package main

import (
	"os"
	"text/template"
)

type D struct {
	N string
	L []int
}

func (d D) Up() string { return "UP" }
func main() {
	t := template.Must(template.New("x").Parse("{{.N}} {{range .L}}{{.}},{{end}} {{.Up}}\n"))
	if err := t.Execute(os.Stdout, D{"a", []int{1, 2}}); err != nil {
		println(err.Error())
	}
}
