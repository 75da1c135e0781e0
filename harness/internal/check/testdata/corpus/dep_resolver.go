package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Version struct{ Major, Minor, Patch int }

func ParseVersion(s string) (v Version, err error) {
	s = strings.TrimPrefix(s, "v")
	parts := strings.SplitN(s, ".", 3)
	dst := []*int{&v.Major, &v.Minor, &v.Patch}
	for i, p := range parts {
		if *dst[i], err = strconv.Atoi(p); err != nil {
			return Version{}, fmt.Errorf("version %q: part %d: %w", s, i+1, err)
		}
	}
	return v, nil
}
func (v Version) String() string { return fmt.Sprintf("v%d.%d.%d", v.Major, v.Minor, v.Patch) }
func (v Version) Compare(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch))
}

type Constraint struct {
	src  string
	test func(Version) bool
}

func (c Constraint) String() string { return c.src }
func ParseConstraint(s string) (Constraint, error) {
	tests := []func(Version) bool{}
	for part := range strings.FieldsSeq(s) {
		op := strings.TrimRight(part, "0123456789.v")
		v, err := ParseVersion(part[len(op):])
		if err != nil {
			return Constraint{}, fmt.Errorf("constraint %q: %w", s, err)
		}
		var f func(Version) bool
		switch op {
		case "", "=":
			f = func(x Version) bool { return x == v }
		case ">=":
			f = func(x Version) bool { return x.Compare(v) >= 0 }
		case "<":
			f = func(x Version) bool { return x.Compare(v) < 0 }
		case "^":
			f = func(x Version) bool { return x.Major == v.Major && x.Compare(v) >= 0 }
		case "~":
			hi := v
			hi.Minor++
			hi.Patch = 0
			f = func(x Version) bool { return x.Compare(v) >= 0 && x.Compare(hi) < 0 }
		default:
			return Constraint{}, fmt.Errorf("constraint %q: unknown operator %q", s, op)
		}
		tests = append(tests, f)
	}
	return Constraint{s, func(v Version) bool {
		for _, t := range tests {
			if !t(v) {
				return false
			}
		}
		return true
	}}, nil
}

type Release struct {
	Version
	Deps map[string]Constraint
}
type Index map[string][]Release
type Conflict struct {
	Pkg    string
	Wanted []string
	Have   *Version
}

func (c *Conflict) Error() string {
	have := "nothing fits"
	if c.Have != nil {
		have = "have " + c.Have.String()
	}
	return fmt.Sprintf("%s: %s (wanted %s)", c.Pkg, have, strings.Join(c.Wanted, ", "))
}

type solver struct {
	Index
	steps int
	last  *Conflict
}
type want struct {
	pkg, by string
	c       Constraint
}

func (s *solver) solve(todo []want, chosen map[string]Release) (map[string]Release, bool) {
	s.steps++
	if len(todo) == 0 {
		return chosen, true
	}
	w, rest := todo[0], todo[1:]
	if have, ok := chosen[w.pkg]; ok {
		if !w.c.test(have.Version) {
			v := have.Version
			s.last = &Conflict{w.pkg, []string{w.by + " wants " + w.c.String()}, &v}
			return nil, false
		}
		return s.solve(rest, chosen)
	}
	cands := slices.Clone(s.Index[w.pkg])
	slices.SortFunc(cands, func(a, b Release) int { return -a.Compare(b.Version) })
	found := false
	for _, r := range cands {
		if !w.c.test(r.Version) {
			continue
		}
		found = true
		next := make(map[string]Release, len(chosen)+1)
		for k, v := range chosen {
			next[k] = v
		}
		next[w.pkg] = r
		more := slices.Clip(rest)
		for _, d := range sorted(r.Deps) {
			more = append(more, want{d, w.pkg, r.Deps[d]})
		}
		if res, ok := s.solve(more, next); ok {
			return res, true
		}
	}
	if !found {
		s.last = &Conflict{Pkg: w.pkg, Wanted: []string{w.by + " wants " + w.c.String()}}
	}
	return nil, false
}
func sorted[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

const registry = `app 1.0.0 web ^1.0.0 db >=2.0.0 <3.0.0
app 2.0.0 web ^2.0.0 db ^3
web 1.2.0 log ~1.1.0
web 1.3.0 log ^2.0.0
web 2.0.0 log ^9
db 2.4.1 log ^1.0.0
db 2.0.0
db 3.1.0 log 1.1.4
log 1.1.4
log 1.5.0
log 2.0.0`

func load(src string) (Index, error) {
	idx := Index{}
	var errs []error
	for i, line := range strings.Split(src, "\n") {
		f := strings.Fields(line)
		v, err := ParseVersion(f[1])
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", i+1, err))
			continue
		}
		r := Release{v, map[string]Constraint{}}
		name := ""
		specs := map[string]string{}
		for _, tok := range f[2:] {
			if tok[0] >= 'a' && tok[0] <= 'z' {
				name = tok
			} else {
				specs[name] = strings.TrimSpace(specs[name] + " " + tok)
			}
		}
		for n, spec := range specs {
			c, err := ParseConstraint(spec)
			errs = append(errs, err)
			r.Deps[n] = c
		}
		idx[f[0]] = append(idx[f[0]], r)
	}
	return idx, errors.Join(errs...)
}

func main() {
	idx, err := load(registry)
	fmt.Println(len(idx), err)
	for _, goal := range []string{"app ^1.0.0", "app ^2.0.0", "app >=1.0.0", "web =1.3.0", "nope 1.0.0", "db <2.4.1"} {
		pkg, spec, _ := strings.Cut(goal, " ")
		c, _ := ParseConstraint(spec)
		s := &solver{Index: idx}
		res, ok := s.solve([]want{{pkg, "root", c}}, nil)
		if !ok {
			var err error = s.last
			fmt.Printf("%-12s FAIL in %d: %v\n", goal, s.steps, err)
			continue
		}
		fmt.Printf("%-12s", goal)
		for _, k := range sorted(res) {
			fmt.Printf(" %s@%v", k, res[k])
		}
		fmt.Println(" steps", s.steps)
	}
	for _, bad := range []string{"!1.0", "^1.x", "1.2.3.4", ">=", "~2"} {
		c, err := ParseConstraint(bad)
		fmt.Println(bad, c, err, c.test == nil, errors.Is(err, strconv.ErrSyntax))
	}
	_, err = load("a 1.z\nb 1 c !2")
	fmt.Println(err)
	fmt.Println(Version{1, 2, 3} == Version{1, 2, 3}, Version{1, 10, 0}.Compare(Version{1, 9, 9}))
	fmt.Printf("%v %+v %s\n", Release{Version: Version{Major: 1}}, &Version{}, Constraint{src: "x"})
}
