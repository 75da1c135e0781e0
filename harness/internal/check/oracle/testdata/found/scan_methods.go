package main

import (
	"fmt"
	"strings"
)

type Pt struct{ X, Y int }

func (p *Pt) Scan(st fmt.ScanState, verb rune) error {
	_, err := fmt.Fscanf(st, "(%d,%d)", &p.X, &p.Y)
	return err
}

type Hex int

func (h *Hex) Scan(st fmt.ScanState, verb rune) error {
	tok, err := st.Token(true, func(r rune) bool { return strings.ContainsRune("0123456789abcdef", r) })
	if err != nil {
		return err
	}
	_, err = fmt.Sscanf(string(tok), "%x", (*int)(h))
	return err
}
func main() {
	var p Pt
	var h Hex
	var s string
	n, err := fmt.Sscan("(1,2) ff zz", &p, &h, &s)
	fmt.Println(n, err, p, h, s)
	n, err = fmt.Sscanf("at (3,4)!", "at %v!", &p)
	fmt.Println(n, err, p)
	n, err = fmt.Fscan(strings.NewReader("(5,x)"), &p)
	fmt.Println(n, err, p)
}
