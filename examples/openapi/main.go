// An HTTP API as tools: its OpenAPI document says what there is.
//
//	go run ./examples/servers/library &
//	go run ./cmd/harness run -config examples/openapi/.mcp.json examples/openapi/main.go
package main

import (
	"errors"
	"fmt"

	"servers/library"
)

func main() {
	UseTools("list the books of the library", "lend a book to a reader", "take a book back")

	there, err := library.ListBooks(library.ListBooksParams{Author: "le guin", Lent: false})
	if err != nil {
		panic(err)
	}
	for _, b := range there.Books {
		fmt.Printf("%d: %s, %d\n", b.Number, b.Title, b.Year)
	}
	if len(there.Books) == 0 {
		Return("all are lent")
		return
	}

	book := there.Books[0]
	if _, err := library.LendBook(library.LendBookParams{Number: book.Number, Reader: "Cy"}); err != nil {
		panic(err)
	}
	// A second reader is told no by the service: 409, and its words.
	_, err = library.LendBook(library.LendBookParams{Number: book.Number, Reader: "Di"})
	var refused *ToolError
	if !errors.As(err, &refused) {
		panic(fmt.Sprint("lent twice: ", err))
	}
	fmt.Println("the library says:", refused.Message)

	back, err := library.ReturnBook(library.ReturnBookParams{Number: book.Number})
	if err != nil {
		panic(err)
	}
	Return(map[string]any{"there": len(there.Books), "read": back.Title})
}
