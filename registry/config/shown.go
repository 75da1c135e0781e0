package config

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/redact"
)

// Redactor returns a redactor for the secrets of a definition: values of env, headers and query,
// the OAuth client's secret, and parts of its URLs and arguments that look secret.
func (s *Server) Redactor() *redact.Redactor { return redact.New(s.secrets()) }

// Redactor returns a redactor for the secrets of all definitions.
func (c *Config) Redactor() *redact.Redactor {
	all := &redact.Secrets{}
	for i := range c.Servers {
		s := c.Servers[i].secrets()
		all.Named = append(all.Named, s.Named...)
		all.URLs = append(all.URLs, s.URLs...)
		all.Args = append(all.Args, s.Args...)
		all.Values = append(all.Values, s.Values...)
	}
	return redact.New(all)
}

func (s *Server) secrets() *redact.Secrets {
	secrets := &redact.Secrets{Named: []map[string]string{s.Env, s.Headers, s.Query}, URLs: []string{s.URL, s.BaseURL},
		Args: s.Args}
	if s.OAuth != nil {
		secrets.Values = append(secrets.Values, string(s.OAuth.ClientSecret))
	}
	return secrets
}

// ByHand describes how a person runs a stdio server: its command as the config writes it, without
// possible secrets, its folder, and the names of its variables.
func (s *Server) ByHand() string {
	d := s.definition()
	words := append([]string{d.Command}, redact.Args(d.Args)...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'`\\*?[]()<>|&;#!") {
			words[i] = strconv.Quote(w)
		}
	}
	text := strings.Join(words, " ")
	if here, err := os.Getwd(); err == nil || s.Cwd != "" {
		text += " in " + filepath.ToSlash(cmp.Or(s.Cwd, here))
	}
	if names := s.Env.Names(); len(names) > 0 {
		text += " with its " + strings.Join(names, ", ")
	}
	return text
}
