package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// variables says how a client's files refer to variables.
type variables struct {
	dir     string // of the file
	base    string // the base of relative paths
	literal bool   // Codex: no variables
	bare    bool   // Gemini: also as $NAME
}

// variablesOf returns how the config file at path refers to variables.
func variablesOf(path string) variables {
	dir := filepath.Dir(path)
	return variables{
		dir:     dir,
		base:    BaseDir(path),
		literal: filepath.Ext(path) == ".toml",
		bare:    filepath.Base(path) == "settings.json" && filepath.Base(dir) == ".gemini",
	}
}

// expand replaces ${…} in s. field names the place for errors, which never contain s, because it
// may be a secret. A lone $ is kept, as is $NAME if the client does not support it.
func (v variables) expand(s, field string) (string, error) {
	if v.literal {
		return s, nil
	}
	if v.bare {
		s = Braced(s)
	}
	var out strings.Builder
	var errs []error
	for {
		before, rest, ok := strings.Cut(s, "${")
		expr, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			out.WriteString(s)
			return out.String(), errors.Join(errs...)
		}
		value, err := v.lookup(expr)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", field, err))
		}
		out.WriteString(before)
		out.WriteString(value)
		s = after
	}
}

// Braced replaces every $NAME in s by ${NAME}.
func Braced(s string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "$")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		n := 0
		for n < len(rest) && isName(rest[:n+1]) {
			n++
		}
		out.WriteByte('$')
		if n > 0 {
			out.WriteString("{" + rest[:n] + "}")
		}
		s = rest[n:]
	}
}

// lookup returns the value of the expression in the braces of ${…}.
func (v variables) lookup(expr string) (string, error) {
	switch expr {
	case "workspaceFolder":
		return Workspace(v.dir), nil
	case "workspaceFolderBasename":
		return filepath.Base(Workspace(v.dir)), nil
	case "userHome":
		return os.UserHomeDir()
	case "pathSeparator", "/":
		return string(filepath.Separator), nil
	}
	if id, ok := strings.CutPrefix(expr, "input:"); ok {
		return "", fmt.Errorf("${input:%s} asks the user, which only an editor can; write ${%s} and set that environment "+
			"variable",
			id, strings.ToUpper(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(id)))
	}
	if path, ok := strings.CutPrefix(expr, "file:"); ok {
		return readSecret(path, v.base)
	}
	if strings.Contains(expr, "${") {
		return "", fmt.Errorf("a variable inside of ${%s…} is not supported; write the default without a variable", expr)
	}
	name, fallback, hasFallback := strings.Cut(strings.TrimPrefix(expr, "env:"), ":-")
	if !isName(name) {
		return "", fmt.Errorf("unknown variable ${%s}; want ${NAME}, ${NAME:-default}, ${env:NAME}, ${file:PATH}, "+
			"${workspaceFolder}, ${userHome}", expr)
	}
	value, ok := os.LookupEnv(name)
	switch {
	case hasFallback && value == "": // like a shell, if unset or empty
		return fallback, nil
	case !ok:
		return "", fmt.Errorf("environment variable %q is not set; set it or write ${%s:-default}", name, name)
	}
	return value, nil
}

// Workspace returns the project folder of a config folder: the parent of .vscode and similar,
// otherwise the folder itself.
func Workspace(dir string) string {
	if b := filepath.Base(dir); len(b) > 1 && strings.HasPrefix(b, ".") {
		return filepath.Dir(dir)
	}
	return dir
}

// isName reports whether s is a valid name of an environment variable: letters, digits and
// underscores, not beginning with a digit.
func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
