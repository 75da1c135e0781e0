package main

import (
	"bytes"
	"fmt"
	"io"
)

type RW interface {
	io.Reader
	io.Writer
}

func use(rw RW) { fmt.Fprintf(rw, "hi"); b, _ := io.ReadAll(rw); fmt.Println(string(b)) }
func main()     { use(&bytes.Buffer{}) }
