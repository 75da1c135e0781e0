package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxTOMLBytes bounds a TOML file, because its parser recurses as deep as the file is nested.
const maxTOMLBytes = 1 << 20

// parseTOML parses the tables [mcp_servers.NAME] of a Codex config. Their keys are those of the
// JSON files.
func parseTOML(path string, data []byte) (*file, error) {
	if len(data) > maxTOMLBytes {
		return nil, &Error{Path: path, Msg: fmt.Sprintf("larger than %d bytes", maxTOMLBytes)}
	}
	var top struct {
		Servers  map[string]any `toml:"mcp_servers"`
		UseTools map[string]any `toml:"usetools"`
	}
	if err := toml.Unmarshal(data, &top); err != nil {
		return nil, tomlError(path, err)
	}
	f := newFile(path)
	var tables map[string]any
	if err := toml.Unmarshal(data, &tables); err != nil {
		return nil, tomlError(path, err)
	}
	f.noteKeys(names(tables), []string{"mcp_servers", "usetools"})
	if top.Servers == nil {
		return nil, &Error{Path: path, Line: 1, Column: 1,
			Msg: strings.Join(append([]string{"no servers: want tables like [mcp_servers.NAME]"}, f.notes...), "; ")}
	}
	if top.UseTools != nil {
		b, err := json.Marshal(top.UseTools)
		if err == nil {
			err = f.set(b)
		}
		if err != nil {
			return nil, &Error{Path: path, Line: headerLine(data, "usetools"), Column: 1,
				Msg: fmt.Sprintf("[usetools]: %v", err)}
		}
	}
	for _, name := range names(top.Servers) {
		at := func(_ int64, format string, args ...any) *Error {
			return &Error{Path: path, Line: headerLine(data, "mcp_servers."+name), Column: 1, Msg: fmt.Sprintf(format, args...)}
		}
		value, err := json.Marshal(top.Servers[name])
		if err != nil { // nan and inf
			f.servers = append(f.servers, Server{Name: name, Err: fmt.Errorf("server %q: %w", name, at(0, "%v", err))})
			continue
		}
		f.add(member{key: name, value: value}, at)
	}
	return f, nil
}

// headerLine returns the 1-based line of a table's header, or 1 if it is written in an unusual
// way.
func headerLine(data []byte, table string) int {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.HasPrefix(strings.TrimSpace(strings.ReplaceAll(line, `"`, "")), "["+table+"]") {
			return n
		}
	}
	return 1
}

func tomlError(path string, err error) error {
	e := &Error{Path: path, Msg: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		e.Line, e.Column = d.Position()
	}
	return e
}
