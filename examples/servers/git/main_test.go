package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// start runs the program in the background and connects to it. The returned
// function disconnects and returns the exit code.
func start(t *testing.T, stderr *bytes.Buffer, arguments ...string) (*client, func() int) {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	code := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { code <- run(ctx, arguments, stderr, theirs) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{t: t, session: session, outputs: map[string]*jsonschema.Resolved{}}, func() int {
		session.Close()
		return <-code
	}
}

func TestDemonstrationIsAnnouncedAndRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	var stderr bytes.Buffer
	c, stop := start(t, &stderr, "-demo-if-none", "-root", t.TempDir())
	instructions := c.session.InitializeResult().Instructions
	if !strings.Contains(instructions, "demonstration repository") || strings.Contains(instructions, temp) {
		t.Errorf("instructions %q should tell of the demonstration, without its folder", instructions)
	}
	got := call[LogResult](c, "git_log", args{"since": "3 weeks ago", "max_count": 100})
	if !strings.Contains(got.Note, "demonstration") || len(got.Commits) < 8 {
		t.Errorf("got %d commits of the last weeks and note %q", len(got.Commits), got.Note)
	}
	if status := call[StatusResult](c, "git_status", nil); !status.Clean ||
		!strings.Contains(status.Note, "demonstration") {
		t.Errorf("git_status: got %+v, want a clean demonstration", status)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if !strings.Contains(stderr.String(), "serving a demonstration repository") {
		t.Errorf("stderr is silent about the demonstration: %q", stderr.String())
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestDemonstrationStaysAwayFromARealRepository(t *testing.T) {
	dir := t.TempDir()
	newRepository(t, dir)
	var stderr bytes.Buffer
	c, stop := start(t, &stderr, "-demo-if-none", dir)
	if got := call[LogResult](c, "git_log", nil); len(got.Commits) != 1 || got.Note != "" {
		t.Errorf("got %d commits and note %q, want the repository's own one", len(got.Commits), got.Note)
	}
	if instructions := c.session.InitializeResult().Instructions; !strings.Contains(instructions, filepath.Base(dir)) {
		t.Errorf("instructions do not name the root: %q", instructions)
	}
	if code := stop(); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestBadCommandLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arguments []string
		code      int
		want      string
	}{
		{[]string{"-help"}, 0, "usage: git"},
		{[]string{"-nope"}, 2, "-nope"},
		{[]string{"a", "b"}, 2, "at most one folder"},
		{[]string{"-root", file}, 1, "not a folder"},
		{[]string{"-root", file + "x"}, 1, "root"},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), test.arguments, &stderr, nil)
		if code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("git %q: exit code %d, want %d; stderr %q, want …%s…", test.arguments, code, test.code, stderr.String(),
				test.want)
		}
	}
}

func TestEveryToolIsReadOnlyAndDescribed(t *testing.T) {
	c := serve(t, demoDir(t))
	names := 0
	for tool, err := range c.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names++
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint || a.OpenWorldHint == nil ||
			*a.OpenWorldHint {
			t.Errorf("%s: annotations %+v, want read-only in a closed world", tool.Name, a)
		}
		if tool.Title == "" || !strings.Contains(tool.Description, "git repository") || tool.OutputSchema == nil {
			t.Errorf("%s: lacks a title, a description with the words git repository, or an outputSchema", tool.Name)
		}
	}
	if names != 6 {
		t.Errorf("got %d tools, want 6", names)
	}
}

func TestPanicOfOneCallLeavesTheServerRunning(t *testing.T) {
	r, err := newRoot(demoDir(t))
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(r)
	add(server, mcp.Tool{Name: "panic"}, struct{}{}, func(context.Context, struct{}) (Source, error) { panic("torn") })
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	c := &client{t: t, session: session, outputs: map[string]*jsonschema.Resolved{}}
	if message := c.fails("panic", nil); !strings.Contains(message, "internal error: torn") {
		t.Errorf("got %q", message)
	}
	call[StatusResult](c, "git_status", nil)
}
