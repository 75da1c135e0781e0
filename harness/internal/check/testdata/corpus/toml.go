package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Value struct {
	kind kind
	s    string
	i    int64
	f    float64
	b    bool
	list []Value
}
type kind byte

const (
	kString kind = 's'
	kInt    kind = 'i'
	kFloat  kind = 'f'
	kBool   kind = 'b'
	kList   kind = 'l'
)

func (v Value) Any() any {
	switch v.kind {
	case kString:
		return v.s
	case kInt:
		return v.i
	case kFloat:
		return v.f
	case kBool:
		return v.b
	case kList:
		out := make([]any, len(v.list))
		for i := range v.list {
			out[i] = v.list[i].Any()
		}
		return out
	}
	return nil
}

func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.Any()) }

type Section map[string]Value
type Config struct {
	sections map[string]Section
	order    []string
}

type ParseError struct {
	Line int
	Err  error
}

func (p *ParseError) Error() string { return "line " + strconv.Itoa(p.Line) + ": " + p.Err.Error() }
func (p *ParseError) Unwrap() error { return p.Err }

var (
	errNoValue = errors.New("missing value")
	errSection = errors.New("malformed section")
)

func parseValue(s string) (v Value, err error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		err = errNoValue
		return
	case s == "true", s == "false":
		v.kind = kBool
		v.b = s == "true"
		return
	case s[0] == '"':
		v.kind = kString
		v.s, err = strconv.Unquote(s)
		return v, err
	case strings.HasPrefix(s, "["):
		if s[len(s)-1] != ']' {
			return v, fmt.Errorf("unterminated list %s", s)
		}
		v.kind = kList
		for part := range strings.SplitSeq(s[1:len(s)-1], ",") {
			e, err := parseValue(part)
			if err != nil {
				return Value{}, fmt.Errorf("in list: %w", err)
			}
			v.list = append(v.list, e)
		}
		return v, nil
	}
	if i, e := strconv.ParseInt(s, 0, 64); e == nil {
		return Value{kind: kInt, i: i}, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	return Value{kind: kFloat, f: f}, err
}

func Parse(r io.Reader) (*Config, error) {
	cfg := &Config{sections: map[string]Section{"": {}}}
	cur := cfg.sections[""]
	var errs []error
	sc := bufio.NewScanner(r)
	for n := 1; sc.Scan(); n++ {
		line, _, _ := strings.Cut(sc.Text(), "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] == '[' {
			name, ok := strings.CutSuffix(line[1:], "]")
			if !ok || name == "" {
				errs = append(errs, &ParseError{n, errSection})
				continue
			}
			if _, dup := cfg.sections[name]; !dup {
				cfg.sections[name] = Section{}
				cfg.order = append(cfg.order, name)
			}
			cur = cfg.sections[name]
			continue
		}
		k, val, ok := strings.Cut(line, "=")
		if !ok {
			errs = append(errs, &ParseError{n, fmt.Errorf("expected key = value, got %q", line)})
			continue
		}
		v, err := parseValue(val)
		if err != nil {
			errs = append(errs, &ParseError{n, err})
			continue
		}
		cur[strings.TrimSpace(k)] = v
	}
	return cfg, errors.Join(errs...)
}

func Get[T any](c *Config, section, key string, def T) T {
	if v, ok := c.sections[section][key]; ok {
		if t, ok := v.Any().(T); ok {
			return t
		}
	}
	return def
}

const src = `# top
name = "demo \u00e9"
port = 0x1F90
ratio = 2.5e-3
[server]
hosts = ["a", "b", "c"]
debug = true
bad = "unterminated
empty =
[broken
[limits]
nums = [1, 2, x]
just words
big = 99999999999999999999
max = 1_000
`

func main() {
	cfg, err := Parse(strings.NewReader(src))
	fmt.Println(err)
	fmt.Println(errors.Is(err, errSection), errors.Is(err, errNoValue), errors.Is(err, strconv.ErrSyntax))
	var pe *ParseError
	if errors.As(err, &pe) {
		fmt.Println("first at line", pe.Line)
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		fmt.Println(len(joined.Unwrap()), "errors")
	}
	fmt.Println(cfg.order, Get(cfg, "", "port", int64(1)), Get(cfg, "", "port", "str"), Get(cfg, "server", "debug", false))
	for _, s := range slices.Sorted(maps.Keys(cfg.sections)) {
		b, err := json.Marshal(cfg.sections[s])
		fmt.Printf("%q: %s %v\n", s, b, err)
	}
	fmt.Printf("%v\n%+v\n", cfg.sections["server"]["hosts"].list[0], cfg.sections["limits"]["big"])
}
