// An INI parser with sections, includes by callback, interpolation, typed getters; text/scanner on the side.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
	"time"
)

type Section struct {
	Name string
	keys []string
	vals map[string]string
}

type File struct {
	*Section
	sections []*Section
}

type LineError struct {
	Line int
	Text string
}

func (e LineError) Error() string {
	return "line " + strconv.Itoa(e.Line) + ": " + strconv.Quote(e.Text)
}

func newSection(name string) *Section { return &Section{Name: name, vals: map[string]string{}} }

func (s *Section) set(k, v string) {
	if _, dup := s.vals[k]; !dup {
		s.keys = append(s.keys, k)
	}
	s.vals[k] = v
}

func Parse(src string, include func(string) (string, bool)) (f *File, err error) {
	f = &File{Section: newSection("")}
	cur := f.Section
	var parse func(string, int)
	parse = func(src string, depth int) {
		n := 0
		for line := range strings.Lines(src) {
			n++
			line = strings.TrimSpace(line)
			if i := strings.IndexAny(line, ";#"); i >= 0 {
				line = strings.TrimSpace(line[:i])
			}
			switch {
			case line == "":
			case line[0] == '[' && line[len(line)-1] == ']':
				cur = newSection(line[1 : len(line)-1])
				f.sections = append(f.sections, cur)
			case strings.HasPrefix(line, "!include "):
				body, ok := include(line[9:])
				if !ok || depth > 2 {
					err = errors.Join(err, LineError{n, line})
					continue
				}
				parse(body, depth+1)
			default:
				k, v, ok := strings.Cut(line, "=")
				if !ok {
					err = errors.Join(err, LineError{n, line})
					continue
				}
				cur.set(strings.ToLower(strings.TrimSpace(k)), strings.TrimSpace(v))
			}
		}
	}
	parse(src, 0)
	return
}

func (f *File) In(name string) *Section {
	for _, s := range f.sections {
		if s.Name == name {
			return s
		}
	}
	return f.Section
}

func Get[T any](s *Section, key string, def T) (out T, err error) {
	raw, ok := s.vals[key]
	if !ok {
		return def, nil
	}
	defer func() {
		if err != nil {
			out, err = def, fmt.Errorf("[%s] %s: %w", s.Name, key, err)
		}
	}()
	switch p := any(&out).(type) {
	case *string:
		*p = raw
	case *int:
		*p, err = strconv.Atoi(raw)
	case *bool:
		*p, err = strconv.ParseBool(raw)
	case *time.Duration:
		*p, err = time.ParseDuration(raw)
	case *[]string:
		for x := range strings.SplitSeq(raw, ",") {
			*p = append(*p, strings.TrimSpace(x))
		}
	default:
		err = fmt.Errorf("unsupported %T", out)
	}
	return
}

func main() {
	files := map[string]string{"common": "timeout = 1m30s\n!include loop", "loop": "depth=1\n!include loop"}
	f, err := Parse("Name = top ; comment\n[db]\nport=5432\nhosts = a, b ,c\nbroken\n!include common\n[web]\nport=eighty\ndebug=true\n!include none\nport = 90x",
		func(n string) (string, bool) { s, ok := files[n]; return s, ok })
	fmt.Println(err)
	var le LineError
	fmt.Println(errors.As(err, &le), le.Line, f.Name == "", len(f.sections), f.vals)
	db := f.In("db")
	fmt.Println(Get(db, "port", 1))
	fmt.Println(Get(db, "hosts", []string{}))
	fmt.Println(Get(db, "timeout", time.Second))
	fmt.Println(Get(f.In("web"), "port", 80))
	fmt.Println(Get(f.In("web"), "debug", false))
	fmt.Println(Get(f.In("nope"), "name", "?"))
	fmt.Println(Get(db, "missing", 3.5))
	fmt.Println(Get(db, "port", 3.5))
	fmt.Println(db.keys, f.In("web").keys)
	var s scanner.Scanner
	s.Init(strings.NewReader("x := 3.14 + f(\"str\", 'c') // end\n/* c */ y"))
	s.Filename = "mem"
	for tok := s.Scan(); tok != scanner.EOF; tok = s.Scan() {
		fmt.Print(s.Position, ":", scanner.TokenString(tok), "=", s.TokenText(), " ")
	}
	fmt.Println()
}
