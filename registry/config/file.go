package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// file is the content of one config file.
type file struct {
	path     string
	defaults *settings       // of the whole file, or nil
	usetools json.RawMessage // source of defaults, or nil
	vars     variables
	servers  []Server
	disabled []string
	notes    []string // keys at the top without effect
}

// noteKeys notes misspelt keys at the top of the file.
func (f *file) noteKeys(keys, known []string) {
	for _, key := range keys {
		if meant, is := misspelt(key, known); is {
			f.notes = append(f.notes, fmt.Sprintf("the key %q at the top of %s has no effect; did you mean %q?", key,
				filepath.Base(f.path), meant))
		}
	}
}

// misspelt returns the known key that a key at the top is likely to mean. Only near misses count,
// because clients have many keys of their own there.
func misspelt(key string, known []string) (meant string, is bool) {
	if slices.Contains(known, key) {
		return "", false
	}
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, k := range known {
		if text.Edits(text.FirstBytes(fold(key), 40), fold(k)) <= 1 {
			return k, true
		}
	}
	return "", false
}

func newFile(path string) *file {
	return &file{path: path, vars: variablesOf(path)}
}

// BaseDir returns the folder that relative paths in a config file refer to.
func BaseDir(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == filepath.Dir(ProjectFile) {
		return filepath.Dir(dir)
	}
	return dir
}

// readFile reads one config file.
func readFile(path string) (*file, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("reading config: %w", err)
	}
	data, err := readBounded(abs, MaxFileBytes)
	if err != nil {
		return nil, fmt.Errorf("reading config: %w", err)
	}
	return parse(abs, data)
}

// parse parses the content of the config file at an absolute path.
func parse(path string, data []byte) (*file, error) {
	if filepath.Ext(path) == ".toml" {
		return parseTOML(path, data)
	}
	data = PlainJSON(data)
	if err := syntaxError(path, data); err != nil {
		return nil, err
	}
	at := func(offset int64, format string, args ...any) *Error {
		line, column := position(data, offset)
		return &Error{Path: path, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
	}
	top, err := members(data, 0)
	if err != nil {
		return nil, at(0, "%v", err)
	}
	f := newFile(path)
	found := false
	for _, m := range top {
		if m.key != "usetools" {
			continue
		}
		if f.usetools != nil {
			return nil, at(m.offset, "the file has a duplicate key %q at the top; remove one", m.key)
		}
		if err := f.set(bytes.Clone(m.value)); err != nil {
			return nil, at(m.offset, "%q: %v", m.key, err)
		}
	}
	for _, m := range top {
		switch m.key {
		case "mcpServers", "servers":
			entries, err := members(m.value, m.offset)
			if err != nil {
				return nil, at(m.offset, "%q: %v", m.key, err)
			}
			for _, e := range entries {
				f.add(e, at)
			}
		case "cli_tools": // a manifest of command-line tools is one server
			e := entry{Type: Manifest, Path: path}
			f.servers = append(f.servers, e.server(ManifestServer, f))
		default:
			continue
		}
		found = true
	}
	var keys []string
	for _, m := range top {
		keys = append(keys, m.key)
	}
	f.noteKeys(keys, []string{"mcpServers", "servers", "usetools", "cli_tools"})
	if !found {
		return nil, at(0, "%s", strings.Join(append([]string{`no servers: want an object with the key "mcpServers" (or "servers"), or "cli_tools"`}, f.notes...), "; "))
	}
	return f, nil
}

// add parses one entry. A name that was used before is a clash.
func (f *file) add(m member, at func(int64, string, ...any) *Error) {
	var e entry
	var s Server
	switch err := json.Unmarshal(m.value, &e); {
	case strings.TrimSpace(m.key) == "":
		s = Server{Name: m.key, Err: at(m.offset, "a server with an empty name; give it one")}
	case err != nil:
		s = Server{Name: m.key, Err: fmt.Errorf("server %q: %w", m.key, entryError(m, err, at))}
	case e.Disabled || e.Enabled != nil && !*e.Enabled:
		f.disabled = append(f.disabled, m.key)
		return
	default:
		s = e.server(m.key, f)
		for _, key := range unknownSettings(m.value) {
			if err := Retired("usetools." + key); err != nil {
				s.Err = fmt.Errorf("server %q: %w", m.key, at(m.offset, "%v", err))
				continue
			}
			if meant, is := Ruling(key); is && s.Err == nil {
				s.Err = fmt.Errorf("server %q: usetools.%s is not allowed in an entry: write usetools.%s at the top of the file, for "+
					"all servers ({\"%s.*\": …})", m.key, key, meant, m.key)
			}
			s.Notes = append(s.Notes, fmt.Sprintf("usetools.%s in its config entry is unknown and has no effect", key))
		}
	}
	s.File, s.Dir = f.path, BaseDir(f.path)
	if i := slices.IndexFunc(f.servers, func(o Server) bool { return o.Name == s.Name }); i >= 0 {
		f.servers[i].Err = at(m.offset, "%v", clash(s, s))
		return
	}
	f.servers = append(f.servers, s)
}

// entryError returns the position of a JSON type error in the file, without the wrong value.
func entryError(m member, err error, at func(int64, string, ...any) *Error) error {
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) {
		return at(m.offset, "%v", err)
	}
	field := t.Field
	if field == "" {
		return at(m.offset, "is %s, want an object", kindOf(t.Value))
	}
	return at(m.offset+valueStart(m.value, t.Offset), "%s is %s, want %s", field, kindOf(t.Value), wanted(t))
}

// valueStart returns the start of the value that a type error is about. The error has the offset
// of the value's end, or of a bracket.
func valueStart(data []byte, end int64) int64 {
	i := min(end, int64(len(data))) - 1
	if i > 0 && data[i] == '"' {
		for i--; i > 0 && (data[i] != '"' || data[i-1] == '\\'); i-- {
		}
		return i
	}
	for i > 0 && !bytes.ContainsRune([]byte(" \t\r\n:,[{"), rune(data[i-1])) {
		i--
	}
	return max(i, 0)
}

// kindOf returns only the kind: "number 12" contains the value.
func kindOf(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

func wanted(t *json.UnmarshalTypeError) string {
	switch k := t.Type.Kind().String(); k {
	case "slice":
		return "a list of strings"
	case "map":
		return "an object of strings"
	case "float64", "int":
		return "a number"
	case "bool":
		return "true or false"
	case "struct", "ptr":
		return "an object"
	default:
		return "a " + k
	}
}
