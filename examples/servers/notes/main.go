// Command notes is an MCP server that keeps notes, and tables of rows, in a
// SQLite file.
//
//	go run ./examples/servers/notes -db FILE
//
// It speaks MCP over stdin and stdout and ends when stdin does. It shows how a
// server says what its tools do to the world: some only read, some add, some
// destroy, and each is marked so, which is what a policy goes by.
//
// Rows are read with SQL: one SELECT, on a connection that cannot write and knows
// no other file. They are written by tools that take tables, columns and values,
// never SQL. Every argument, answer and query is bounded (see the limits in store.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const usage = `usage: notes -db FILE

An MCP server on stdin and stdout that keeps notes and tables in a SQLite file.
Tools that read: search_notes, list_tables, query.
Tools that add: add_note, create_table, insert_rows.
Tools that destroy: delete_note, delete_rows, drop_table.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr, &mcp.StdioTransport{}))
}

// run serves one client and returns the exit code: 0 when the client left or
// the process was asked to end, 1 when serving failed, 2 for bad usage.
func run(ctx context.Context, args []string, stderr io.Writer, transport mcp.Transport) int {
	flags := flag.NewFlagSet("notes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	path := flags.String("db", "", "SQLite `file`; made where there is none")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *path == "" || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "notes: want one file, as in: notes -db notes.db")
		return 2
	}
	s, err := open(ctx, *path)
	if err != nil {
		fmt.Fprintln(stderr, "notes:", err)
		return 1
	}
	defer s.close()
	err = newServer(s).Run(ctx, transport)
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(stderr, "notes:", err)
		return 1
	}
	return 0
}
