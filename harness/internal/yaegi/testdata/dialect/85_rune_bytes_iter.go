package main

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

func main() {
	for i, r := range "héy" {
		fmt.Print(i, string(r), " ")
	}
	fmt.Println(utf8.RuneCountInString("héy"), []byte("hé"), bytes.ToUpper([]byte("a")))
}
