package main

import (
	"encoding/xml"
	"fmt"
)

type Base struct {
	Comment string `xml:"comment"`
	Any     string `xml:"any"`
}
type Doc struct {
	*Base
	X int `xml:"x"`
}

func main() {
	for _, src := range []string{"<Doc a='1'><x>1</x></Doc>", "<Doc><any>1</any></Doc>"} {
		var d Doc
		fmt.Println(xml.Unmarshal([]byte(src), &d), d.Base == nil, d.X)
	}
}
