package openapi

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// chooser selects the operations of a document that become tools: those with one of the tags and
// one of the paths in the definition, without the excluded ones ("!…").
type chooser struct {
	tags, paths []string
	used        map[string]bool // patterns with a match
}

func newChooser(tags, paths []string) *chooser {
	return &chooser{tags: tags, paths: paths, used: map[string]bool{}}
}

// wants reports whether an operation becomes a tool.
func (c *chooser) wants(method, path string, tags []string) bool {
	return c.passes(c.tags, func(pattern string) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return glob(pattern, tag) })
	}) && c.passes(c.paths, func(pattern string) bool { return pathGlob(pattern, method, path) })
}

// passes reports whether a list of patterns accepts something. An empty list, or one with only
// exclusions, accepts everything that it does not exclude.
func (c *chooser) passes(patterns []string, matches func(string) bool) bool {
	wanted, inclusions := false, false
	for _, p := range patterns {
		pattern, excluded := strings.CutPrefix(p, "!")
		match := matches(pattern)
		c.used[p] = c.used[p] || match
		if match && excluded {
			return false
		}
		wanted = wanted || match
		inclusions = inclusions || !excluded
	}
	return wanted || !inclusions
}

// unused returns problems for the patterns that matched no operation.
func (c *chooser) unused() (problems []string) {
	for _, list := range []struct {
		key      string
		patterns []string
	}{{"tags", c.tags}, {"paths", c.paths}} {
		for _, p := range list.patterns {
			if !c.used[p] {
				problems = append(problems, fmt.Sprintf("%q in %s matches no operation", p, list.key))
			}
		}
	}
	return problems
}

// glob matches as path.Match does. An invalid pattern matches itself.
func glob(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil || pattern == text
}

// pathGlob matches a path part by part: * matches one part or some of it, ** any number of parts.
// A method may precede the path: "GET /users/**".
func pathGlob(pattern, method, path string) bool {
	if m, rest, ok := strings.Cut(pattern, " "); ok {
		if !strings.EqualFold(m, method) {
			return false
		}
		pattern = strings.TrimSpace(rest)
	}
	return parts(strings.Split(pattern, "/"), strings.Split(path, "/"))
}

// parts matches lists of parts. Each ** costs one pass over the rest.
func parts(patterns, path []string) bool {
	back, from := -1, 0 // the last ** and its current position
	p, i := 0, 0
	for i < len(path) {
		switch {
		case p < len(patterns) && patterns[p] == "**":
			back, from = p, i
			p++
		case p < len(patterns) && glob(patterns[p], path[i]):
			p, i = p+1, i+1
		case back >= 0:
			from++
			p, i = back+1, from
		default:
			return false
		}
	}
	for p < len(patterns) && patterns[p] == "**" {
		p++
	}
	return p == len(patterns)
}
