package main

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"
)

type node struct {
	name string
	data string
	kids map[string]*node
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return int64(len(n.data)) }
func (n *node) IsDir() bool                { return n.kids != nil }
func (n *node) ModTime() time.Time         { return time.Unix(0, 0).UTC() }
func (n *node) Sys() any                   { return nil }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Mode() fs.FileMode {
	if n.kids != nil {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

type handle struct {
	*node
	r io.Reader
}

func (h *handle) Stat() (fs.FileInfo, error) { return h.node, nil }
func (h *handle) Read(p []byte) (int, error) { return h.r.Read(p) }
func (h *handle) Close() error               { return nil }

type dir struct{ handle }

func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for _, k := range d.kids {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out, nil
}

type mem struct{ root *node }

func (m mem) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	n := m.root
	if name != "." {
		for _, p := range strings.Split(name, "/") {
			if n = n.kids[p]; n == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
		}
	}
	if n.kids != nil {
		return &dir{handle{n, strings.NewReader("")}}, nil
	}
	return &handle{n, strings.NewReader(n.data)}, nil
}

type fast struct{ mem }

func (f fast) ReadFile(name string) ([]byte, error) { return []byte("fast " + name), nil }

func main() {
	root := &node{name: ".", kids: map[string]*node{
		"a.txt": {name: "a.txt", data: "alpha"},
		"sub":   {name: "sub", kids: map[string]*node{"b.txt": {name: "b.txt", data: "beta"}, "c.md": {name: "c.md", data: "gamma"}}},
	}}
	var fsys fs.FS = mem{root}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, _ := d.Info()
		fmt.Println(p, d.IsDir(), i.Size(), i.Mode(), d.Type(), path.Ext(p))
		return nil
	})
	fmt.Println(err)
	b, err := fs.ReadFile(fsys, "sub/b.txt")
	fmt.Println(string(b), err)
	m, err := fs.Glob(fsys, "*/*.txt")
	fmt.Println(m, err)
	sub, err := fs.Sub(fsys, "sub")
	fmt.Println(err)
	b, err = fs.ReadFile(sub, "c.md")
	fmt.Println(string(b), err)
	_, err = fs.Stat(fsys, "nope")
	fmt.Println(err)
	_, ok := fsys.(fs.ReadFileFS)
	fmt.Println(ok)
	b, _ = fs.ReadFile(fast{mem{root}}, "x")
	fmt.Println(string(b))
	e, err := fs.ReadDir(fast{mem{root}}, "sub")
	fmt.Println(len(e), err, e[0])
	st, _ := fs.Stat(fsys, "a.txt")
	fmt.Println(fs.FormatFileInfo(st))
	_, err = fs.ReadDir(fsys, "a.txt")
	fmt.Println(err)
}
