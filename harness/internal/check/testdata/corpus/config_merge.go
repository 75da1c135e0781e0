// Deep merging of configuration layers: JSON objects, env overrides, typed view, provenance.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type Tree = map[string]any

type Source struct {
	Name string
	Data Tree
}

type conflict struct {
	path     string
	old, new any
}

func (c conflict) Error() string {
	return fmt.Sprintf("%s: %T replaced by %T", c.path, c.old, c.new)
}

func merge(dst, src Tree, path []string, onErr func(error)) Tree {
	if dst == nil {
		dst = Tree{}
	}
	for _, k := range slices.Sorted(maps.Keys(src)) {
		v, p := src[k], append(path, k)
		old, had := dst[k]
		switch nv := v.(type) {
		case nil:
			delete(dst, k)
			continue
		case Tree:
			if om, ok := old.(Tree); ok || !had {
				dst[k] = merge(om, nv, p, onErr)
				continue
			}
		case []any:
			if ol, ok := old.([]any); ok && strings.HasSuffix(k, "s") {
				dst[k] = append(slices.Clone(ol), nv...)
				continue
			}
		}
		if had && fmt.Sprintf("%T", old) != fmt.Sprintf("%T", v) {
			onErr(conflict{strings.Join(p, "."), old, v})
		}
		dst[k] = v
	}
	return dst
}

func fromEnv(prefix string, env []string) Tree {
	t := Tree{}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		k, ok := strings.CutPrefix(k, prefix+"_")
		if !ok {
			continue
		}
		cur := t
		parts := strings.Split(strings.ToLower(k), "__")
		for _, p := range parts[:len(parts)-1] {
			next, _ := cur[p].(Tree)
			if next == nil {
				next = Tree{}
				cur[p] = next
			}
			cur = next
		}
		var val any = v
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			val = n
		} else if b, err := strconv.ParseBool(v); err == nil {
			val = b
		}
		cur[parts[len(parts)-1]] = val
	}
	return t
}

func lookup[T any](t Tree, path string) (v T, err error) {
	var cur any = t
	for i, p := range strings.Split(path, ".") {
		m, ok := cur.(Tree)
		if !ok {
			return v, fmt.Errorf("%s: part %d: %T is not an object", path, i, cur)
		}
		if cur, ok = m[p]; !ok {
			return v, fmt.Errorf("%s: %q missing", path, p)
		}
	}
	v, ok := cur.(T)
	if !ok {
		err = fmt.Errorf("%s: want %T, got %T", path, v, cur)
	}
	return
}

type Config struct {
	Server struct {
		Host string `json:"host"`
		Port int    `json:"port"`
		TLS  *struct {
			Cert string `json:"cert"`
		} `json:"tls,omitempty"`
	} `json:"server"`
	Features map[string]bool `json:"features"`
	Plugins  []string        `json:"plugins"`
}

func main() {
	layers := []string{
		`{"server":{"host":"localhost","port":80},"features":{"a":true},"plugins":["base"],"debug":false,"old":1}`,
		`{"server":{"port":8080,"tls":{"cert":"/c.pem"}},"plugins":["extra"],"old":null}`,
		`{"features":{"b":true,"a":false},"server":{"host":["x","y"]}}`,
		`{"broken": `,
	}
	var errs []error
	final := Tree{}
	for i, l := range layers {
		var t Tree
		if err := json.Unmarshal([]byte(l), &t); err != nil {
			errs = append(errs, fmt.Errorf("layer %d: %w", i, err))
			continue
		}
		final = merge(final, t, nil, func(err error) { errs = append(errs, fmt.Errorf("layer %d: %w", i, err)) })
	}
	env := fromEnv("APP", []string{"APP_SERVER__PORT=9090", "APP_SERVER__HOST=prod", "APP_DEBUG=true", "HOME=/x", "APP_FEATURES__C__D=1e3"})
	merge(final, env, []string{"env"}, func(err error) { errs = append(errs, err) })
	b, _ := json.Marshal(final)
	fmt.Println(string(b))
	err := errors.Join(errs...)
	fmt.Println(err)
	var se *json.SyntaxError
	fmt.Println(errors.As(err, &se), se != nil && se.Offset > 0)
	fmt.Println(lookup[string](final, "server.host"))
	fmt.Println(lookup[float64](final, "server.port"))
	fmt.Println(lookup[int](final, "server.port"))
	fmt.Println(lookup[[]any](final, "plugins"))
	fmt.Println(lookup[any](final, "plugins.0"))
	fmt.Println(lookup[Tree](final, "features.z"))
	var c Config
	err = json.Unmarshal(b, &c)
	fmt.Printf("%+v %v\n", c.Features, err)
	fmt.Println(c.Server.Host, c.Server.Port, c.Server.TLS.Cert, c.Plugins)
}
