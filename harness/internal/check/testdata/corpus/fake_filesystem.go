// An in-memory file tree implementing fs.FS, fs.ReadDirFS and fs.File; WalkDir, Glob, globs with path.Match, sub trees.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

type memFS map[string]string

type memFile struct {
	name string
	r    *strings.Reader
	mode fs.FileMode
	kids []fs.DirEntry
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Close() error               { return nil }
func (f *memFile) Read(p []byte) (int, error) {
	if f.IsDir() {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a directory")}
	}
	return f.r.Read(p)
}
func (f *memFile) ReadDir(n int) (out []fs.DirEntry, err error) {
	if n <= 0 {
		out, f.kids = f.kids, nil
		return
	}
	if len(f.kids) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(f.kids))
	out, f.kids = f.kids[:n], f.kids[n:]
	return
}

func (f *memFile) Name() string               { return path.Base(f.name) }
func (f *memFile) Size() int64                { return f.r.Size() }
func (f *memFile) Mode() fs.FileMode          { return f.mode }
func (f *memFile) ModTime() time.Time         { return time.Unix(0, 0).UTC() }
func (f *memFile) IsDir() bool                { return f.mode.IsDir() }
func (f *memFile) Sys() any                   { return nil }
func (f *memFile) Type() fs.FileMode          { return f.mode.Type() }
func (f *memFile) Info() (fs.FileInfo, error) { return f, nil }

var _ fs.ReadDirFile = (*memFile)(nil)

func (m memFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if body, ok := m[name]; ok {
		return &memFile{name: name, r: strings.NewReader(body), mode: 0o644}, nil
	}
	dir := &memFile{name: name, r: strings.NewReader(""), mode: fs.ModeDir | 0o755}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	seen := map[string]bool{}
	for full, body := range m {
		rest, ok := strings.CutPrefix(full, prefix)
		if !ok {
			continue
		}
		first, _, isDir := strings.Cut(rest, "/")
		if seen[first] {
			continue
		}
		seen[first] = true
		kid := &memFile{name: prefix + first, r: strings.NewReader(body), mode: 0o644}
		if isDir {
			kid.mode = fs.ModeDir | 0o755
		}
		dir.kids = append(dir.kids, kid)
	}
	if len(seen) == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	slices.SortFunc(dir.kids, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return dir, nil
}

func du(fsys fs.FS, root string) (total int64, err error) {
	err = fs.WalkDir(fsys, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), "_") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			total += info.Size()
		}
		return err
	})
	return
}

func main() {
	m := memFS{"go.mod": "module x\n", "cmd/a/main.go": "package main", "cmd/b.txt": "bee", "_skip/big": strings.Repeat("x", 999), "docs/i.md": "# hi"}
	fs.WalkDir(m, ".", func(p string, d fs.DirEntry, err error) error {
		fmt.Print(p, " ", d.IsDir(), "; ")
		if p == "cmd/a" {
			return fs.SkipDir
		}
		if p == "docs" {
			return fs.SkipAll
		}
		return err
	})
	fmt.Println()
	fmt.Println(du(m, "."))
	fmt.Println(du(m, "cmd"))
	fmt.Println(du(m, "nope"))
	b, err := fs.ReadFile(m, "docs/i.md")
	fmt.Println(string(b), err)
	_, err = fs.ReadFile(m, "../x")
	var pe *fs.PathError
	fmt.Println(err, errors.Is(err, fs.ErrInvalid), errors.As(err, &pe), pe.Op)
	_, err = fs.ReadFile(m, "cmd")
	fmt.Println(err)
	for _, pat := range []string{"*.mod", "*/*", "cmd/[ab]*", "[", "zz*"} {
		fmt.Println(fs.Glob(m, pat))
	}
	sub, _ := fs.Sub(m, "cmd")
	entries, err := fs.ReadDir(sub, ".")
	for _, e := range entries {
		fmt.Print(e.Name(), " ", e.Type(), " ", fs.FormatDirEntry(e), "; ")
	}
	fmt.Println(err)
	info, err := fs.Stat(m, "go.mod")
	fmt.Println(info.Name(), info.Size(), info.Mode(), info.ModTime().Year(), err, fs.FileMode(0o7755)|fs.ModeSymlink)
	f, _ := m.Open("cmd")
	rd := f.(fs.ReadDirFile)
	for {
		es, err := rd.ReadDir(1)
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Print(es[0].Name(), " ")
	}
}
