package main

import "fmt"

type Color int

const (
	Red Color = iota
	Green
)

func (c Color) String() string { return [...]string{"Red", "Green"}[c] }
func main() {
	fmt.Println(Green, []Color{Red, Green}, map[string]Color{"a": Green})
	fmt.Printf("%s %d\n", Green, Green)
}
