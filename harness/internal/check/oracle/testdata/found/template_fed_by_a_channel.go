package main

import (
	"fmt"
	"os"
	"text/template"
)

type Sev int
type src struct{ c chan Sev }

func (s src) Feed() chan Sev {
	go func() {
		for i := range Sev(3) {
			s.c <- i
		}
		close(s.c)
	}()
	return s.c
}

func main() {
	fmt.Println(template.Must(template.New("x").Parse("{{range .Feed}}{{.}},{{end}}\n")).Execute(os.Stdout, src{make(chan Sev)}))
}
