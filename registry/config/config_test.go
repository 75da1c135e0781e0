package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// write writes a file into dir, with its folders, and returns its path.
func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t testing.TB, content string) *Config {
	t.Helper()
	c, err := Load(write(t, t.TempDir(), ".mcp.json", content))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// one returns the only server of a config, without what depends on the machine.
func one(t testing.TB, c *Config) Server {
	t.Helper()
	if len(c.Servers) != 1 {
		t.Fatalf("%d servers, want 1", len(c.Servers))
	}
	return c.Servers[0]
}

var machine = cmp.Options{cmpopts.IgnoreFields(Server{}, "File", "Dir"), cmpopts.IgnoreUnexported(Server{})}

func TestFilesOfTheKnownClients(t *testing.T) {
	t.Setenv("TOKEN", "s3cret")
	base := Server{StartTimeout: DefaultStartTimeout, CallTimeout: DefaultCallTimeout}
	with := func(f func(*Server)) []Server {
		s := base
		f(&s)
		return []Server{s}
	}
	for _, tc := range []struct {
		name, content string
		want          []Server
	}{
		{"Claude, stdio", `{"mcpServers": {"git": {"command": "mcp-server-git", "args": ["--repository", "."], "env": {"A": "b"}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Args, s.Env = "git", "stdio", "mcp-server-git", []string{"--repository", "."},
					Secrets{"A": "b"}
			})},
		{"Claude, http", `{"mcpServers": {"x": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.Headers = "x", "http", "https://x/mcp", Secrets{"Authorization": "Bearer s3cret"}
			})},
		{"VS Code", `{"inputs": [], "servers": {"x": {"type": "sse", "url": "http://localhost:1/sse"}}}`,
			with(func(s *Server) { s.Name, s.Type, s.URL = "x", "sse", "http://localhost:1/sse" })},
		{"Cursor", `{"mcpServers": {"x": {"url": "https://x/mcp", "headers": {"k": "${env:TOKEN}"}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.Headers = "x", "http", "https://x/mcp", Secrets{"k": "s3cret"}
			})},
		{"Gemini", `{"mcpServers": {"x": {"httpUrl": "https://x/mcp", "timeout": 5000, "includeTools": ["a"], "excludeTools": ["b"]}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.Include, s.Exclude = "x", "http", "https://x/mcp", []string{"a"}, []string{"b"}
				s.StartTimeout, s.CallTimeout = 5*time.Second, 5*time.Second
			})},
		{"Codex keys", `{"mcpServers": {"x": {"command": "x", "startup_timeout_sec": 120, "tool_timeout_sec": 1.5, "enabled_tools": [], "disabled_tools": ["b"]}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Include, s.Exclude = "x", "stdio", "x", []string{}, []string{"b"}
				s.StartTimeout, s.CallTimeout = 2*time.Minute, 1500*time.Millisecond
			})},
		{"our settings win", `{"mcpServers": {"x": {"command": "x", "timeout": 5000, "includeTools": ["a"], "usetools":
			{"allow": ["c*"], "deny": ["d"], "concurrency": 3, "startTimeout": "90s", "callTimeout": "2m", "protocol": "legacy", "later": 1}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Include, s.Exclude = "x", "stdio", "x", []string{"c*"}, []string{"d"}
				s.StartTimeout, s.CallTimeout, s.Concurrency, s.Protocol = 90*time.Second, 2*time.Minute, 3, "legacy"
				s.Notes = []string{"usetools.later in its config entry is unknown and has no effect"}
			})},
		{"spellings of streamable HTTP", `{"mcpServers": {"x": {"type": "streamable-http", "url": "http://x"}}}`,
			with(func(s *Server) { s.Name, s.Type, s.URL = "x", "http", "http://x" })},
		{"numbers and booleans as values",
			`{"mcpServers": {"x": {"command": "x", "env": {"PORT": 8080, "ON": true, "NO": null}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Env = "x", "stdio", "x", Secrets{"PORT": "8080", "ON": "true", "NO": ""}
			})},
		{"comments, trailing commas, a byte order mark",
			"\xef\xbb\xbf{ // one\n/* two\n */ \"mcpServers\": {\"x\": {\"command\": \"a//b/*c*/\", \"args\": [\"1,]\", " +
				"\"2\",],},}, }",
			with(func(s *Server) { s.Name, s.Type, s.Args = "x", "stdio", []string{"1,]", "2"} })},
		{"Inspector", `{"mcpServers": {"x": {"command": "x", "protocolEra": "modern"}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command, s.Protocol = "x", "stdio", "x", "modern" })},
		{"an API", `{"mcpServers": {"x": {"type": "openapi", "url": "https://x/openapi.json", "baseUrl": "https://y", "query": {"key": "${TOKEN}"}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.BaseURL, s.Query = "x", "openapi", "https://x/openapi.json", "https://y",
					Secrets{"key": "s3cret"}
			})},
		{"OAuth as Cursor writes it", `{"mcpServers": {"x": {"url": "https://x/mcp", "auth": {"CLIENT_ID": "id", "CLIENT_SECRET": "${env:TOKEN}", "scopes": ["a", "b"]}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL = "x", "http", "https://x/mcp"
				s.OAuth = &OAuth{ClientID: "id", ClientSecret: "s3cret", Scopes: []string{"a", "b"}}
			})},
		{"OAuth with an issuer", `{"mcpServers": {"x": {"url": "https://x/mcp", "oauth": {"clientId": "id", "issuer": "https://y"}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.OAuth = "x", "http", "https://x/mcp", &OAuth{ClientID: "id", Issuer: "https://y"}
			})},
		{"OAuth with nothing registered", `{"mcpServers": {"x": {"url": "https://x/mcp", "oauth": true}}}`,
			with(func(s *Server) { s.Name, s.Type, s.URL, s.OAuth = "x", "http", "https://x/mcp", &OAuth{} })},
		{"settings of the whole file", `{"usetools": {"pin": true, "concurrency": 2, "readOnly": true}, "mcpServers": {"x": {"command": "x", "usetools": {"readOnly": false}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Pin, s.Concurrency = "x", "stdio", "x", true, 2
			})},
		{"operations of an API", `{"mcpServers": {"x": {"type": "openapi", "url": "https://x/openapi.json", "tags": ["issues", "!admin"], "paths": ["GET /repos/**"]}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.URL, s.Tags, s.Paths = "x", "openapi", "https://x/openapi.json", []string{"issues", "!admin"},
					[]string{"GET /repos/**"}
			})},
		{"large messages", `{"mcpServers": {"x": {"command": "x", "usetools": {"maxMessageMB": 0.5}}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command, s.MaxMessage = "x", "stdio", "x", 1<<19 })},
		{"allow none", `{"mcpServers": {"x": {"command": "x", "includeTools": ["a"], "usetools": {"allow": []}}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command, s.Include = "x", "stdio", "x", []string{} })},
		{"allow all, whatever the client says",
			`{"usetools": {"allow": ["b"]}, "mcpServers": {"x": {"command": "x", "includeTools": ["a"], "usetools": {"allow": null, "pin": true}}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command, s.Pin = "x", "stdio", "x", true })},
		{"classes, of the file and of the server",
			`{"usetools": {"trust": "writes", "class": {"get_*": "again", "delete_*": "effect"}}, "mcpServers": {"x": {"command": "x", "usetools": {"trust": false, "class": {"*": "effect", "get_*": "read", "get_all": "again"}}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Trust = "x", "stdio", "x", TrustNothing
				s.Classes = []ClassRule{{"get_all", ClassAgain}, {"get_*", ClassRead}, {"*", ClassEffect},
					{"delete_*", ClassEffect}, {"get_*", ClassAgain}}
			})},
		{"private tools, of the file and of the server",
			`{"usetools": {"private": ["get_key"]}, "mcpServers": {"x": {"command": "x", "usetools": {"private": ["read_*"]}}}}`,
			with(func(s *Server) {
				s.Name, s.Type, s.Command, s.Private = "x", "stdio", "x", []string{"get_key", "read_*"}
			})},
		{"trust of the file", `{"usetools": {"trust": "writes"}, "mcpServers": {"x": {"command": "x"}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command, s.Trust = "x", "stdio", "x", TrustWrites })},
		{"the usual trust, whatever the file says",
			`{"usetools": {"trust": false}, "mcpServers": {"x": {"command": "x", "usetools": {"trust": "reads"}}}}`,
			with(func(s *Server) { s.Name, s.Type, s.Command = "x", "stdio", "x" })},
		{"disabled servers", `{"mcpServers": {"x": {"command": "x", "disabled": true}, "y": {"command": "y", "enabled": false}}}`, nil},
		{"no servers yet", `{"mcpServers": {}}`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := load(t, tc.content)
			if strings.HasPrefix(tc.name, "comments") {
				c.Servers[0].Command = "" // absolute, because it has a slash
			}
			if d := cmp.Diff(tc.want, c.Servers, machine); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRelativePathsAreThoseOfTheConfigFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".vscode/vars.env", "# tokens\nA=1\nexport B = \"two words\"\n\nC='3'\n")
	c, err := Load(write(t, dir, ".vscode/mcp.json", `{"servers": {
		"bare": {"command": "node", "args": ["./x.js"]},
		"cwd": {"command": "./bin/server", "cwd": "..", "envFile": "vars.env", "env": {"A": "own"}},
		"snap": {"type": "snapshot", "path": "../tools.json"},
		"vars": {"command": "${workspaceFolder}/bin/x", "args": ["${userHome}", "${workspaceFolderBasename}", "$HOME", "${UNSET_X:-a b}"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	home, _ := os.UserHomeDir()
	base := Server{Type: Stdio, StartTimeout: DefaultStartTimeout, CallTimeout: DefaultCallTimeout}
	bare, cwd, snap, vars := base, base, base, base
	bare.Name, bare.Command, bare.Args = "bare", "node", []string{"./x.js"}
	cwd.Name, cwd.Command, cwd.Cwd = "cwd", filepath.Join(dir, ".vscode/bin/server"), dir
	cwd.EnvFile = filepath.Join(dir, ".vscode/vars.env")
	cwd.Env = Secrets{"A": "own", "B": "two words", "C": "3"}
	snap.Name, snap.Type, snap.Path = "snap", Snapshot, filepath.Join(dir, "tools.json")
	vars.Name, vars.Command, vars.Args = "vars", dir+"/bin/x", []string{home, filepath.Base(dir), "$HOME", "a b"}
	if d := cmp.Diff([]Server{bare, cwd, snap, vars}, c.Servers, machine); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBrokenServerIsNamedAndCostsTheOthersNothing(t *testing.T) {
	t.Setenv("EMPTY", "")
	for _, tc := range []struct {
		name, entry string
		want        []string // in the error; empty: no error
	}{
		{"unset variable", `{"command": "x", "env": {"KEY": "a${NO_SUCH_VAR}b"}}`,
			[]string{`server "bad"`, `env "KEY"`, `"NO_SUCH_VAR" is not set`, "${NO_SUCH_VAR:-default}"}},
		{"unset variable in args", `{"command": "x", "args": ["a", "${env:NO_SUCH_VAR}"]}`,
			[]string{"argument 2", "NO_SUCH_VAR"}},
		{"set but empty variable", `{"command": "x", "args": ["${EMPTY}", "${EMPTY:-d}"]}`, nil},
		{"two unset variables", `{"command": "${NO_A}", "args": ["${NO_B}"]}`, []string{"NO_A", "NO_B"}},
		{"nested variables", `{"command": "x", "args": ["${NO_A:-${NO_B}}"]}`,
			[]string{"argument 1", "write the default without a variable"}},
		{"allow is a string", `{"command": "x", "usetools": {"allow": "a"}}`, []string{"usetools.allow: want a list"}},
		{"input", `{"url": "http://x", "headers": {"Authorization": "Bearer ${input:api-key}"}}`,
			[]string{`header "Authorization"`, "${input:api-key}", "${API_KEY}"}},
		{"unknown variable", `{"command": "x", "args": ["${command:x}"]}`,
			[]string{"unknown variable ${command:x}", "${workspaceFolder}"}},
		{"unknown type", `{"type": "ws", "url": "ws://x"}`,
			[]string{`unknown type "ws"`, "stdio, http, sse, snapshot, manifest or openapi"}},
		{"nothing to infer from", `{"args": ["x"]}`, []string{"no command, url or type"}},
		{"both", `{"command": "x", "url": "http://x"}`, []string{"both command and url"}},
		{"no command", `{"type": "stdio"}`, []string{"no command"}},
		{"no path", `{"type": "snapshot"}`, []string{"no path"}},
		{"url of another scheme", `{"url": "file:///etc/passwd"}`, []string{"http://host/path"}},
		{"no url at all", `{"type": "http"}`, []string{"http://host/path"}},
		{"args is a string", `{"command": "x", "args": "--flag"}`,
			[]string{".mcp.json:3:35", "args is a string, want a list of strings"}},
		{"command is a number", `{"command": 7}`, []string{".mcp.json:3:22", "command is a number, want a string"}},
		{"entry is a list", `[]`, []string{".mcp.json:3:10", "is a list, want an object"}},
		{"env value is an object", `{"command": "x", "env": {"A": {}}}`, []string{"want strings as values"}},
		{"bad duration", `{"command": "x", "usetools": {"startTimeout": "soon"}}`,
			[]string{`usetools.startTimeout is "soon"`}},
		{"bad protocol", `{"command": "x", "usetools": {"protocol": "soap"}}`, []string{`usetools.protocol is "soap"`}},
		{"bad trust", `{"command": "x", "usetools": {"trust": true}}`,
			[]string{`usetools.trust is "true": want false, "reads" or "writes"`}},
		{"bad trust of another kind", `{"command": "x", "usetools": {"trust": {"a": 1}}}`, []string{`usetools.trust is "map`}},
		{"bad private", `{"command": "x", "usetools": {"private": ["a["]}}`,
			[]string{`usetools.private has "a[", which is not a tool pattern`}},
		{"bad class", `{"command": "x", "usetools": {"class": {"a_*": "write"}}}`,
			[]string{`usetools.class has "write" for "a_*": want "read", "again" or "effect"`}},
		{"bad pattern of a class", `{"command": "x", "usetools": {"class": {"a[": "read"}}}`,
			[]string{`usetools.class has "a[", which is not a tool pattern`}},
		{"class is a list", `{"command": "x", "usetools": {"class": ["a"]}}`,
			[]string{"usetools.class is a list, want an object of strings"}},
		{"class of a tool is a list", `{"command": "x", "usetools": {"class": {"a": []}}}`, []string{"usetools.class"}},
		{"no env file", `{"command": "x", "envFile": "none.env"}`, []string{"envFile", "none.env"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := load(t, fmt.Sprintf("{\"mcpServers\": {\n  \"good\": {\"command\": \"x\"},\n  \"bad\": %s\n}}", tc.entry))
			bad, _ := c.Server("bad")
			good, ok := c.Server("good")
			if !ok || good.Err != nil {
				t.Errorf("the good server: %v", good.Err)
			}
			if len(tc.want) == 0 {
				if bad.Err != nil {
					t.Errorf("error %v", bad.Err)
				}
				return
			}
			for _, part := range tc.want {
				if bad.Err == nil || !strings.Contains(bad.Err.Error(), part) {
					t.Errorf("error %v, want %q in it", bad.Err, part)
				}
			}
		})
	}
}

func TestUnusableFileIsAnErrorWithItsPlace(t *testing.T) {
	for _, tc := range []struct {
		name, content string
		line, column  int
		want          string
	}{
		{"no JSON", "{\n  \"mcpServers\": {\n    \"é\": oops\n  }\n}", 3, 10, "invalid character 'o'"},
		{"truncated", "{\n  \"mcpServers\": {", 2, 18, "unexpected end"},
		{"empty", " \n", 1, 1, "empty"},
		{"comment without end", "{\"mcpServers\": {} /* x\n}", 1, 19, "invalid character '/'"},
		{"two commas", `{"mcpServers": {},,}`, 1, 19, "invalid character ','"},
		{"a list", `[]`, 1, 1, "want an object"},
		{"no servers", `{"foo": 1}`, 1, 1, `no servers: want an object with the key "mcpServers"`},
		{"servers is a list", "{\n\"mcpServers\": []}", 2, 15, `"mcpServers": want an object`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(write(t, t.TempDir(), ".mcp.json", tc.content))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if e.Line != tc.line || e.Column != tc.column || !strings.Contains(e.Msg, tc.want) {
				t.Errorf("got %d:%d %q, want %d:%d and %q", e.Line, e.Column, e.Msg, tc.line, tc.column, tc.want)
			}
			if !strings.Contains(err.Error(), fmt.Sprintf(".mcp.json:%d:%d: ", tc.line, tc.column)) {
				t.Errorf("text %q has no place", err)
			}
		})
	}
}

func TestCodexConfigIsReadLikeTheJSONFiles(t *testing.T) {
	t.Setenv("TOKEN", "s3cret")
	dir := t.TempDir()
	c, err := Load(write(t, dir, ".codex/config.toml", `
model = "x"
[mcp_servers.git]
command = "./bin/git-server"
args = ["--root", "${NOT_EXPANDED}"]
env_vars = ["PATH"]
startup_timeout_sec = 20
enabled_tools = ["git_log"]
[mcp_servers.git.env]
A = "b"
[mcp_servers.web]
url = "https://x/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { "X-A" = "1" }
env_http_headers = { "X-B" = "TOKEN" }
tool_timeout_sec = 5
scopes = ["read"]
[mcp_servers.off]
command = "x"
enabled = false
[mcp_servers."no token"]
url = "https://x/mcp"
bearer_token_env_var = "NO_SUCH_VAR"
[mcp_servers.wrong]
command = 7
[usetools]
pin = true
`))
	if err != nil {
		t.Fatal(err)
	}
	base := Server{StartTimeout: DefaultStartTimeout, CallTimeout: DefaultCallTimeout, Pin: true}
	git, web := base, base
	git.Name, git.Type, git.Command, git.Args = "git", Stdio, filepath.Join(dir, ".codex/bin/git-server"),
		[]string{"--root", "${NOT_EXPANDED}"}
	git.Env, git.Include, git.StartTimeout = Secrets{"A": "b"}, []string{"git_log"}, 20*time.Second
	web.Name, web.Type, web.URL, web.CallTimeout = "web", HTTP, "https://x/mcp", 5*time.Second
	web.Headers = Secrets{"Authorization": "Bearer s3cret", "X-A": "1", "X-B": "s3cret"}
	web.OAuth = &OAuth{Scopes: []string{"read"}}
	got := slices.DeleteFunc(slices.Clone(c.Servers), func(s Server) bool { return s.Err != nil })
	if d := cmp.Diff([]Server{git, web}, got, machine); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for name, want := range map[string]string{"no token": `"NO_SUCH_VAR" is not set`,
		"wrong": "config.toml:24:1: command is a number, want a string"} {
		if s, _ := c.Server(name); s.Err == nil || !strings.Contains(s.Err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", name, s.Err, want)
		}
	}
	if want := []string{"off"}; !cmp.Equal(c.Disabled, want) {
		t.Errorf("disabled %q", c.Disabled)
	}
	for content, want := range map[string]string{
		"a = ": "config.toml:1:", "model = 'x'": "[mcp_servers.NAME]", "mcp_servers = 3": "config.toml:1:",
	} {
		_, err := Load(write(t, dir, ".codex/config.toml", content))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want an *Error with %q", content, err, want)
		}
	}
}

func TestDeeplyNestedTOMLIsAnError(t *testing.T) {
	content := "mcp_servers.x.args = " + strings.Repeat("[", maxTOMLBytes-100)
	if _, err := Load(write(t, t.TempDir(), "config.toml", content)); err == nil {
		t.Error("no error")
	}
}

func TestManifestOfCommandLineToolsIsAServer(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, ".codex/tools.json", `{"version": 1, "cli_tools": []}`)
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Server{Name: "cli", Type: Manifest, Path: path, Cwd: dir, StartTimeout: DefaultStartTimeout,
		CallTimeout: DefaultCallTimeout}
	if d := cmp.Diff(want, one(t, c), machine); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	elsewhere := write(t, t.TempDir(), ".codex/tools.json", `{"version": 1, "cli_tools": []}`)
	if moved, err := Load(elsewhere); err != nil || moved.Digest() != c.Digest() {
		t.Errorf("the digest depends on the folder; %v", err)
	}
	write(t, dir, ".codex/tools.json", `{"version": 1, "cli_tools": [{}]}`)
	if changed, err := Load(path); err != nil || changed.Digest() == c.Digest() {
		t.Errorf("the digest does not follow the manifest; %v", err)
	}
}

func TestMissingConfigSaysWhereItWasLookedFor(t *testing.T) {
	if _, err := Load(); err == nil || !strings.Contains(err.Error(), ".vscode/mcp.json") ||
		!strings.Contains(err.Error(), "-config") {
		t.Errorf("error %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "none.json") {
		t.Errorf("error %v", err)
	}
}

func TestFilesAreMergedAndClashesReported(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.json", `{"mcpServers": {"same": {"command": "x"}, "a": {"command": "a"}, "clash": {"command": "one"}}}`)
	b := write(t, dir, "b.json", `{"servers": {"same": {"command": "x"}, "b": {"command": "b"}, "clash": {"command": "two"}, "off": {"command": "x", "disabled": true}}}`)
	c, err := Load(a, b)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range c.Servers {
		names = append(names, s.Name)
		if s.Name == "clash" {
			if s.Err == nil || !strings.Contains(s.Err.Error(), a) || !strings.Contains(s.Err.Error(), b) {
				t.Errorf("clash: error %v, want one with both files", s.Err)
			}
		} else if s.Err != nil {
			t.Errorf("%s: %v", s.Name, s.Err)
		}
	}
	if want := []string{"a", "b", "clash", "same"}; !cmp.Equal(names, want) {
		t.Errorf("servers %q, want %q", names, want)
	}
	if want := []string{"off"}; !cmp.Equal(c.Disabled, want) {
		t.Errorf("disabled %q, want %q", c.Disabled, want)
	}
	twice := load(t, `{"mcpServers": {"x": {"command": "a"}, "x": {"command": "b"}}}`)
	if s := one(t, twice); s.Err == nil || !strings.Contains(s.Err.Error(), "defined twice") {
		t.Errorf("twice in one file: error %v", s.Err)
	}
}

func TestDigestIsAboutDefinitionsNotSecretsOrPlaces(t *testing.T) {
	digest := func(content string) string {
		t.Helper()
		return load(t, content).Digest()
	}
	t.Setenv("T", "1")
	base := digest(`{"mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "v1", "L": "${T}"}}, "b": {"url": "http://x", "headers": {"H": "1"}}}}`)
	t.Setenv("T", "2")
	for name, content := range map[string]string{
		"order, values, formatting": `{ // comment
			"mcpServers": {"b": {"headers": {"H": "other"}, "url": "http://x"}, "a": {"env": {"L": "w", "K": "v2"}, "args": ["1", "2"], "command": "./x"}}}`,
		"trust and classes":           `{"usetools": {"trust": false}, "mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "", "L": ""}, "usetools": {"class": {"x": "read"}}}, "b": {"url": "http://x", "headers": {"H": ""}}}}`,
		"timeouts and unknown fields": `{"mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "", "L": ""}, "timeout": 5, "icon": "x"}, "b": {"url": "http://x", "headers": {"H": ""}}}}`,
		"a disabled server":           `{"mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "", "L": ""}}, "b": {"url": "http://x", "headers": {"H": ""}}, "c": {"command": "y", "disabled": true}}}`,
	} {
		if got := digest(content); got != base {
			t.Errorf("%s changed the digest", name)
		}
	}
	for name, content := range map[string]string{
		"another argument order": `{"mcpServers": {"a": {"command": "./x", "args": ["2", "1"], "env": {"K": "v1", "L": ""}}, "b": {"url": "http://x", "headers": {"H": "1"}}}}`,
		"another variable name":  `{"mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "v1", "M": ""}}, "b": {"url": "http://x", "headers": {"H": "1"}}}}`,
		"an allow list":          `{"mcpServers": {"a": {"command": "./x", "args": ["1", "2"], "env": {"K": "v1", "L": ""}}, "b": {"url": "http://x", "headers": {"H": "1"}, "usetools": {"allow": []}}}}`,
	} {
		if got := digest(content); got == base {
			t.Errorf("%s did not change the digest", name)
		}
	}
	if !strings.HasPrefix(base, "sha256:") || len(base) != len("sha256:")+64 {
		t.Errorf("digest %q", base)
	}
}

func TestDigestNoticesAnotherSnapshot(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, ".mcp.json", `{"mcpServers": {"s": {"type": "snapshot", "path": "tools.json"}}}`)
	digest := func(content string) string {
		t.Helper()
		write(t, dir, "tools.json", content)
		c, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	if one, two := digest("[]"), digest("[{}]"); one == two || digest("[]") != one {
		t.Error("the digest does not follow the content of the snapshot")
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	s := Server{Name: "x", Env: Secrets{"KEY": "hunter2"}, Headers: Secrets{"Authorization": "hunter2"},
		Query: Secrets{"key": "hunter2"}, OAuth: &OAuth{ClientSecret: "hunter2"}}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(b), fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q", s, s, s.Env, s.Env),
		fmt.Sprintf("%+v", &s)} {
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "KEY") {
			t.Errorf("shown as %s", text)
		}
	}
}

func TestAllowsFollowsBothLists(t *testing.T) {
	for _, tc := range []struct {
		include, exclude []string
		allowed          string
	}{
		{nil, nil, "git_log git_diff push admin/push"},
		{[]string{}, nil, ""},
		{[]string{"git_*"}, nil, "git_log git_diff"},
		{[]string{"git_*"}, []string{"git_diff"}, "git_log"},
		{nil, []string{"*"}, ""}, // a slash, which a server may write, is no way out
		{nil, []string{"*push"}, "git_log git_diff"},
		{[]string{"[", "push"}, nil, "push"},
	} {
		s := Server{Include: tc.include, Exclude: tc.exclude}
		var got []string
		for _, n := range []string{"git_log", "git_diff", "push", "admin/push"} {
			if s.Allows(n) {
				got = append(got, n)
			}
		}
		if strings.Join(got, " ") != tc.allowed {
			t.Errorf("include %q, exclude %q: %q, want %q", tc.include, tc.exclude, got, tc.allowed)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers": {"a": {"command": "x", "args": ["${A:-b}"], "env": {"K": 1}}}}`,
		"// c\n{\"servers\": {\"a\": {\"url\": \"http://x\", /* y */}, \"a\": []},}",
		`{"mcpServers": {"s": {"type": "snapshot", "path": "x", "usetools": {"allow": null}}}}`,
		`{"mcpServers": {"": null}}`, "[", "\xef\xbb\xbf", `{"mcpServers": {"a": {"command": "${", "args": ["${}"]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parse(filepath.Join(t.TempDir(), ".mcp.json"), data)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error %T %v, want an *Error", err, err)
		}
		if err == nil {
			(&Config{Servers: got.servers}).Digest()
		}
		// What is JSON already must mean the same without comments.
		if json.Valid(data) && !json.Valid(PlainJSON(data)) {
			t.Errorf("%q became %q", data, PlainJSON(data))
		}
	})
}

func FuzzParseEnv(f *testing.F) {
	f.Add([]byte("A=1\n# c\nexport B='x'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		vars, err := parseEnv(data)
		for name := range vars {
			if err != nil || !isName(name) {
				t.Errorf("name %q, error %v", name, err)
			}
		}
	})
}

func FuzzParseTOML(f *testing.F) {
	f.Add([]byte("[mcp_servers.a]\ncommand = 'x'\nargs = [1]\n[mcp_servers.a.env]\nA = 2026-01-01\n[usetools]\npin = true"))
	f.Add([]byte("mcp_servers = {a = {timeout = nan}, \"\" = 3}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := parse(filepath.Join(t.TempDir(), "config.toml"), data)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("error %T %v, want an *Error", err, err)
		}
		if err == nil {
			(&Config{Servers: got.servers}).Digest()
		}
	})
}

// TestTheHarnessItselfIsNotAServer: a client's config has an entry for the
// harness beside the servers that it is to reach.
func TestTheHarnessItselfIsNotAServer(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, ".mcp.json", `{"mcpServers": {
		"git": {"command": "git-server", "args": ["serve"]},
		"other": {"command": "harness", "args": ["-config", "elsewhere.json", "serve"]},
		"tools": {"command": "/opt/harness", "args": ["tools"]},
		"one": {"command": "harness", "args": ["serve"]},
		"two": {"command": "/opt/bin/harness.exe", "args": ["-q", "-config", `+quoted(filepath.Join(dir, ".mcp.json"))+
		`, "serve", "-http", ":1"]},
		"three": {"command": "go", "args": ["run", "./cmd/harness", "--config=.mcp.json", "serve"], "cwd": "."}
	}}`)
	c, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "three", "two"}; !cmp.Equal(c.Self, want) {
		t.Errorf("itself: %q, want %q", c.Self, want)
	}
	var names []string
	for _, s := range c.Servers {
		names = append(names, s.Name)
	}
	if want := []string{"git", "other", "tools"}; !cmp.Equal(names, want) {
		t.Errorf("servers: %q, want %q", names, want)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
