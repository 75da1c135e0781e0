// Semantic versions: parse, compare, ranges as closures, best match.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Version struct {
	Nums [3]int
	Pre  string
}

var errParts = errors.New("want MAJOR.MINOR.PATCH")

func ParseVersion(s string) (v Version, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("version %q: %w", s, err)
		}
	}()
	core, pre, _ := strings.Cut(strings.TrimPrefix(s, "v"), "-")
	v.Pre = pre
	parts := strings.Split(core, ".")
	if len(parts) != len(v.Nums) {
		return v, errParts
	}
	for i, p := range parts {
		if v.Nums[i], err = strconv.Atoi(p); err != nil {
			return
		}
	}
	return
}

func (v Version) Compare(o Version) int {
	if c := slices.Compare(v.Nums[:], o.Nums[:]); c != 0 {
		return c
	}
	switch {
	case v.Pre == o.Pre:
		return 0
	case v.Pre == "":
		return +1
	case o.Pre == "":
		return -1
	}
	return cmp.Compare(v.Pre, o.Pre)
}

func (v Version) String() string {
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(v.Nums), " ", "."), "[]")
	if v.Pre != "" {
		s += "-" + v.Pre
	}
	return s
}

func (v Version) Bump(i int) Version {
	v.Nums[i]++
	clear(v.Nums[i+1:])
	v.Pre = ""
	return v
}

type Range func(Version) bool

func (r Range) And(o Range) Range { return func(v Version) bool { return r(v) && o(v) } }

func ParseRange(s string) (Range, error) {
	all := Range(func(Version) bool { return true })
	for _, f := range strings.Fields(s) {
		i := strings.IndexAny(f, "0123456789")
		if i < 0 {
			return nil, fmt.Errorf("no version in %q", f)
		}
		v, err := ParseVersion(f[i:])
		if err != nil {
			return all, err
		}
		var r Range
		switch op := f[:i]; op {
		case "", "=":
			r = func(x Version) bool { return x == v }
		case ">=":
			r = func(x Version) bool { return x.Compare(v) >= 0 }
		case "<":
			r = func(x Version) bool { return x.Compare(v) < 0 }
		case "^", "~":
			hi := v.Bump(len(op) - 1)
			if op == "~" {
				hi = v.Bump(1)
			}
			r = func(x Version) bool { return x.Compare(v) >= 0 && x.Compare(hi) < 0 && x.Pre == "" }
		default:
			return nil, fmt.Errorf("unknown operator %q", op)
		}
		all = all.And(r)
	}
	return all, nil
}

func main() {
	var vs []Version
	for s := range strings.SplitSeq("1.2.3,v1.10.0,1.2.10,2.0.0-rc.1,2.0.0,0.9.9,1.2,1.x.0,2.0.0-alpha", ",") {
		v, err := ParseVersion(s)
		if errors.Is(err, errParts) || errors.Is(err, strconv.ErrSyntax) {
			fmt.Println("skip:", err)
			continue
		}
		vs = append(vs, v)
	}
	slices.SortFunc(vs, Version.Compare)
	fmt.Println(vs)
	fmt.Printf("%v %+v %d\n", vs[0], vs[:1], vs[0].Nums)
	for _, rs := range []string{"^1.2.0", "~1.2.4", ">=1.3.0 <2.0.0", "=2.0.0-rc.1", ">=3.0.0", "!1.0.0", "latest", "^1"} {
		r, err := ParseRange(rs)
		if err != nil {
			fmt.Printf("%-16s error %v nil=%t\n", rs, err, r == nil)
			continue
		}
		ok := slices.Collect(func(yield func(Version) bool) {
			for _, v := range slices.Backward(vs) {
				if r(v) && !yield(v) {
					return
				}
			}
		})
		fmt.Printf("%-16s %v\n", rs, ok)
	}
	v := vs[2]
	fmt.Println(v, v.Bump(0), v.Bump(1), v.Bump(2), v)
}
