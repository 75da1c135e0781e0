package registry

import (
	"path"
	"strings"
)

// Match reports whether a pattern of path.Match matches the name of a server or
// a tool. Unlike in a path, * matches a slash too. A name matches itself.
func Match(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return pattern == name || ok && err == nil
}

// Match reports whether a pattern matches the tool's ID or its server's name.
func (t *Tool) Match(pattern string) bool { return Match(pattern, t.Server) || Match(pattern, t.ID) }

// IsPattern reports whether a text is not empty and a valid pattern for Match.
func IsPattern(text string) bool {
	_, err := path.Match(text, "x")
	return text != "" && err == nil
}
