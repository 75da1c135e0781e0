// Package clients knows the programs that have MCP servers in a file of their
// own: where that file is, how an entry in it looks, and how to put the harness
// in the place of all the servers there.
//
// [Client.Config] is the entry for who wants to paste it. A [Plan] moves a
// file's servers into a config and leaves one entry, that of the harness; it
// says what it would write, and writes only when told to. [Undo] puts them back,
// also when the file was edited since. What a file had is kept below the user's
// config folder, in usetools/installed, readable by the user only.
//
// Outside of what changes every byte of a file stays as it is, see
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

// entryName is what the harness is called in a client's file for all projects,
// projectEntryName in that of a project, which a client reads beside the other.
const (
	entryName        = "usetools"
	projectEntryName = "usetools-project"
)

// TokenVariable is the variable of the environment that holds a token: the
// server's, and a client's in its entry.
const TokenVariable = "USETOOLS_TOKEN"

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	// key is that of the servers in its files; in TOML they are tables.
	key string
	// user returns the file for all projects, project is that of one below its
	// folder; empty: there is none.
	user    func() (string, error)
	project string
	// literal: what looks like a variable is passed on as it is written.
	literal bool
	// bearer is how it writes a token that is in its environment; empty: not.
	bearer string
	// entry fills in what its entries have besides the usual.
	entry func(e *entry, http bool)
}

// entry is the harness in a client's file, in the order of its keys.
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

// below is a file below a folder, or below what base returns.
func below(folder string, base func() (string, error), names ...string) (string, error) {
	if folder == "" {
		var err error
		if folder, err = base(); err != nil {
			return "", err
		}
	}
	return filepath.Join(append([]string{folder}, names...)...), nil
}

// zedFile: on macOS it is not where other programs have theirs.
func zedFile() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return below("", os.UserConfigDir, "Zed", "settings.json")
	case "darwin":
		return below("", os.UserHomeDir, ".config", "zed", "settings.json")
	}
	return below("", os.UserConfigDir, "zed", "settings.json")
}

// Names are the clients' names.
func Names() []string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = c.Name
	}
	return out
}

// Get returns the client of a name.
func Get(name string) (*Client, error) {
	i := slices.IndexFunc(all, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no client %q; want one of %s", name, strings.Join(Names(), ", "))
	}
	return all[i], nil
}

// userFile is the client's file for all projects, whether it is there or not.
func (c *Client) userFile() (string, error) { return c.user() }

func (c *Client) syntax(path string) edit.Syntax { return edit.Of(path, c.key) }

// Config is the file of somebody who has none, with the entry that starts the
// harness by a command or, where addr is not empty, reaches a running one at
// that address, which may demand a token. It is JSON, for codex TOML.
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

// harness is the entry of the harness.
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
			return out, errors.New("claude-desktop starts servers and takes no URL in its file: leave -http out")
		}
		e.URL = url
		switch {
		case !token:
		case c.key == "":
			e.BearerEnv = TokenVariable
		case c.bearer == "":
			return out, fmt.Errorf("%s reads no token from its environment: leave -http out", c.Name)
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

// tomlTable writes the entry in the order of its keys. TOML's basic strings and
// arrays of them are JSON's.
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

// urlOf is where a server at an address is reached from this machine.
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
