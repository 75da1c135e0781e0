//go:build integration

package mcp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/config"
)

// TestRealServers lists and calls published servers, found by their names in
// PATH. To have them there:
//
//	npm install @modelcontextprotocol/server-everything@2026.8.31 \
//		@modelcontextprotocol/server-filesystem@2026.8.31 \
//		@modelcontextprotocol/server-memory@2026.8.31 \
//		@cyanheads/git-mcp-server@2.15.3
//	pip install mcp-server-git==2026.10.19 mcp-server-time==2026.10.19 mcp-server-motherduck==1.1.0
//
// and, because they need an older SDK, in another virtual environment
//
//	pip install mcp-server-sqlite==2025.4.25 mcp-server-calculator==0.2.1 'mcp<2'
func TestRealServers(t *testing.T) {
	repo := repository(t)
	for _, tc := range []struct {
		command    string
		args       []string
		env        config.Secrets
		tools      int
		tool       string
		arguments  any
		structured bool
		want       string // in the structured result, else in the text
	}{
		{"mcp-server-everything", []string{"stdio"}, nil, 13, "get-structured-content", object{"location": "New York"}, true,
			`"humidity"`},
		{"mcp-server-everything", []string{"stdio"}, nil, 13, "echo", object{"message": "hello"}, false, "Echo: hello"},
		{"mcp-server-filesystem", []string{repo}, nil, 14, "list_directory", object{"path": repo}, true, "[FILE] a.txt"},
		{"mcp-server-memory", nil, config.Secrets{"MEMORY_FILE_PATH": filepath.Join(repo, "memory.json")}, 9,
			"create_entities", object{"entities": []object{{"name": "a", "entityType": "b", "observations": []string{"c"}}}},
			true, `"entityType":"b"`},
		{"git-mcp-server", nil, config.Secrets{"MCP_TRANSPORT_TYPE": "stdio", "MCP_LOG_LEVEL": "error"}, 28,
			"git_log", object{"path": repo, "maxCount": 1}, true, "the first commit"},
		{"mcp-server-git", []string{"--repository", repo}, nil, 12, "git_log", object{"repo_path": repo, "max_count": 1},
			false, "the first commit"},
		{"mcp-server-time", []string{"--local-timezone", "UTC"}, nil, 2, "get_current_time",
			object{"timezone": "Europe/Paris"}, true, `"timezone":"Europe/Paris"`},
		{"mcp-server-motherduck", []string{"--db-path", ":memory:", "--read-write"}, nil, 4, "execute_query",
			object{"sql": "SELECT 9007199254740993 AS n"}, true, "9007199254740993"},
		{"mcp-server-calculator", nil, nil, 1, "calculate", object{"expression": "2**10"}, true, `{"result":"1024"}`},
		{"mcp-server-sqlite", []string{"--db-path", filepath.Join(repo, "a.db")}, nil, 6, "read_query",
			object{"query": "SELECT 41+1 AS n"}, false, "{'n': 42}"},
	} {
		t.Run(tc.command+"/"+tc.tool, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tc.command); err != nil {
				t.Fatalf("%v; the comment on this test says how to install it", err)
			}
			b := open(t, config.Server{
				Name: tc.command, Type: config.Stdio, Command: tc.command, Args: tc.args, Env: tc.env,
				StartTimeout: 2 * time.Minute, // a cold Python on a busy machine
			}, nil)
			l := list(t, b)
			if len(l.Tools) != tc.tools || len(l.Server.Problems) > 0 || l.Server.Protocol == "" {
				t.Errorf("%d tools, want %d; problems %q, protocol %q", len(l.Tools), tc.tools, l.Server.Problems,
					l.Server.Protocol)
			}
			args, err := json.Marshal(tc.arguments)
			if err != nil {
				t.Fatal(err)
			}
			r := call(t, b, tc.tool, string(args))
			got := r.Text()
			if tc.structured {
				got = string(r.Structured)
			}
			if r.IsError || !strings.Contains(got, tc.want) {
				t.Errorf("%s returned isError %v, %q; want %q in it", tc.tool, r.IsError, got, tc.want)
			}
		})
	}
}

type object = map[string]any

// repository returns a new git repository with one file and one commit.
func repository(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m",
			"the first commit"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}
