package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// recordCommands are those of test scripts that make records:
//
//	record VAR DIR KIND     makes one, and sets VAR to its ID
//	ended VAR               ends a run of kind running
//	lastrun VAR DIR         sets VAR to the ID of the newest
//	status CODE COMMAND…    runs a command that ends with an exit code
//	sames A B               two texts are the same
//	answer DIR SCRIPT       has serve run a script, and keeps the answer in a file
//	printed FILE COMMAND…   runs the printed commands that begin so
//
// The kinds are ok, changed (another script with other calls), failed, running,
// died and evil.
func recordCommands() map[string]func(*testscript.TestScript, bool, []string) {
	under := map[string]*store.Writer{}
	return map[string]func(*testscript.TestScript, bool, []string){
		"record": func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) != 3 {
				ts.Fatalf("usage: record VAR DIR KIND")
			}
			store, err := store.Open(ts.MkAbs(args[1]), nil)
			ts.Check(err)
			w, err := writeRun(store, args[2])
			ts.Check(err)
			if args[2] == "running" {
				under[w.ID()] = w
				ts.Defer(func() { w.Close() })
			} else {
				ts.Check(w.Close())
			}
			ts.Setenv(args[0], w.ID())
		},
		"lastrun": func(ts *testscript.TestScript, neg bool, args []string) {
			records, err := store.Open(ts.MkAbs(args[1]), nil)
			ts.Check(err)
			for s, err := range records.List(context.Background(), &store.Filter{Limit: 1}) {
				ts.Check(err)
				ts.Setenv(args[0], s.ID)
			}
		},
		"status": func(ts *testscript.TestScript, neg bool, args []string) {
			err := ts.Exec(args[1], args[2:]...)
			var ended *exec.ExitError
			if !errors.As(err, &ended) || strconv.Itoa(ended.ExitCode()) != args[0] {
				ts.Fatalf("%q ended with %v, want %s", args[1:], err, args[0])
			}
		},
		"printed": runsPrinted, "answer": answers,
		"sames": func(ts *testscript.TestScript, neg bool, args []string) {
			if (args[0] == args[1]) == neg {
				ts.Fatalf("%q and %q", args[0], args[1])
			}
		},
		"ended": func(ts *testscript.TestScript, neg bool, args []string) {
			w := under[ts.Getenv(args[0])]
			ts.Check(w.Add(&record.Note{Stdout: "and this\n", Line: 3}))
			ts.Check(w.Add(&record.End{Status: "ok", Value: record.Raw([]byte("7"))}))
			ts.Check(w.Close())
		},
	}
}

// runsPrinted has a shell run, in another folder, the commands that a file (stdout, stderr) has and
// that begin so: printed FILE COMMAND….
func runsPrinted(ts *testscript.TestScript, neg bool, args []string) {
	begin, n := strings.Join(args[1:], " "), 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if at := strings.Index(line, begin); at >= 0 {
			ts.Check(ts.Exec("sh", "-c", "cd \"$WORK\" && "+line[at:]))
			n++
		}
	}
	if n == 0 {
		ts.Fatalf("no %q is printed", begin)
	}
}

const recordedScript = `UseTools("list files", "send mail")
files, err := fs.List(fs.ListParams{Path: "/"})
if err != nil { panic(err) }
_, _ = mail.Send(mail.SendParams{To: "ann"})
fmt.Println(len(files.Names), "files")
Return(len(files.Names))
`

// writeRun writes the record of a run.
func writeRun(s *store.Store, kind string) (*store.Writer, error) {
	script, names, name, tool := recordedScript, `["a","b"]`, "listing.go", "mail.send"
	switch kind {
	case "changed":
		script = strings.Replace(script, "_, _ = mail.Send(mail.SendParams{To: \"ann\"})\n", "", 1)
		names, name = `["a","c"]`, "changed.go"
	case "evil":
		script = "// \x1b[31mred\u202e\n" + script
		name, tool = "evil\x1b]0;t\a.go", "mail.\x1b[2Jsend"
	}
	w, err := s.Begin(&record.Begin{Script: record.String(script), Name: name, Harness: "test", Session: "s-" + kind,
		Inputs: record.Values{"days": record.Raw([]byte("4"))}})
	if err != nil {
		return nil, err
	}
	lines := []record.Line{
		&record.Tools{Phrases: []byte(`[{"phrase":"list files","verdict":"resolved","by":"phrase","tool":"fs.list",` +
			`"go":"fs.List","confidence":0.93,"candidates":[]},{"phrase":"send mail","verdict":"resolved","by":"exact",` +
			`"tool":"mail.send","go":"mail.Send","confidence":1,"candidates":[]}]`), Tools: []record.Tool{
			{ID: "mail.send", Go: "mail.Send", Hash: "sha256:2", Class: record.Effect, Why: "not marked read-only"},
			{ID: "fs.list", Go: "fs.List", Hash: "sha256:1", Class: record.Read, Why: "readOnlyHint"}}},
		&record.Call{N: 1, Place: "2:15", Class: record.Read, Tool: "fs.list", Args: record.Raw([]byte(`{"path":"/"}`))},
		&record.Done{N: 1, Kind: record.Answered, Ms: 1.5, Bytes: 60,
			Result: record.Raw([]byte(`{"content":[],"structuredContent":{"names":` + names + `}}`))},
	}
	if kind != "changed" {
		lines = append(lines, &record.Call{N: 2, Place: "4:1", Class: record.Effect, Tool: tool,
			Args: record.Raw([]byte(`{"to":"ann"}`))})
	}
	if kind != "changed" && kind != "running" && kind != "died" {
		lines = append(lines, &record.Done{N: 2, Kind: record.Answered, Failed: kind == "failed", Ms: 2, Bytes: 40,
			Result: record.Raw([]byte(`{"content":[{"type":"text","text":"no such mailbox"}],"isError":` +
				fmt.Sprint(kind == "failed") + `}`))})
	}
	switch kind {
	case "ok", "changed", "evil":
		lines = append(lines, &record.Note{Stdout: "2 files\n", Line: 5},
			&record.End{Status: "ok", Value: record.Raw([]byte("2"))})
	case "failed":
		lines = append(lines, &record.End{Status: "script_error", ExitCode: 2,
			Error: []byte(`{"kind":"panic","line":4,"message":"panic: no such mailbox"}`)})
	}
	for _, l := range lines {
		if err := w.Add(l); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func TestRunsAreFollowedAsTheyBeginAndEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := writeRun(store, "running")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, out := io.Pipe()
	ended := make(chan error)
	go func() {
		err := app(strings.NewReader(""), out, io.Discard).Run(ctx, []string{"harness", "-json", "runs", "-f", "-state", dir})
		out.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(r)
	next := func(want ...string) {
		t.Helper()
		lines.Scan()
		for _, w := range want {
			if !strings.Contains(lines.Text(), w) {
				t.Fatalf("got %q, want %q", lines.Text(), want)
			}
		}
	}
	next(w.ID(), `"running"`)
	if err := w.Add(&record.End{Status: "ok"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	next(w.ID(), `"ok"`)
	other, err := writeRun(store, "failed")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	for next(other.ID()); !strings.Contains(lines.Text(), "script_error"); { // it may have been seen under way
		next(other.ID())
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOfAnIDAsMuchIsEnoughAsNoOtherHas(t *testing.T) {
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[byte]string{}
	for { // until two IDs begin alike
		w, err := writeRun(store, "ok")
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		id := w.ID()
		was, twice := ids[id[0]]
		if ids[id[0]] = id; !twice {
			continue
		}
		for name, want := range map[string]int{id[:1]: exitNotFound, id: 0, was: 0} {
			err := app(strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(), []string{"harness", "runs", "-state", store.Dir(), "show", name})
			var failed failure
			if errors.As(err, &failed); failed.code != want || want != 0 && !strings.Contains(failed.message, "the ID is ambiguous: ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		return
	}
}

func TestAnArgumentIsNotAskedForHelp(t *testing.T) {
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"h", "help"} {
		var failed failure
		var out bytes.Buffer
		err := app(strings.NewReader(""), &out, io.Discard).Run(t.Context(),
			[]string{"harness", "runs", "-state", store.Dir(), "show", word})
		if !errors.As(err, &failed) || failed.code != exitNotFound || out.Len() > 0 {
			t.Errorf("runs show %s: %v: %s", word, err, out.String())
		}
	}
}

func TestManyRunsAreListedInOrder(t *testing.T) {
	store, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		w, err := writeRun(store, "ok")
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	var out bytes.Buffer
	c := app(strings.NewReader(""), &out, io.Discard)
	if err := c.Run(t.Context(), []string{"harness", "runs", "-n", "0", "-state", store.Dir()}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 61 || !strings.HasPrefix(lines[0], "run ") {
		t.Fatalf("%d lines: %s", len(lines), out.String())
	}
	n := 0
	for s, err := range store.List(t.Context(), nil) {
		if n++; err != nil || !strings.HasPrefix(lines[n], s.ID) {
			t.Errorf("%d: %v: %s", n, err, lines[n])
		}
	}
}

// answers has harness serve -state DIR run a script, and writes all texts of the answer to
// the file answer: answer DIR SCRIPT.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command("sh", "-c", `exec harness -q serve -state "$0"`, args[0])
	cmd.Dir, cmd.Env = ts.MkAbs("."), os.Environ()
	for _, name := range []string{"PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	ts.Check(err)
	defer s.Close()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": ts.ReadFile(args[1])}})
	ts.Check(err)
	var text string
	for _, block := range res.Content {
		text += block.(*mcp.TextContent).Text
	}
	ts.Check(os.WriteFile(ts.MkAbs("answer"), []byte(text), 0o600))
}
