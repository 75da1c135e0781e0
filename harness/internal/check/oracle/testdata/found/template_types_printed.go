package main

import (
	"fmt"
	"os"
	"text/template"
)

type shape interface{ Area() float64 }

type square struct{ S float64 }

func (s square) Area() float64 { return s.S * s.S }

type circle struct{ R float64 }

func (c *circle) Area() float64 { return 3 * c.R * c.R }

type level int

func (level) String() string { return "level" }

func main() {
	data := map[string]any{"Shapes": []shape{square{2}, &circle{1}}, "L": level(3), "N": 7}
	for _, text := range []string{
		`{{range .Shapes}}{{printf "%T %.1f" . .Area}};{{end}}`, `{{printf "%d%% %T %s" .N .L "x"}}`, `{{printf "%*d|%[1]v" 5 .N}}`, `{{printf "%#v %v" .L .N}}`,
	} {
		fmt.Println(template.Must(template.New("t").Parse(text)).Execute(os.Stdout, data))
	}
}
