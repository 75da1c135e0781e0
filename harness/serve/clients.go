package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Clients are those that ClientConfig knows.
var Clients = []string{"claude", "vscode", "cursor", "codex", "gemini"}

// ClientConfig is the entry with which a client starts the server, by a
// command or, where addr is not empty, by the URL of a running one: the whole
// file for somebody who has none, and where it goes.
func ClientConfig(client string, command []string, addr string) (string, error) {
	entry := map[string]any{}
	switch {
	case addr == "":
		entry["command"], entry["args"] = command[0], command[1:]
	case client == "gemini":
		entry["httpUrl"] = "http://" + addr + "/mcp"
	default:
		entry["url"] = "http://" + addr + "/mcp"
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
		for _, k := range []string{"command", "args", "url"} {
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
