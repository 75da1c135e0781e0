package export

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed allow.txt
var allowText string

//go:embed refuse.txt
var refuseText string

type rules struct {
	paths   []string            // the paths that scripts may import, sorted
	allowed map[string][]string // path to its only names; if nil, all are allowed
	refused map[string]string   // key of refuse.txt to its advice
}

var lists = sync.OnceValue(func() rules {
	r := rules{allowed: map[string][]string{}, refused: map[string]string{}}
	for line := range strings.Lines(allowText) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 0 {
			r.paths = append(r.paths, f[0])
			r.allowed[f[0]] = f[1:]
		}
	}
	for line := range strings.Lines(refuseText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if key, advice, ok := strings.Cut(line, ": "); ok {
			r.refused[key] = strings.TrimSpace(advice)
		}
	}
	slices.Sort(r.paths)
	return r
})

// Refused reports whether scripts may not use a name of an available package, and returns
// advice. A method's name is "Type.Method", a field's "Type.Field".
func Refused(path, name string) (advice string, refused bool) {
	l := lists()
	if advice, refused = l.refused[path+"."+name]; refused {
		return advice, true
	}
	if only := l.allowed[path]; len(only) > 0 && !strings.Contains(name, ".") && !slices.Contains(only, name) {
		return l.refused[path+".*"], true
	}
	return "", false
}

// RefusesMember reports whether scripts may not use a method or field of this name, for any
// type of the package.
func RefusesMember(path, name string) bool {
	for key := range lists().refused {
		if strings.HasPrefix(key, path+".") && strings.HasSuffix(key, "."+name) {
			return true
		}
	}
	return false
}

// Advice returns why a package is not available and what to do instead. It names the
// nearest available package if the path looks misspelt.
func Advice(importPath string) string {
	l := lists()
	if advice, ok := l.refused[importPath]; ok {
		return advice
	}
	if near := nearest(importPath, l.paths); near != "" {
		return "did you mean " + near + "?"
	}
	for dir := importPath; dir != "."; dir = path.Dir(dir) {
		if advice, ok := l.refused[dir+"/..."]; ok {
			return advice
		}
		if dir == "/" {
			break
		}
	}
	first, _, _ := strings.Cut(importPath, "/")
	if strings.Contains(first, ".") {
		return "scripts can import only the standard library and servers/<name>; write the code in the script or declare a tool"
	}
	return "scripts can import only part of the standard library and servers/<name>; the documentation lists the packages"
}

// ByName returns the paths of the available packages with this name, the most commonly
// meant first: "rand" is math/rand, math/rand/v2 and crypto/rand.
func ByName(name string) []string {
	var found []string
	for _, p := range lists().paths {
		if PackageName(p) == name {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return rank(a) - rank(b) })
	return found
}

// PackageName returns the name of the package with an available path: the last element that
// is not a version.
func PackageName(importPath string) string {
	if importPath == "math/rand/v2" {
		return "rand"
	}
	return path.Base(importPath)
}

// rank orders packages of one name. The rarer one has the higher rank.
func rank(importPath string) int {
	switch importPath {
	case "crypto/rand", "html/template", "text/scanner":
		return 2
	case "math/rand/v2":
		return 1
	}
	return 0
}

// nearest returns the only available path that differs from asked in case, a missing or
// extra "s", the folder, or a version. It returns "" if there is not exactly one.
func nearest(asked string, paths []string) string {
	lower := strings.ToLower(asked)
	for _, p := range paths {
		if p == lower || p == strings.TrimSuffix(lower, "s") || p == lower+"s" {
			return p
		}
	}
	if strings.Contains(asked, ".") {
		return ""
	}
	base, found := path.Base(lower), ""
	for _, p := range paths {
		if path.Base(p) == base {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}
