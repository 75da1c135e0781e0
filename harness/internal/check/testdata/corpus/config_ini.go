package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Section map[string]string
type Config struct {
	sections map[string]Section
	order    []string
}
type ErrLine struct {
	N    int
	Text string
	Why  error
}

func (e *ErrLine) Error() string { return fmt.Sprintf("%d: %q: %v", e.N, e.Text, e.Why) }
func (e *ErrLine) Unwrap() error { return e.Why }

var (
	ErrNoSection = errors.New("key outside of a section")
	ErrNoEquals  = errors.New("missing =")
	ErrDup       = errors.New("duplicate key")
)

func Parse(src string) (*Config, error) {
	c := &Config{sections: map[string]Section{}}
	var errs []error
	var cur Section
	sc := bufio.NewScanner(strings.NewReader(src))
	cont := ""
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(cont + sc.Text())
		cont = ""
		if i := strings.IndexAny(line, "#;"); i >= 0 && !strings.Contains(line[:i], `"`) {
			line = strings.TrimSpace(line[:i])
		}
		bad := func(err error) { errs = append(errs, &ErrLine{n, line, err}) }
		switch {
		case line == "":
		case strings.HasSuffix(line, `\`):
			cont = line[:len(line)-1]
		case line[0] == '[' && line[len(line)-1] == ']':
			name := line[1 : len(line)-1]
			if _, ok := c.sections[name]; !ok {
				c.sections[name] = Section{}
				c.order = append(c.order, name)
			}
			cur = c.sections[name]
		case cur == nil:
			bad(ErrNoSection)
		default:
			k, v, ok := strings.Cut(line, "=")
			if !ok {
				bad(ErrNoEquals)
				break
			}
			k, v = strings.TrimSpace(k), strings.TrimSpace(v)
			if _, dup := cur[k]; dup {
				bad(fmt.Errorf("%w %s", ErrDup, k))
				continue
			}
			if u, err := strconv.Unquote(v); err == nil {
				v = u
			}
			cur[k] = v
		}
	}
	return c, errors.Join(errs...)
}

type decoder interface {
	int | bool | string | float64 | time.Duration | []string
}

func Get[T decoder](c *Config, path string, def T) (T, error) {
	sec, key, _ := strings.Cut(path, ".")
	raw, ok := c.sections[sec][key]
	if !ok {
		return def, nil
	}
	raw = c.expand(sec, raw, 0)
	var out any
	var err error
	switch any(def).(type) {
	case int:
		out, err = strconv.Atoi(raw)
	case bool:
		out, err = strconv.ParseBool(raw)
	case float64:
		out, err = strconv.ParseFloat(raw, 64)
	case time.Duration:
		out, err = time.ParseDuration(raw)
	case []string:
		parts := strings.Split(raw, ",")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		out = parts
	case string:
		out = raw
	}
	if err != nil {
		return def, fmt.Errorf("%s: %w", path, err)
	}
	return out.(T), nil
}
func (c *Config) expand(sec, s string, depth int) string {
	if depth > 5 {
		return "<loop>"
	}
	var sb strings.Builder
	for {
		i := strings.Index(s, "${")
		j := strings.IndexByte(s, '}')
		if i < 0 || j < i {
			return sb.String() + s
		}
		sb.WriteString(s[:i])
		ref := s[i+2 : j]
		rs, rk := sec, ref
		if a, b, ok := strings.Cut(ref, "."); ok {
			rs, rk = a, b
		}
		sb.WriteString(c.expand(rs, c.sections[rs][rk], depth+1))
		s = s[j+1:]
	}
}
func (c *Config) String() string {
	var b strings.Builder
	for _, s := range c.order {
		fmt.Fprintf(&b, "[%s]\n", s)
		w := 0
		for k := range c.sections[s] {
			w = max(w, len(k))
		}
		for _, k := range slices.Sorted(maps.Keys(c.sections[s])) {
			fmt.Fprintf(&b, "  %-*s = %q\n", w, k, c.sections[s][k])
		}
	}
	return b.String()
}

const src = `stray = 1
[server]
host = example.com ; comment
port = 80\
80
url = "http://${host}:${port}/${paths.root}"
debug = maybe
hosts = a, b ,c
host = dup
[paths]
root = ${base}/www
base = /srv
loop = ${loop}!
nonsense
timeout = 1h30m
ratio = .25`

func show[T decoder](c *Config, path string, def T) {
	v, err := Get(c, path, def)
	fmt.Printf("%s: %v (%T) err=%v\n", path, v, v, err)
}

func main() {
	c, err := Parse(src)
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		var el *ErrLine
		if errors.As(e, &el) {
			fmt.Println(el.N, el.Why, errors.Is(e, ErrDup))
		}
	}
	fmt.Print(c)
	show(c, "server.port", 1)
	show(c, "server.url", "")
	show(c, "server.debug", true)
	show(c, "server.hosts", []string(nil))
	show(c, "server.none", 2.5)
	show(c, "paths.timeout", time.Second)
	show(c, "paths.ratio", 1.0)
	show(c, "paths.loop", "?")
	show[string](c, "nosec.x", "fallback")
	show(c, "paths.base", 7)
	_, err = Get(c, "paths.root", false)
	fmt.Println(errors.Is(err, strconv.ErrSyntax))
}
