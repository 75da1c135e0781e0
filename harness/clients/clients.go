// Package clients edits the files in which MCP clients configure their servers. It knows where the
// file of each client is and how its entries look, and replaces all servers in it by the harness.
//
// [Client.Config] returns an entry for pasting. A [Plan] moves a file's servers into a config of
// the harness and leaves one entry, for the harness. It describes its changes, and writes them only
// on request. [Undo] puts the servers back, even if the file was edited since. Backups of the files
// are in usetools/installed in the user's config folder, readable only by the user.
//
// Every byte of a file outside the changes stays the same, see
// [github.com/usetools/usetools/registry/config/edit].
package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/config/edit"
)

// entryName is the name of the harness in a client's file for all projects. projectEntryName is its
// name in the file of a project, which a client reads in addition.
const (
	entryName        = "usetools"
	projectEntryName = "usetools-project"
)

// TokenVariable is the environment variable with a token: the server's, or a client's in its entry.
const TokenVariable = "USETOOLS_TOKEN"

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	// key is the key of the servers in its files. If empty, the files are TOML, and servers are
	// tables.
	key string
	// user returns the file for all projects. project is the path of a project's file in its
	// folder. If empty, the client has no files for projects.
	user    func() (string, error)
	project string
	// literal is true if the client does not expand variables in its file.
	literal bool
	// bearer is the header with a token from the environment. If empty, the client cannot send one.
	bearer string
	// entry sets the client's special keys. It may be nil.
	entry func(e *entry, http bool)
}

// entry is the entry of the harness in a client's file, in the order of its keys.
type entry struct {
	Source    string            `json:"source,omitempty"`
	Type      string            `json:"type,omitempty"`
	Command   string            `json:"command,omitempty"`
	Args      []string          `json:"args,omitempty"`
	URL       string            `json:"url,omitempty"`
	HTTPURL   string            `json:"httpUrl,omitempty"`
	ServerURL string            `json:"serverUrl,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	BearerEnv string            `json:"bearer_token_env_var,omitempty"`
}

func typed(e *entry, http bool) {
	e.Type = "stdio"
	if http {
		e.Type = "http"
	}
}

var all = []*Client{
	{Name: "claude", key: "mcpServers", project: ".mcp.json", bearer: "Bearer ${" + TokenVariable + "}", entry: typed,
		user: func() (string, error) { return below(os.Getenv("CLAUDE_CONFIG_DIR"), os.UserHomeDir, ".claude.json") }},
	{Name: "claude-desktop", key: "mcpServers", literal: true,
		user: func() (string, error) {
			return below("", os.UserConfigDir, "Claude", "claude_desktop_config.json")
		}},
	{Name: "vscode", key: "servers", project: ".vscode/mcp.json", bearer: "Bearer ${env:" + TokenVariable + "}",
		entry: typed,
		user:  func() (string, error) { return below("", os.UserConfigDir, "Code", "User", "mcp.json") }},
	{Name: "cursor", key: "mcpServers", project: ".cursor/mcp.json", bearer: "Bearer ${env:" + TokenVariable + "}",
		user: func() (string, error) { return below("", os.UserHomeDir, ".cursor", "mcp.json") }},
	{Name: "codex", project: ".codex/config.toml", literal: true,
		user: func() (string, error) {
			if dir := os.Getenv("CODEX_HOME"); dir != "" {
				return filepath.Join(dir, "config.toml"), nil
			}
			return below("", os.UserHomeDir, ".codex", "config.toml")
		}},
	{Name: "gemini", key: "mcpServers", project: ".gemini/settings.json", bearer: "Bearer $" + TokenVariable,
		user:  func() (string, error) { return below("", os.UserHomeDir, ".gemini", "settings.json") },
		entry: func(e *entry, _ bool) { e.HTTPURL, e.URL = e.URL, "" }},
	{Name: "windsurf", key: "mcpServers", bearer: "Bearer ${env:" + TokenVariable + "}",
		user:  func() (string, error) { return below("", os.UserHomeDir, ".codeium", "windsurf", "mcp_config.json") },
		entry: func(e *entry, _ bool) { e.ServerURL, e.URL = e.URL, "" }},
	{Name: "zed", key: "context_servers", project: ".zed/settings.json", literal: true, user: zedFile,
		entry: func(e *entry, http bool) {
			if !http {
				e.Source = "custom"
			}
		}},
}

// below returns the path of a file below a folder. If folder is empty, it is the result of base.
func below(folder string, base func() (string, error), names ...string) (string, error) {
	if folder == "" {
		var err error
		if folder, err = base(); err != nil {
			return "", err
		}
	}
	return filepath.Join(append([]string{folder}, names...)...), nil
}

// zedFile returns Zed's file. On macOS it is not in the usual config folder.
func zedFile() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return below("", os.UserConfigDir, "Zed", "settings.json")
	case "darwin":
		return below("", os.UserHomeDir, ".config", "zed", "settings.json")
	}
	return below("", os.UserConfigDir, "zed", "settings.json")
}

// Names returns the names of the clients.
func Names() []string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.Name
	}
	return out
}

// Get returns the client with a name.
func Get(name string) (*Client, error) {
	i := slices.IndexFunc(all, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown client %q; want one of %s", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// userFile returns the client's file for all projects, which need not exist.
func (c *Client) userFile() (string, error) { return c.user() }

func (c *Client) syntax(path string) edit.Syntax { return edit.Of(path, c.key) }

// Config returns a new file with only the entry of the harness. The entry starts the harness by a
// command. If addr is not empty, the entry connects to a running harness at that address instead,
// with a token if token is true. The file is JSON; for codex it is TOML.
func (c *Client) Config(command []string, addr string, token bool) (string, error) {
	e, err := c.harness(entryName, command, addr, token)
	if err != nil {
		return "", err
	}
	path := "settings.json"
	if c.key == "" {
		path = "config.toml"
	}
	text, err := c.syntax(path).Put(nil, e, "")
	return string(text), err
}

// harness returns the entry of the harness.
func (c *Client) harness(name string, command []string, addr string, token bool) (edit.Entry, error) {
	out := edit.Entry{Name: name}
	var e entry
	if addr == "" {
		e.Command, e.Args = command[0], command[1:]
	} else {
		url, err := urlOf(addr)
		if err != nil {
			return out, err
		}
		if c.Name == "claude-desktop" {
			return out, errors.New("claude-desktop accepts no URL in its file: leave out -http")
		}
		e.URL = url
		switch {
		case !token:
		case c.key == "":
			e.BearerEnv = TokenVariable
		case c.bearer == "":
			return out, fmt.Errorf("%s cannot read a token from its environment: leave out -http", c.Name)
		default:
			e.Headers = map[string]string{"Authorization": c.bearer}
		}
	}
	if c.entry != nil {
		c.entry(&e, addr != "")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return out, err
	}
	out.Value = bytes.TrimSpace(b.Bytes())
	if c.key == "" {
		out.Source = tomlTable(name, &e)
	}
	return out, nil
}

// tomlTable writes the entry in the order of its keys. TOML's basic strings, and arrays of them,
// are the same as JSON's.
func tomlTable(name string, e *entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[mcp_servers.%s]\n", name)
	for _, kv := range []struct {
		key   string
		value any
		there bool
	}{{"command", e.Command, e.Command != ""}, {"args", e.Args, e.Args != nil}, {"url", e.URL, e.URL != ""},
		{"bearer_token_env_var", e.BearerEnv, e.BearerEnv != ""}} {
		if kv.there {
			text, _ := json.Marshal(kv.value) // strings
			fmt.Fprintf(&b, "%s = %s\n", kv.key, text)
		}
	}
	return b.String()
}

// urlOf returns the URL at which this machine reaches a server at an address.
func urlOf(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("address %q: want host:port, as in 127.0.0.1:7337", addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port) + "/mcp", nil
}
