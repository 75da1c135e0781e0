package main

import (
	"fmt"
	"os"
)

func main() { x := 1; fmt.Print("ran") }
