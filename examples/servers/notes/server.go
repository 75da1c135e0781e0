package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// effect is what a tool does to the database. It becomes the tool's
// annotations, and those are what a policy goes by.
type effect int

const (
	reads    effect = iota // changes nothing
	adds                   // changes something each time, destroys nothing
	ensures                // a second call changes nothing more, destroys nothing
	destroys               // takes away what was there
)

func (e effect) annotations() *mcp.ToolAnnotations {
	no, destroys := false, e == destroys
	return &mcp.ToolAnnotations{
		ReadOnlyHint:    e == reads,
		DestructiveHint: &destroys,
		IdempotentHint:  e != adds,
		OpenWorldHint:   &no,
	}
}

// newServer returns the MCP server over a store.
func newServer(s *store) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "notes", Title: "Notes and tables in SQLite", Version: "1.0.0"},
		&mcp.ServerOptions{
			Instructions: "Keeps notes (add_note, search_notes, delete_note), and rows in tables of a SQLite file: " +
				"create_table, then insert_rows, then query with SELECT. list_tables tells what there is. delete_* and " +
				"drop_table cannot be undone.",
			Logger:       slog.New(slog.DiscardHandler),
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	add(server, "add_note", "Add a note with a title and a text", adds, s.addNote)
	add(server, "search_notes", "Search the notes by words, the newest first", reads, s.searchNotes)
	add(server, "delete_note", "Delete a note for good", destroys, s.deleteNote)
	add(server, "list_tables", "List the tables of the SQLite database, with their columns and how many rows they have",
		reads, s.listTables)
	add(server, "create_table", "Create a table in the SQLite database; one that is there already stays as it is", ensures,
		s.createTable)
	add(server, "insert_rows", "Insert rows into a table of the SQLite database; all of them, or none", adds, s.insertRows)
	add(server, "query", "Query the SQLite database with one SQL SELECT statement", reads, s.query)
	add(server, "delete_rows", "Delete rows of a table of the SQLite database, those with given values or all", destroys,
		s.deleteRows)
	add(server, "drop_table", "Drop a table of the SQLite database with all of its rows", destroys, s.dropTable)
	return server
}

// limits are the bounds of the argument "limit", and what it is when left out.
var limits = map[string]int{"search_notes": 20, "query": 100}

// add installs a tool: the SDK checks arguments against the schema and sends
// what run returns, an error as the tool's own.
func add[In, Out any](server *mcp.Server, name, description string, e effect,
	run func(context.Context, In) (Out, error)) {
	in, out := schemaOf[In](), schemaOf[Out]()
	if byDefault, ok := limits[name]; ok {
		one, most := 1.0, float64(maxRows)
		p := in.Properties["limit"]
		p.Minimum, p.Maximum, p.Default = &one, &most, json.RawMessage(fmt.Sprint(byDefault))
	}
	if c := in.Properties["columns"]; c != nil {
		for _, t := range types {
			c.Items.Properties["type"].Enum = append(c.Items.Properties["type"].Enum, t)
		}
	}
	tool := &mcp.Tool{Name: name, Description: description, Annotations: e.annotations(), InputSchema: in,
		OutputSchema: out}
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, p In) (*mcp.CallToolResult, Out, error) {
		result, err := run(ctx, p)
		return nil, result, err
	})
}

// schemaOf infers a schema. The types are this program's own, so failing is a
// mistake in it that every test would show.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	neverNull(schema)
	return schema
}

// neverNull drops the null that inference allows for lists.
func neverNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
	for _, p := range s.Properties {
		neverNull(p)
	}
}
