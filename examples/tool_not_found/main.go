package main

import (
	"errors"
	"fmt"
)

// A phrase that no tool fits stops a script before it runs, unless the script
// looks at the error: then it goes on without the tool.
func main() {
	err := UseTools("order a pizza with extra cheese")
	var none *ToolNotFoundError
	if !errors.As(err, &none) {
		panic(fmt.Sprint("there is a tool for it: ", err))
	}
	fmt.Println("going on without:", none.Query)
	Return(map[string]any{"missing": none.Query})
}
