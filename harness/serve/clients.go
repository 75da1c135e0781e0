package serve

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
)

// Clients are those that ClientConfig knows.
var Clients = []string{"claude", "vscode", "cursor", "codex", "gemini"}

// TokenVariable is the variable of the environment that holds a token: the
// server's, and a client's in the entry of ClientConfig.
const TokenVariable = "USETOOLS_TOKEN"

// bearers are how the clients write a token that is in their environment.
var bearers = map[string]string{
	"claude": "Bearer ${" + TokenVariable + "}", "gemini": "Bearer $" + TokenVariable,
	"vscode": "Bearer ${env:" + TokenVariable + "}", "cursor": "Bearer ${env:" + TokenVariable + "}",
}

// ClientConfig is the entry with which a client starts the server, by a
// command or, where addr is not empty, by the URL of a running one, which may
// demand a token: the whole file for somebody who has none, and where it goes.
func ClientConfig(client string, command []string, addr string, token bool) (string, error) {
	entry := map[string]any{}
	if addr == "" {
		entry["command"], entry["args"] = command[0], command[1:]
	} else {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return "", fmt.Errorf("address %q: want host:port, as in 127.0.0.1:7337", addr)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		url := "url"
		if client == "gemini" {
			url = "httpUrl"
		}
		entry[url] = "http://" + net.JoinHostPort(host, port) + "/mcp"
		if bearer, ok := bearers[client]; ok && token {
			entry["headers"] = map[string]string{"Authorization": bearer}
		} else if token {
			entry["bearer_token_env_var"] = TokenVariable
		}
	}
	kind := "stdio"
	if addr != "" {
		kind = "http"
	}
	switch client {
	case "claude":
		entry["type"] = kind
		return fileWith(".mcp.json in the project (or claude_desktop_config.json)", "mcpServers", entry), nil
	case "vscode":
		entry["type"] = kind
		return fileWith(".vscode/mcp.json", "servers", entry), nil
	case "cursor":
		return fileWith(".cursor/mcp.json", "mcpServers", entry), nil
	case "gemini":
		return fileWith(".gemini/settings.json", "mcpServers", entry), nil
	case "codex":
		var b strings.Builder
		b.WriteString("# ~/.codex/config.toml\n[mcp_servers.usetools]\n")
		for _, k := range []string{"command", "args", "url", "bearer_token_env_var"} {
			if v, ok := entry[k]; ok {
				text, err := json.Marshal(v) // TOML's basic strings and arrays of them are JSON's
				if err != nil {
					return "", err
				}
				fmt.Fprintf(&b, "%s = %s\n", k, text)
			}
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("there is no client %q; want one of %s", client, strings.Join(slices.Sorted(slices.Values(Clients)), ", "))
}

func fileWith(where, key string, entry map[string]any) string {
	b, _ := json.MarshalIndent(map[string]any{key: map[string]any{"usetools": entry}}, "", "  ") // strings only
	return "// " + where + "\n" + string(b) + "\n"
}
