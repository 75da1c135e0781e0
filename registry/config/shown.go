package config

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/redact"
)

// Redactor hides the secrets of a definition: values of env, headers and query,
// the OAuth client's secret, and what looks secret in its URLs and arguments.
func (s *Server) Redactor() *redact.Redactor {
	secrets := &redact.Secrets{Named: []map[string]string{s.Env, s.Headers, s.Query}, URLs: []string{s.URL, s.BaseURL},
		Args: s.Args}
	if s.OAuth != nil {
		secrets.Values = append(secrets.Values, string(s.OAuth.ClientSecret))
	}
	return redact.New(secrets)
}

// ByHand says how a person runs a stdio server: its command as the config writes
// it, without what may be secret, where it runs, and the names of its variables.
func (s *Server) ByHand() string {
	d := s.definition()
	words := append([]string{d.Command}, redact.Args(d.Args)...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'`\\*?[]()<>|&;#!") {
			words[i] = strconv.Quote(w)
		}
	}
	text := strings.Join(words, " ")
	if s.Cwd != "" {
		text += " in " + filepath.ToSlash(s.Cwd)
	}
	if names := s.Env.Names(); len(names) > 0 {
		text += " with its " + strings.Join(names, ", ")
	}
	return text
}
