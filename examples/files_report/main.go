// Files in, a report out: the files of a folder are read by one server, counted
// here, kept as rows by another, and SQL makes the report.
//
//	go run ./cmd/harness run -config examples/files_report/.mcp.json examples/files_report/main.go
package main

import (
	"fmt"
	"strings"

	"servers/files"
	"servers/notes"
)

func main() {
	UseTools(
		"list the files in a folder", "read a text file",
		"create a table in SQLite", "delete rows of a table", "insert rows into a table", "query SQLite with SQL",
	)

	list, err := files.ListFiles(files.ListFilesParams{Folder: "examples", Pattern: "*.go"})
	if err != nil {
		panic(err)
	}
	var rows []map[string]any
	for _, f := range list.Files {
		read, err := files.ReadFile(files.ReadFileParams{Path: f.Path})
		if err != nil {
			panic(err)
		}
		kind, lines := "code", strings.Split(strings.TrimSuffix(read.Text, "\n"), "\n")
		if strings.HasSuffix(f.Path, "_test.go") {
			kind = "test"
		}
		comments := 0
		for _, l := range lines {
			if strings.HasPrefix(strings.TrimSpace(l), "//") {
				comments++
			}
		}
		rows = append(rows, map[string]any{"path": f.Path, "kind": kind, "lines": len(lines), "comments": comments,
			"bytes": f.Size})
	}

	must(notes.CreateTable(notes.CreateTableParams{Table: "files", Columns: []notes.Column{
		{Name: "path", Type: "text"}, {Name: "kind", Type: "text"},
		{Name: "lines", Type: "integer"}, {Name: "comments", Type: "integer"}, {Name: "bytes", Type: "integer"},
	}}))
	must(notes.DeleteRows(notes.DeleteRowsParams{Table: "files", All: true})) // those of the last run
	must(notes.InsertRows(notes.InsertRowsParams{Table: "files", Rows: rows}))

	report, err := notes.Query(notes.QueryParams{
		SQL: `SELECT kind, count(*) AS files, sum(lines) AS lines, sum(comments) * 100 / sum(lines) AS percent, max(lines) AS longest
			FROM files WHERE lines >= ? GROUP BY kind ORDER BY kind`,
		Args: []any{1},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println("| kind | files | lines | comments | longest |\n|---|---:|---:|---:|---:|")
	for _, r := range report.Rows {
		fmt.Printf("| %v | %v | %v | %v %% | %v |\n", r["kind"], r["files"], r["lines"], r["percent"], r["longest"])
	}
	Return(report.Rows)
}

func must[T any](_ T, err error) {
	if err != nil {
		panic(err)
	}
}
