package config

import (
	"bytes"
	"fmt"
	"strings"
)

// maxEnvFileBytes bounds an envFile.
const maxEnvFileBytes = 1 << 20

// readEnv adds the variables of an env file to s.Env. Those of the entry override them.
func (s *Server) readEnv(path string) error {
	data, err := readBounded(path, maxEnvFileBytes)
	if err != nil {
		return fmt.Errorf("envFile: %w", err)
	}
	vars, err := parseEnv(data)
	if err != nil {
		return fmt.Errorf("envFile %q: %w", path, err)
	}
	if s.Env == nil {
		s.Env = Secrets{}
	}
	for k, v := range vars {
		if _, ok := s.Env[k]; !ok {
			s.Env[k] = v
		}
	}
	return nil
}

// parseEnv parses lines of NAME=value. It skips blank lines and lines that start with #, and
// drops a leading export and quotes around the value.
func parseEnv(data []byte) (map[string]string, error) {
	vars := map[string]string{}
	for i, line := range strings.Split(string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !isName(name) {
			return nil, fmt.Errorf("line %d is not of the form NAME=value", i+1)
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		vars[name] = value
	}
	return vars, nil
}
