package main

import "fmt"

type frac struct{ a, b int }

func (s *frac) Scan(st fmt.ScanState, verb rune) error {
	_, err := fmt.Fscanf(st, "%d/%d", &s.a, &s.b)
	return err
}

type num int

func main() {
	var f frac
	var n num
	fmt.Println(fmt.Sscan("3/4 5", &f, &n))
	fmt.Println(f, n)
}
