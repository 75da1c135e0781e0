package main

import (
	"os"
	"text/template"
)

type D struct{ N string }

func (d D) Up() string { return "UP" }
func main()            { template.Must(template.New("x").Parse("{{.N}} {{.Up}}")).Execute(os.Stdout, D{"a"}) }
