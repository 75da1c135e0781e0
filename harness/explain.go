package harness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/wrappers"
)

// What the checker's messages are told apart by. The worker is the same
// program, so that nothing is compiled before it is needed.
var (
	undefinedName    = pattern(`^undefined: (\w+)\.(\w+)`)
	undefinedPackage = pattern(`^undefined: (\w+)$`)
	missingPackage   = pattern(`^package servers/(\w*) is not there`)
	faultyCall       = pattern(`(?:arguments in call to|value in argument to|multiple-value) (\w+)\.(\w+)\b`)
	qualified        = pattern(`\b([a-z]\w*)\.([A-Z]\w*)\b`)
)

func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// maxError is what an error about one wrong name may cost, in tokens.
const maxError = 150

// explain adds to compile errors what only the harness knows: the servers and
// functions of the whole registry, of which the worker has seen just the
// declared ones, and the one signature that matters. It returns those that say
// something of their own.
func (r *run) explain(errs []Error) []Error {
	if r.cat == nil {
		return errs
	}
	said := map[string]bool{}
	for _, e := range errs {
		said[e.Message] = true
	}
	errs = slices.DeleteFunc(errs, func(e Error) bool { return r.follows(e, said) })
	shown := map[string]bool{}
	for i := range errs {
		e := &errs[i]
		r.explainOne(e)
		e.Signatures = slices.DeleteFunc(e.Signatures, func(s string) bool {
			before := shown[s]
			shown[s] = true
			return before
		})
	}
	return errs
}

func (r *run) explainOne(e *Error) {
	switch {
	case strings.Contains(e.Message, "is not a value of"): // the hint has the values
		e.Signatures = nil
		return
	case missingPackage().MatchString(e.Message):
		r.explainPackage(e, missingPackage().FindStringSubmatch(e.Message)[1], "servers/")
		return
	}
	if m := undefinedPackage().FindStringSubmatch(e.Message); m != nil {
		if near, ok := strings.CutPrefix(e.Hint, "did you mean "); ok && !r.namesServer(near) { // a variable, most likely
			return
		}
		if r.explainBare(e, m[1]) {
			return
		}
		if slices.ContainsFunc(r.names, func(n worker.Name) bool { return n.Package == m[1] }) && r.server(m[1]) == nil && e.Kind == KindCompile {
			r.explainPackage(e, m[1], "")
		}
		return
	}
	if m := undefinedName().FindStringSubmatch(e.Message); m != nil {
		if s := r.server(m[1]); s != nil {
			r.explainUndefined(e, s, m[2])
		}
		return
	}
	if m := faultyCall().FindStringSubmatch(e.Message); m != nil {
		if s := r.server(m[1]); s != nil {
			if t, ok := s.Func(m[2]); ok {
				e.Signatures = []string{t.Signature()}
				if t.ParamsType() != "" && !strings.Contains(e.Message, "context.Context") {
					e.add(s.Declaration(t.ParamsType(), e.room()))
				}
				return
			}
		}
	}
	for _, m := range qualified().FindAllStringSubmatch(e.Message, 8) {
		if s := r.server(m[1]); s != nil && len(s.Type(m[2])) > 0 {
			e.Signatures = nil
			e.add(s.Declaration(m[2], e.room()))
			return
		}
	}
}

// room is how many characters an error may still grow by.
func (e *Error) room() int { return max(maxError*4-len(e.Text()), 120) }

func (e *Error) add(signature string) {
	if signature != "" {
		e.Signatures = append(e.Signatures, signature)
	}
}

// typeSuffixes are what scripts put behind a function's name to name a type.
var typeSuffixes = []string{"Params", "Args", "Arguments", "Input", "Request", "Options", "Result", "Response", "Output"}

// addTool adds how a tool is called.
func (e *Error) addTool(t *wrappers.Tool) {
	e.add(t.Signature())
	if t.ParamsType() != "" {
		e.add(t.Package().Declaration(t.ParamsType(), e.room()))
	}
}

// follows reports whether an error only repeats another one: the params of a
// function that is not there, or of one that takes none.
func (r *run) follows(e Error, said map[string]bool) bool {
	m := undefinedName().FindStringSubmatch(e.Message)
	if m == nil {
		if m := undefinedPackage().FindStringSubmatch(e.Message); m != nil { // GitLogParams beside GitLog
			return slices.ContainsFunc(typeSuffixes, func(suffix string) bool {
				fn, ok := strings.CutSuffix(m[1], suffix)
				return ok && said["undefined: "+fn]
			})
		}
		return false
	}
	for _, suffix := range typeSuffixes {
		fn, ok := strings.CutSuffix(m[2], suffix)
		if !ok {
			continue
		}
		if said["undefined: "+m[1]+"."+fn] {
			return true
		}
		for other := range said {
			if strings.HasPrefix(other, "too many arguments in call to "+m[1]+"."+fn+" ") {
				return true
			}
		}
	}
	return false
}

// explainBare explains a name without a package, or with one that is none, by
// the tools that are called so.
func (r *run) explainBare(e *Error, name string) bool {
	if name == "servers" {
		e.Hint = `a server is used by its own name: import "servers/git", and then git.Log(…)`
		return true
	}
	found := r.view.Named(name)
	for _, n := range r.names {
		if n.Package == name && r.server(name) == nil {
			found = append(found, r.view.Named(n.Name)...)
		}
	}
	for id := range r.allowed {
		if t := r.allowed[id]; name == t.ParamsType() || name == t.ResultType() {
			e.Hint = "did you mean " + t.Package().Package + "." + name + "?"
			e.Signatures = nil
			return true
		}
	}
	if len(found) == 0 {
		return false
	}
	var names []string
	for _, t := range found[:min(len(found), 3)] {
		names = append(names, t.Go())
	}
	e.Hint = "did you mean " + strings.Join(names, " or ") + "? A tool is a function of its server's package"
	e.Signatures = nil
	e.addTool(found[0])
	return true
}

// explainPackage tells which servers there are.
func (r *run) explainPackage(e *Error, name, path string) {
	var names []string
	near := r.view.NearPackages(name, 3)
	for _, s := range near {
		names = append(names, path+s.Package)
	}
	if len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(names, " or ") + "?"
		if t := r.nearTool(name, near); t != nil && path == "" {
			e.Hint = "did you mean " + t.Go() + "?"
			e.addTool(t)
		}
		return
	}
	for _, s := range r.view.Servers() {
		names = append(names, path+s.Package)
	}
	e.Hint = "there is no variable and no server " + name
	if path != "" {
		e.Hint = "there is no server " + name
	}
	if len(names) > 0 {
		e.Hint += "; the registry has " + listed(names, 20)
	}
}

// namesServer reports whether a question names a server's package.
func (r *run) namesServer(question string) bool {
	return slices.ContainsFunc(strings.Split(strings.TrimSuffix(question, "?"), " or "), func(name string) bool { return r.server(name) != nil })
}

// nearTool looks in the servers whose names are near a wrong one for the tool
// that the script calls by it: the one that it declared, or that has the name
// nearest to what stands behind the dot.
func (r *run) nearTool(name string, near []*wrappers.Server) *wrappers.Tool {
	for _, s := range near {
		var declared []*wrappers.Tool
		for _, t := range s.Tools {
			if r.allowed[t.ID] != nil {
				declared = append(declared, t)
			}
		}
		if len(declared) == 1 {
			return declared[0]
		}
	}
	for _, n := range r.names {
		if n.Package != name {
			continue
		}
		for _, s := range near {
			if found := s.Near(n.Name, 1); len(found) > 0 {
				return found[0]
			}
		}
	}
	return nil
}

// explainUndefined looks for the function or type of a server that was meant.
func (r *run) explainUndefined(e *Error, s *wrappers.Server, name string) {
	if reg, ok := r.cat.Registry.Server(s.Name); ok && len(s.Tools) == 0 && reg.Error != nil {
		e.Signatures, e.Hint = nil, fmt.Sprintf("the server %s has no tools: it could not be asked (%s)", s.Name, cut(OfServer(s.Name, *reg.Error), 200))
		r.result.Down = append(r.result.Down, s.Name)
		return
	}
	for i, suffix := range typeSuffixes {
		fn, ok := strings.CutSuffix(name, suffix)
		if !ok {
			continue
		}
		if t, ok := s.Func(fn); ok {
			right := t.ParamsType()
			if i >= slices.Index(typeSuffixes, "Result") {
				right = t.ResultType()
			}
			e.Signatures, e.Hint = nil, t.Go()+" takes no arguments: "+t.Go()+"()"
			if right != "" {
				e.Hint = "did you mean " + s.Package + "." + right + "?"
				e.add(s.Declaration(right, e.room()))
			}
			return
		}
	}
	called := strings.Contains(e.Snippet, s.Package+"."+name+"(") && !strings.Contains(name, "Params") && !strings.Contains(name, "Result")
	if !called && len(e.Signatures) > 0 && strings.HasPrefix(e.Signatures[0], "type ") {
		right, _, _ := strings.Cut(strings.TrimPrefix(e.Signatures[0], "type "), " ")
		e.Signatures = nil
		e.add(s.Declaration(right, e.room()))
		return
	}
	e.Signatures, e.Hint = nil, ""
	hidden := func(t *wrappers.Tool) bool { return r.hides(t.ID) }
	near := slices.DeleteFunc(s.Near(name, 3), hidden)
	if len(near) == 0 {
		var names []string
		for _, t := range s.Tools {
			if !hidden(t) {
				names = append(names, t.Func)
			}
		}
		if e.Hint = s.Package + " has " + listed(names, 20); len(names) == 0 {
			e.Hint = s.Package + " has no tool that this script may call"
		}
		return
	}
	t := near[0]
	e.Hint = "did you mean " + t.Go() + "?"
	if len(near) > 1 {
		e.Hint += " There are also " + near[1].Func
		if len(near) > 2 {
			e.Hint += " and " + near[2].Func
		}
	}
	e.addTool(t)
}

// listed joins the first n names.
func listed(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:n], ", ") + " …"
}

// snippet is a line of the script, cut.
func snippet(source string, line int) string {
	if line <= 0 {
		return ""
	}
	n := 0
	for l := range strings.Lines(source) {
		if n++; n == line {
			return cut(strings.TrimRight(strings.ToValidUTF8(l, "\uFFFD"), "\r\n"), 160)
		}
	}
	return ""
}

// cut shortens text to max characters.
func cut(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max-1]) + "…"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
