package main

import "fmt"

type M map[string]M

func main() { m := M{"a": {"b": nil}}; fmt.Print(len(m["a"])) }
