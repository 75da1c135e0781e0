package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"sort"
	"strings"
)

type Entry interface {
	Name() string
	Size() int64
}
type File struct {
	name string
	data []byte
}
type Dir struct {
	name string
	kids []Entry
}

func (f *File) Name() string { return f.name }
func (f *File) Size() int64  { return int64(len(f.data)) }
func (d *Dir) Name() string  { return d.name }
func (d *Dir) Size() (n int64) {
	for _, k := range d.kids {
		n += k.Size()
	}
	return
}

var SkipDir = errors.New("skip")

func (d *Dir) mkdirAll(p string) *Dir {
	cur := d
next:
	for seg := range strings.SplitSeq(strings.Trim(p, "/"), "/") {
		if seg == "" || seg == "." {
			continue
		}
		for _, k := range cur.kids {
			if sub, ok := k.(*Dir); ok && sub.name == seg {
				cur = sub
				continue next
			}
		}
		nd := &Dir{name: seg}
		cur.kids = append(cur.kids, nd)
		cur = nd
	}
	return cur
}
func (d *Dir) write(p, data string) {
	dir, base := path.Split(p)
	parent := d.mkdirAll(dir)
	parent.kids = append(parent.kids, &File{base, []byte(data)})
	sort.Slice(parent.kids, func(i, j int) bool { return parent.kids[i].Name() < parent.kids[j].Name() })
}
func Walk(e Entry, p string, fn func(p string, e Entry) error) error {
	p = path.Join(p, e.Name())
	err := fn(p, e)
	if d, ok := e.(*Dir); ok {
		if errors.Is(err, SkipDir) {
			return nil
		}
		for _, k := range d.kids {
			if err == nil {
				err = Walk(k, p, fn)
			}
		}
	}
	return err
}
func All(root Entry) iter.Seq2[string, Entry] {
	return func(yield func(string, Entry) bool) {
		stop := errors.New("stop")
		_ = Walk(root, "/", func(p string, e Entry) error {
			if !yield(p, e) {
				return stop
			}
			return nil
		})
	}
}
func tree(e Entry, prefix string, w *strings.Builder) {
	d, ok := e.(*Dir)
	if !ok {
		return
	}
	for i, k := range d.kids {
		branch, cont := "├── ", "│   "
		if i == len(d.kids)-1 {
			branch, cont = "└── ", "    "
		}
		fmt.Fprintf(w, "%s%s%s (%s)\n", prefix, branch, k.Name(), human(k.Size()))
		tree(k, prefix+cont, w)
	}
}
func human[N ~int | ~int64](n N) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, units := float64(n), "KMG"
	i := -1
	for f >= 1024 && i < len(units)-1 {
		f /= 1024
		i++
	}
	return fmt.Sprintf("%.1f %cB", f, units[i])
}

func main() {
	root := &Dir{}
	root.write("src/main.go", "package main")
	root.write("src/pkg/util/util.go", strings.Repeat("x", 3000))
	root.write("src/pkg/a_test.go", "test")
	root.write("README.md", "hi")
	root.write("./vendor/big.bin", strings.Repeat("\x00", 1<<21))
	var sb strings.Builder
	tree(root, "", &sb)
	fmt.Print(sb.String())
	err := Walk(root, "/", func(p string, e Entry) error {
		switch e := e.(type) {
		case *Dir:
			if e.name == "vendor" {
				return SkipDir
			}
		case *File:
			ok, err := path.Match("*.go", e.name)
			if err != nil {
				return err
			}
			fmt.Println(p, path.Ext(p), ok, path.Dir(p))
			if strings.HasSuffix(p, "_test.go") {
				return fmt.Errorf("found %s", path.Base(p))
			}
		}
		return nil
	})
	fmt.Println(err)
	type big struct {
		p string
		n int64
	}
	var largest big
	for p, e := range All(root) {
		if _, ok := e.(*File); ok && cmp.Compare(e.Size(), largest.n) > 0 {
			largest = big{p, e.Size()}
		}
		if p == "/src/pkg" {
			break
		}
	}
	fmt.Printf("%+v %s\n", largest, human(1<<30*5/2))
	ext := map[string][]string{}
	for p, e := range All(root) {
		if f, isFile := e.(interface{ Size() int64 }).(*File); isFile {
			ext[path.Ext(f.name)] = append(ext[path.Ext(f.name)], strings.TrimPrefix(p, "/"))
		}
	}
	fmt.Println(ext, path.Clean("/a/../b//c/."), path.IsAbs("a"))
}
