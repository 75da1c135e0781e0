package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type args = map[string]any

// client calls the tools of a server over a file as a client does.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
}

func serve(t *testing.T, path string) *client {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() { code <- run(context.Background(), []string{"-db", path}, &stderr, theirs) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if c := <-code; c != 0 || stderr.Len() > 0 {
			t.Errorf("exit code %d, stderr %q", c, stderr.String())
		}
	})
	return &client{t, session}
}

// call returns a tool's structured result.
func (c *client) call(tool string, a args) args {
	c.t.Helper()
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	if res.IsError {
		c.t.Fatalf("%s: %s", tool, res.Content[0].(*mcp.TextContent).Text)
	}
	return res.StructuredContent.(args)
}

// fails returns what a tool says when it refuses.
func (c *client) fails(tool string, a args) string {
	c.t.Helper()
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return err.Error()
	}
	if !res.IsError {
		c.t.Errorf("%s(%.100v) went well: %v", tool, a, res.StructuredContent)
		return ""
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "a b?#%.db") }

func (c *client) pets() {
	c.t.Helper()
	c.call("create_table", args{"table": "pets",
		"columns": []args{{"name": "name", "type": "text"}, {"name": "age", "type": "integer"},
			{"name": "weight", "type": "real"}}})
	c.call("insert_rows", args{"table": "pets",
		"rows": []args{{"name": "Ada", "age": 3, "weight": 4.5}, {"name": "Bo", "age": true}, {"name": "Cy", "weight": 7}}})
}

func TestRowsComeBackAsTheyWent(t *testing.T) {
	c := serve(t, file(t))
	c.pets()
	want := args{"columns": []any{"name", "age", "weight"}, "more": false, "rows": []any{
		args{"name": "Ada", "age": 3.0, "weight": 4.5}, args{"name": "Bo", "age": 1.0, "weight": nil},
		args{"name": "Cy", "age": nil, "weight": 7.0}}}
	if d := cmp.Diff(want, c.call("query", args{"sql": "SELECT * FROM pets -- all\n ; "})); d != "" {
		t.Error(d)
	}
	want = args{"columns": []any{"n", "age"}, "more": true, "rows": []any{args{"n": "Ada", "age": 3.0}}}
	if d := cmp.Diff(want, c.call("query",
		args{"sql": "WITH x AS (SELECT name AS n, age FROM pets WHERE age >= ? OR name = ?) SELECT * FROM x ORDER BY n",
			"args": []any{1, "it's"}, "limit": 1})); d != "" {
		t.Error(d)
	}
	want = args{"tables": []any{
		args{"name": "notes", "rows": 0.0,
			"columns": []any{args{"name": "id", "type": "integer"}, args{"name": "title", "type": "text"},
				args{"name": "text", "type": "text"}, args{"name": "created", "type": "text"}}},
		args{"name": "pets", "rows": 3.0,
			"columns": []any{args{"name": "name", "type": "text"}, args{"name": "age", "type": "integer"},
				args{"name": "weight", "type": "real"}}}}}
	if d := cmp.Diff(want, c.call("list_tables", nil)); d != "" {
		t.Error(d)
	}
	for _, step := range []struct {
		tool string
		args args
		want args
	}{
		{"create_table", args{"table": "pets",
			"columns": []args{{"name": "name", "type": "text"}, {"name": "age", "type": "integer"},
				{"name": "weight", "type": "real"}}}, args{"created": false}},
		{"delete_rows", args{"table": "pets", "where": args{"name": "Ada", "age": 4}}, args{"deleted": 0.0}},
		{"delete_rows", args{"table": "pets", "where": args{"age": nil}}, args{"deleted": 1.0}},
		{"delete_rows", args{"table": "pets", "all": true}, args{"deleted": 2.0}},
		{"drop_table", args{"table": "pets"}, args{"rows": 0.0}},
	} {
		if d := cmp.Diff(step.want, c.call(step.tool, step.args)); d != "" {
			t.Errorf("%s: %s", step.tool, d)
		}
	}
}

func TestNotesAreKeptFoundAndDeleted(t *testing.T) {
	path := file(t)
	c := serve(t, path)
	c.call("add_note", args{"title": "Shopping", "text": "100% cocoa, milk"})
	id := c.call("add_note", args{"title": "Work", "text": "Milk the test_data"})["id"]
	titles := func(c *client, words string) string {
		var out []string
		for _, n := range c.call("search_notes", args{"words": words})["notes"].([]any) {
			out = append(out, n.(args)["title"].(string))
		}
		return strings.Join(out, " ")
	}
	again := serve(t, path) // a second program on the same file
	for words, want := range map[string]string{"": "Work Shopping", "milk": "Work Shopping", "MILK cocoa": "Shopping",
		"100%": "Shopping", "0_": "", "t_d": "Work", "%": "Shopping", "nothing": ""} {
		if got := titles(again, words); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	if got := again.call("delete_note", args{"id": id})["title"]; got != "Work" {
		t.Errorf("deleted %v", got)
	}
	if got := titles(c, ""); got != "Shopping" {
		t.Errorf("left: %q", got)
	}
}

func TestRefusalsSayWhatWouldBeRight(t *testing.T) {
	c := serve(t, file(t))
	c.pets()
	many := make([]args, maxRows+1)
	for i := range many {
		many[i] = args{"name": "x"}
	}
	other := file(t)
	for _, test := range []struct {
		tool string
		args args
		want string
	}{
		{"query", args{"sql": "DELETE FROM pets"}, "query runs SELECT only; insert_rows"},
		{"query", args{"sql": "WITH x AS (SELECT 1) DELETE FROM pets"}, "SELECT only"},
		{"query", args{"sql": "WITH x AS (SELECT 1) INSERT INTO pets (name) SELECT * FROM x"}, "SELECT only"},
		{"query", args{"sql": "ATTACH '" + other + "' AS x"}, "SELECT only"},
		{"query", args{"sql": "PRAGMA query_only = 0"}, "SELECT only"},
		{"query", args{"sql": "VACUUM INTO '" + other + "'"}, "SELECT only"},
		{"query", args{"sql": "SELECT 1; DROP TABLE pets"}, "one statement"},
		{"query", args{"sql": "SELECT ';' /* ; */ ; -- ;\n SELECT 2"}, "one statement"},
		{"query", args{"sql": " -- nothing\n"}, "holds no statement"},
		{"query", args{"sql": "SELECT 1\x00; DROP TABLE pets"}, "NUL"},
		{"query", args{"sql": "SELECT nme FROM pets"},
			"no such column: nme; notes(id integer, title text, text text, created text); pets(name text, age integer, " +
				"weight real)"},
		{"query", args{"sql": "SELECT * FROM cats"}, "no such table: cats; notes("},
		{"query", args{"sql": "SELEC 1"}, "SELECT only"},
		{"query", args{"sql": "SELECT * FRM pets"}, `near "FRM": syntax error`},
		{"query", args{"sql": `SELECT "Ada"`}, "no such column"},
		{"query", args{"sql": "SELECT 1 AS a, 2 AS a"}, `two columns are called "a": name them apart with AS`},
		{"query", args{"sql": "SELECT ?"}, "missing argument"},
		{"query", args{"sql": "SELECT ?", "args": []any{[]any{1}}}, "args[0]: want a text, a number"},
		{"query", args{"sql": "SELECT 1", "limit": 1001}, "limit"},
		{"query", args{"sql": "SELECT 1 -- " + strings.Repeat("x", maxSQL)}, "at most 16384"},
		{"query", args{"sql": "SELECT zeroblob(1000000000)"}, "too big"},
		{"query", args{"sql": "SELECT load_extension('x')"}, "not authorized"},
		{"create_table", args{"table": "a b", "columns": []args{{"name": "x", "type": "text"}}},
			`"a b" is no name for a table`},
		{"create_table", args{"table": `x"; DROP TABLE pets; --`, "columns": []args{{"name": "x", "type": "text"}}},
			"is no name for a table"},
		{"create_table", args{"table": "sqlite_x", "columns": []args{{"name": "x", "type": "text"}}}, "SQLite's own"},
		{"create_table", args{"table": "x", "columns": []args{{"name": "x-y", "type": "text"}}}, "is no name for a column"},
		{"create_table", args{"table": "x", "columns": []args{{"name": "x", "type": "date"}}}, "date"},
		{"create_table", args{"table": "x", "columns": []args{{"name": "x", "type": "text"}, {"name": "X", "type": "text"}}},
			"duplicate column name"},
		{"create_table", args{"table": "x", "columns": []args{}}, "want 1 to 100"},
		{"create_table", args{"table": "pets", "columns": []args{{"name": "x", "type": "text"}}},
			"with other columns: name text, age integer, weight real"},
		{"insert_rows", args{"table": "cats", "rows": []args{{"name": "x"}}}, `there is no table "cats"; there are pets`},
		{"insert_rows", args{"table": "notes", "rows": []args{{"title": "x"}}}, "add_note"},
		{"insert_rows", args{"table": "pets", "rows": many}, "1001 rows: want 1 to 1000"},
		{"insert_rows", args{"table": "pets", "rows": []args{{"name": "x"}, {"nam": "y"}}},
			`row 2: there is no column "nam"; there are name text`},
		{"insert_rows", args{"table": "pets", "rows": []args{{"name": "x"}, {"age": "old"}}}, "row 2: "},
		{"insert_rows", args{"table": "pets", "rows": []args{{"name": args{}}}}, `column "name": want a text`},
		{"insert_rows", args{"table": "pets", "rows": []args{{"name": strings.Repeat("x", maxText+1)}}}, "at most 65536"},
		{"delete_rows", args{"table": "pets"}, "either where or all"},
		{"delete_rows", args{"table": "pets", "all": true, "where": args{"name": "x"}}, "either where or all"},
		{"delete_rows", args{"table": "pets", "where": args{"1=1 OR name": "x"}}, "there is no column"},
		{"drop_table", args{"table": "cats"}, "there are pets"},
		{"drop_table", args{"table": "Notes"}, "delete_note only"},
		{"delete_note", args{"id": 7}, "there is no note 7"},
		{"add_note", args{"title": " ", "text": "x"}, "the title is empty"},
		{"add_note", args{"title": "x"}, "text"},
	} {
		if got := c.fails(test.tool, test.args); !strings.Contains(got, test.want) {
			t.Errorf("%s(%.100v): got %q, want …%s…", test.tool, test.args, got, test.want)
		}
	}
	// And nothing of it happened.
	if got := c.call("query", args{"sql": "SELECT count(*) AS n, (SELECT count(*) FROM sqlite_schema) AS tables FROM pets"})["rows"]; cmp.Diff([]any{args{"n": 3.0, "tables": 2.0}}, got) != "" {
		t.Errorf("afterwards: %v", got)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a query made another file")
	}
}

func TestAnswersAreBoundedAndAlwaysJSON(t *testing.T) {
	c := serve(t, file(t))
	numbers := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
	got := c.call("query", args{"sql": numbers + "SELECT i FROM n"})
	if rows := got["rows"].([]any); len(rows) != 100 || got["more"] != true {
		t.Errorf("%d rows, more: %v", len(rows), got["more"])
	}
	got = c.call("query", args{"sql": numbers + "SELECT i, printf('%.*c', 100000, 'x') AS x FROM n", "limit": 1000})
	if rows := got["rows"].([]any); len(rows) > 6 || got["more"] != true {
		t.Errorf("%d rows of 64 KiB, more: %v", len(rows), got["more"])
	}
	got = c.call("query", args{"sql": "SELECT 9e999 AS inf, x'00ff' AS blob, CAST(x'ff41' AS TEXT) AS bad, " +
		"9007199254740993 AS big, 1.0 AS one"})
	want := args{"inf": "+Inf", "blob": "AP8=", "bad": "\uFFFDA", "big": 9007199254740992.0, "one": 1.0}
	if d := cmp.Diff([]any{want}, got["rows"]); d != "" {
		t.Error(d)
	}
}

func TestAQueryThatNeverEndsEndsWithItsCall(t *testing.T) {
	c := serve(t, file(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "query", Arguments: args{
			"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n"}})
		done <- err
	}()
	cancel()
	if err := <-done; err == nil {
		t.Error("an endless count came to an end")
	}
	if got := c.call("query", args{"sql": "SELECT 1 AS one"})["rows"]; cmp.Diff([]any{args{"one": 1.0}}, got) != "" {
		t.Errorf("afterwards: %v", got)
	}
}

func TestToolsSayWhatTheyDo(t *testing.T) {
	c := serve(t, file(t))
	want := map[string]string{
		"search_notes": "reads", "list_tables": "reads", "query": "reads",
		"add_note": "adds", "insert_rows": "adds", "create_table": "ensures",
		"delete_note": "destroys", "delete_rows": "destroys", "drop_table": "destroys",
	}
	got := map[string]string{}
	for tool, err := range c.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a := tool.Annotations
		switch {
		case *a.OpenWorldHint || tool.OutputSchema == nil:
		case a.ReadOnlyHint && !*a.DestructiveHint && a.IdempotentHint:
			got[tool.Name] = "reads"
		case *a.DestructiveHint && a.IdempotentHint:
			got[tool.Name] = "destroys"
		case a.IdempotentHint:
			got[tool.Name] = "ensures"
		default:
			got[tool.Name] = "adds"
		}
		schema, _ := json.Marshal(tool)
		if bytes.Contains(schema, []byte(`"null"`)) {
			t.Errorf("%s: %s", tool.Name, schema)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBadCommandLines(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-help"}, 0, "usage: notes"},
		{nil, 2, "notes -db notes.db"},
		{[]string{"x.db"}, 2, "want one file"},
		{[]string{"-nope"}, 2, "-nope"},
		{[]string{"-db", text}, 1, "file is not a database"},
		{[]string{"-db", filepath.Join(text, "x.db")}, 1, "unable to open database file"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), test.args, &stderr, nil); code != test.code ||
			!strings.Contains(stderr.String(), test.want) {
			t.Errorf("notes %q: exit code %d, want %d; stderr %q", test.args, code, test.code, stderr.String())
		}
	}
}

// FuzzOnlySelect gives what onlySelect lets pass to a connection that may write,
// which is the judge: nothing may have changed. WITH is left out, as the real
// connection stops it.
func FuzzOnlySelect(f *testing.F) {
	for _, seed := range []string{
		"SELECT 1", "select ';' ; ", "VALUES (1); PRAGMA user_version = 1", "SELECT [;] ; --\n;",
		"SELECT 'it''s', \"a\"\"b\", `c``d` /* ; */",
		"SELECT 1 /* * / ; */; DROP TABLE t", "SELECT x';'", "SELECT '\\'; DROP TABLE t --'", "SELECT 1\v; DROP TABLE t",
		"\ufeffSELECT 1", "SELECT $a(;", "SELECT \"", "SELECT 1 --\r; DROP TABLE t", "/*/ SELECT 1; DROP TABLE t",
		"SELECT 1 /", "select @x::(;)",
	} {
		f.Add(seed)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (x); INSERT INTO t VALUES (1)"); err != nil {
		f.Fatal(err)
	}
	state := func(t *testing.T) (out [4]int) {
		if err := db.QueryRow("SELECT total_changes(), (SELECT count(*) FROM t), (SELECT user_version FROM "+
			"pragma_user_version), (SELECT count(*) FROM sqlite_schema)").Scan(&out[0], &out[1], &out[2], &out[3]); err != nil {
			t.Fatal(err)
		}
		return out
	}
	f.Fuzz(func(t *testing.T, text string) {
		if onlySelect(text) != nil || strings.Contains(strings.ToUpper(text), "WITH") {
			return
		}
		before := state(t)
		ctx, cancel := context.WithTimeout(t.Context(), perCall)
		defer cancel()
		if rows, err := db.QueryContext(ctx, text); err == nil {
			for range 10 {
				rows.Next()
			}
			rows.Close()
		}
		if after := state(t); before != after {
			t.Errorf("%q changed %v to %v", text, before, after)
		}
	})
}
