package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A small YAML subset parser feeding typed structs through JSON.
type line struct {
	indent int
	text   string
	no     int
}

type yamlError struct {
	line int
	msg  string
}

func (e yamlError) Error() string { return fmt.Sprintf("yaml: line %d: %s", e.line, e.msg) }

type parser struct {
	lines []line
	pos   int
}

func newParser(src string) *parser {
	p := new(parser)
	for i, raw := range strings.Split(src, "\n") {
		if j := strings.Index(raw, " #"); j >= 0 {
			raw = raw[:j]
		}
		t := strings.TrimLeft(raw, " ")
		if t == "" || t[0] == '#' || t == "---" {
			continue
		}
		p.lines = append(p.lines, line{len(raw) - len(t), strings.TrimRight(t, " "), i + 1})
	}
	return p
}

func scalar(s string) any {
	switch s {
	case "", "~", "null":
		return nil
	case "true", "yes":
		return true
	case "false", "no":
		return false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return f
	}
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		out := []any{}
		for _, part := range strings.Split(s[1:len(s)-1], ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, scalar(part))
			}
		}
		return out
	}
	return s
}

func (p *parser) block(indent int) any {
	if p.pos >= len(p.lines) {
		return nil
	}
	if strings.HasPrefix(p.lines[p.pos].text, "- ") {
		return p.list(p.lines[p.pos].indent)
	}
	return p.object(p.lines[p.pos].indent)
}

func (p *parser) list(indent int) []any {
	var out []any
	for p.pos < len(p.lines) {
		l := &p.lines[p.pos]
		if l.indent < indent || !strings.HasPrefix(l.text, "- ") {
			break
		}
		if l.indent > indent {
			panic(yamlError{l.no, "bad indentation"})
		}
		rest := strings.TrimPrefix(l.text, "- ")
		if k, _, ok := strings.Cut(rest, ":"); ok && !strings.ContainsAny(k, "\"'[") {
			l.indent += 2
			l.text = rest
			out = append(out, p.object(l.indent))
			continue
		}
		out = append(out, scalar(rest))
		p.pos++
	}
	return out
}

func (p *parser) object(indent int) map[string]any {
	out := make(map[string]any)
	for p.pos < len(p.lines) {
		l := p.lines[p.pos]
		switch {
		case l.indent < indent:
			return out
		case l.indent > indent:
			panic(yamlError{l.no, fmt.Sprintf("unexpected indent %d > %d", l.indent, indent)})
		}
		k, v, ok := strings.Cut(l.text, ":")
		if !ok {
			panic(yamlError{l.no, "expected key: value, got " + strconv.Quote(l.text)})
		}
		if _, dup := out[k]; dup {
			panic(yamlError{l.no, "duplicate key " + k})
		}
		p.pos++
		if v = strings.TrimSpace(v); v != "" {
			out[k] = scalar(v)
		} else if p.pos < len(p.lines) && (p.lines[p.pos].indent > indent || strings.HasPrefix(p.lines[p.pos].text, "- ") && p.lines[p.pos].indent == indent) {
			out[k] = p.block(indent + 1)
		} else {
			out[k] = nil
		}
	}
	return out
}

func Unmarshal[T any](src string) (v T, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case yamlError:
			err = &e
		default:
			panic(e)
		}
	}()
	b, err := json.Marshal(newParser(src).block(0))
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(b, &v)
}

func (e *yamlError) Line() int { return e.line }

type Port struct {
	Name          string
	ContainerPort int    `json:"containerPort"`
	Protocol      string `json:",omitempty"`
}
type Container struct {
	Name, Image string
	Args        []string
	Ports       []Port
	Resources   struct {
		Limits map[string]any
	}
}
type Deployment struct {
	Kind     string
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Replicas *int
		Paused   bool
		Template struct{ Containers []Container }
	}
}

const manifest = `---
# comment
kind: Deployment
metadata:
  name: web
  labels:
    app: "web"
    tier: front  # trailing
spec:
  replicas: 3
  paused: yes
  template:
    containers:
    - name: nginx
      image: nginx:1.25
      args: [-g, "daemon off;"]
      ports:
        - name: http
          containerPort: 80
        - name: https
          containerPort: 443
          protocol: TCP
      resources:
        limits:
          cpu: 0.5
          memory: 128Mi
    - name: sidecar
      image: busybox
`

func main() {
	d, err := Unmarshal[Deployment](manifest)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(d.Kind, d.Metadata.Name, d.Metadata.Labels, *d.Spec.Replicas, d.Spec.Paused)
	for i, c := range d.Spec.Template.Containers {
		fmt.Printf("%d %s %s %q %+v %v\n", i, c.Name, c.Image, c.Args, c.Ports, c.Resources.Limits)
	}
	b, _ := json.Marshal(d)
	fmt.Println(len(b), string(b[:60]))
	for _, bad := range []string{"a: 1\n   b: 2", "a: 1\na: 2", "just text", "spec:\n  replicas: many", "metadata: [1, x]", ""} {
		_, err := Unmarshal[Deployment](bad)
		var ye *yamlError
		var te *json.UnmarshalTypeError
		switch {
		case errors.As(err, &ye):
			fmt.Println("YAML", ye.Line(), ye)
		case errors.As(err, &te):
			fmt.Println("TYPE", te.Field, te.Type, te.Value)
		default:
			fmt.Println("OTHER", err)
		}
	}
	any1, err := Unmarshal[map[string][]float64]("x: [1, 2.5]\ny: []")
	fmt.Println(any1, err)
	ks, err := Unmarshal[[]struct{ K string }]("- K: a\n- K: b")
	slices.Reverse(ks)
	fmt.Println(ks, err)
}
