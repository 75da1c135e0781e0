package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client calls the tools of a server over a root the way a client does.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
	outputs map[string]*jsonschema.Resolved
}

func connect(t *testing.T, r root) *client {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	server, err := newServer(r).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		server.Wait()
	})
	return &client{t: t, session: session, outputs: map[string]*jsonschema.Resolved{}}
}

func serve(t *testing.T, dir string) *client {
	t.Helper()
	r, err := newRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, r)
}

type args = map[string]any

// call returns the structured result of a tool; it fails the test where the
// tool fails, or where the result breaks the tool's own outputSchema.
func call[Out any](c *client, tool string, arguments args) Out {
	c.t.Helper()
	result := c.try(tool, arguments)
	if result.IsError {
		c.t.Fatalf("%s(%v): %s", tool, arguments, textOf(result))
	}
	c.checkOutput(tool, result)
	var out Out
	if err := json.Unmarshal([]byte(textOf(result)), &out); err != nil {
		c.t.Fatal(err)
	}
	return out
}

// fails returns the message of a tool that must fail.
func (c *client) fails(tool string, arguments args) string {
	c.t.Helper()
	result := c.try(tool, arguments)
	if !result.IsError {
		c.t.Fatalf("%s(%v) succeeded: %.200s", tool, arguments, textOf(result))
	}
	return textOf(result)
}

func (c *client) try(tool string, arguments args) *mcp.CallToolResult {
	c.t.Helper()
	if arguments == nil {
		arguments = args{}
	}
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s(%v): %v", tool, arguments, err)
	}
	return result
}

func (c *client) checkOutput(tool string, result *mcp.CallToolResult) {
	c.t.Helper()
	if c.outputs[tool] == nil {
		for listed, err := range c.session.Tools(c.t.Context(), nil) {
			if err != nil {
				c.t.Fatal(err)
			}
			var schema jsonschema.Schema
			encoded, err := json.Marshal(listed.OutputSchema)
			if err != nil {
				c.t.Fatal(err)
			}
			if err := json.Unmarshal(encoded, &schema); err != nil {
				c.t.Fatal(err)
			}
			if c.outputs[listed.Name], err = schema.Resolve(nil); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	if err := c.outputs[tool].Validate(result.StructuredContent); err != nil {
		c.t.Errorf("%s: its result breaks its outputSchema: %v", tool, err)
	}
}

func textOf(result *mcp.CallToolResult) string {
	var text strings.Builder
	for _, content := range result.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}

// demoNow is the moment that the demonstration of the tests was made in.
var demoNow = time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC)

// demoDir makes the demonstration repository.
func demoDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := makeDemo(dir, demoNow); err != nil {
		t.Fatal(err)
	}
	return dir
}

// gitCommand runs the real git, the oracle of these tests; without it the test
// is skipped.
func gitCommand(t *testing.T, dir string, arguments ...string) string {
	t.Helper()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git command to compare with")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newRepository makes a repository with one commit in dir.
func newRepository(t *testing.T, dir string) *git.Repository {
	t.Helper()
	repo, err := git.PlainInitWithOptions(dir, &git.PlainInitOptions{
		InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName("main")},
	})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "a.txt", "one\n")
	commitAll(t, repo, "first")
	return repo
}

func commitAll(t *testing.T, repo *git.Repository, message string) plumbing.Hash {
	t.Helper()
	tree, err := repo.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.AddWithOptions(&git.AddOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	who := &object.Signature{Name: "Ann", Email: "ann@example.org", When: demoNow}
	hash, err := tree.Commit(message, &git.CommitOptions{Author: who, Committer: who, AllowEmptyCommits: true})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}
