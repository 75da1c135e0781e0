package main

import (
	"fmt"
	"io"
	"strings"
)

type up struct{ r io.Reader }

func (u up) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	copy(p, strings.ToUpper(string(p[:n])))
	return n, err
}
func main() { b, err := io.ReadAll(up{strings.NewReader("abc")}); fmt.Println(string(b), err) }
