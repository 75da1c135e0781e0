package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// isHarness reports whether a server is `harness serve` with one of these config files, such as a
// client's entry for it in the same file. If asked for its tools, it would start itself
// endlessly. files are absolute paths.
func (s *Server) isHarness(files []string) bool {
	words := s.harnessWords()
	if words == nil {
		return false
	}
	configs := flagValues(words, "config")
	for _, c := range configs {
		if !filepath.IsAbs(c) {
			c = filepath.Join(s.Cwd, c)
			if s.Cwd == "" {
				c, _ = filepath.Abs(c) // without a folder of its own, it is this process's
			}
		}
		if slices.Contains(files, filepath.Clean(c)) {
			return true
		}
	}
	return len(configs) == 0
}

// RunsHarness reports whether a server is harness serve, with any files.
func (s *Server) RunsHarness() bool { return s.harnessWords() != nil }

// harnessWords returns the command line of a server that is harness serve, from "harness" on, or
// nil.
func (s *Server) harnessWords() []string {
	if s.Type != Stdio {
		return nil
	}
	words := append([]string{s.Command}, s.Args...)
	serve := slices.Index(words, "serve")
	program := slices.IndexFunc(words, func(w string) bool {
		return strings.TrimSuffix(filepath.Base(filepath.FromSlash(w)), ".exe") == "harness"
	})
	if program < 0 || serve < program {
		return nil
	}
	return words[program:]
}

// flagValues returns the values of a flag that may be repeated.
func flagValues(words []string, name string) []string {
	var out []string
	for i, w := range words {
		flag, value, given := strings.Cut(strings.TrimLeft(w, "-"), "=")
		switch {
		case !strings.HasPrefix(w, "-") || flag != name:
		case given:
			out = append(out, value)
		case i+1 < len(words):
			out = append(out, words[i+1])
		}
	}
	return out
}
