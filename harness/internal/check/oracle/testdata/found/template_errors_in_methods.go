package main

import (
	"errors"
	"fmt"
	"io"
	"text/template"
)

type node struct {
	Left *node
	List []int
}

func (n *node) Fail(i int) (int, error) { return i, errors.New("boom") }
func (n node) Join(a, b string) string  { return a + b }

func main() {
	for _, s := range []string{
		`{{.Nope}}`, `{{.Nope 1}}`, `{{.Fail 3}}`, `{{.Left.Fail 3}}`, `{{.Join "a"}}`, `{{printf "%d" (.Fail 2)}}`,
		`{{range .List}}{{.X}}{{end}}`, `{{with $x := .Fail 1}}{{end}}`, `{{if .Fail 1}}{{end}}`, `{{.List | .Fail}}`,
	} {
		t := template.Must(template.New("t").Parse(s))
		fmt.Println(s, t.Execute(io.Discard, &node{Left: &node{}, List: []int{1}}))
	}
}
