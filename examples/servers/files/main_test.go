package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type args = map[string]any

// call returns what a tool answers, or what it says when it refuses.
func call(t *testing.T, session *mcp.ClientSession, tool string, a args) (args, string) {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if res.IsError {
		return nil, res.Content[0].(*mcp.TextContent).Text
	}
	return res.StructuredContent.(args), ""
}

func serve(t *testing.T, root string) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() { code <- run(context.Background(), []string{"-root", root}, &stderr, theirs) }()
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
	return session
}

func TestFilesAreListedAndReadAndNothingOutside(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	for name, text := range map[string]string{
		"secret.txt": "secret", "root/a.txt": "hé", "root/sub/b.md": "b", "root/.env": "KEY=1", "root/.git/c": "c",
		"root/bad": "\xff", "root/long": strings.Repeat("é", maxRead),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := []string{"../secret.txt", filepath.Join(dir, "secret.txt"), "sub/../../secret.txt"}
	if err := os.Symlink("../secret.txt", filepath.Join(root, "link")); err == nil { // not to be had everywhere
		out = append(out, "link")
	}
	s := serve(t, root)
	list, _ := call(t, s, "list_files", nil)
	if d := cmp.Diff(args{"more": false, "files": []any{
		args{"path": "a.txt", "size": 3.0}, args{"path": "bad", "size": 1.0}, args{"path": "long", "size": 2.0 * maxRead},
		args{"path": "sub/b.md", "size": 1.0}}}, list); d != "" {
		t.Error(d)
	}
	list, _ = call(t, s, "list_files", args{"folder": "sub/", "pattern": "*.md"})
	if d := cmp.Diff([]any{args{"path": "sub/b.md", "size": 1.0}}, list["files"]); d != "" {
		t.Error(d)
	}
	if read, said := call(t, s, "read_file", args{"path": "a.txt"}); read["text"] != "hé" || read["more"] != false {
		t.Errorf("a.txt: %v %s", read, said)
	}
	if read, said := call(t, s, "read_file", args{"path": "long"}); read["more"] != true ||
		!strings.HasSuffix(read["text"].(string), "é") {
		t.Errorf("long: %s", said)
	}
	for _, path := range out {
		if read, said := call(t, s, "read_file", args{"path": path}); read != nil || said == "" {
			t.Errorf("%s is read: %v", path, read)
		}
	}
	for tool, tests := range map[string]map[string]args{
		"read_file": {"is not a file": {"path": "sub"}, "no such file": {"path": "gone"}, "not a text in UTF-8": {"path": "bad"}},
		"list_files": {"want wildcards": {"pattern": "["}, "no such file": {"folder": "gone"},
			"invalid": {"folder": "../.."}},
	} {
		for want, a := range tests {
			// Windows
			if _, said := call(t, s, tool, a); !strings.Contains(said, want) && !strings.Contains(said, "cannot find") {
				t.Errorf("%s(%v): %q, want …%s…", tool, a, said, want)
			}
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-nope"}, &stderr, nil); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if code := run(t.Context(), []string{"-root", filepath.Join(t.TempDir(), "gone")}, &stderr, nil); code != 1 ||
		!strings.Contains(stderr.String(), "files:") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
