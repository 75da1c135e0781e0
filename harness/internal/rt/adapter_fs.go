package rt

import (
	"io/fs"
	"time"
)

// File systems of a script. Package io/fs asks one whether it can do more than
// Open, and does without if not. The adapter can do all of it: what the script's
// type has not, it does as io/fs would.

type (
	opener      struct{ adapter }
	fileSystem  struct{ opener }
	file        struct{ readCloser }
	dirFile     struct{ file }
	fileInfo    struct{ adapter }
	dirEntry    struct{ adapter }
	withoutGlob struct{ fsys fileSystem }
)

func (a opener) Open(name string) (fs.File, error) {
	r := a.must("Open", name)
	f, _ := r[0].Interface().(fs.File)
	return f, asError(r[1])
}

func (a fileSystem) ReadFile(name string) ([]byte, error) {
	if a.can("ReadFile", "(string) ([]uint8, error)") {
		return a.bytesError("ReadFile", name)
	}
	return fs.ReadFile(a.opener, name)
}

func (a fileSystem) ReadDir(name string) ([]fs.DirEntry, error) {
	if a.can("ReadDir", "(string) ([]fs.DirEntry, error)") {
		return a.dirEntries("ReadDir", name)
	}
	return fs.ReadDir(a.opener, name)
}

func (a fileSystem) Stat(name string) (fs.FileInfo, error) {
	if a.can("Stat", "(string) (fs.FileInfo, error)") {
		return a.info("Stat", name)
	}
	return fs.Stat(a.opener, name)
}

func (a fileSystem) Glob(pattern string) ([]string, error) {
	if a.can("Glob", "(string) ([]string, error)") {
		r := a.must("Glob", pattern)
		names, _ := r[0].Interface().([]string)
		return names, asError(r[1])
	}
	return fs.Glob(withoutGlob{a}, pattern)
}

func (a fileSystem) Sub(dir string) (fs.FS, error) {
	if a.can("Sub", "(string) (fs.FS, error)") {
		r := a.must("Sub", dir)
		sub, _ := r[0].Interface().(fs.FS)
		return sub, asError(r[1])
	}
	return fs.Sub(withoutGlob{a}, dir)
}

func (w withoutGlob) Open(name string) (fs.File, error)          { return w.fsys.Open(name) }
func (w withoutGlob) ReadFile(name string) ([]byte, error)       { return w.fsys.ReadFile(name) }
func (w withoutGlob) ReadDir(name string) ([]fs.DirEntry, error) { return w.fsys.ReadDir(name) }
func (w withoutGlob) Stat(name string) (fs.FileInfo, error)      { return w.fsys.Stat(name) }

func (a adapter) dirEntries(method string, arg any) ([]fs.DirEntry, error) {
	r := a.must(method, arg)
	list, _ := r[0].Interface().([]fs.DirEntry)
	return list, asError(r[1])
}

func (a adapter) info(method string, args ...any) (fs.FileInfo, error) {
	r := a.must(method, args...)
	i, _ := r[0].Interface().(fs.FileInfo)
	return i, asError(r[1])
}

func (a file) Stat() (fs.FileInfo, error)              { return a.info("Stat") }
func (a dirFile) ReadDir(n int) ([]fs.DirEntry, error) { return a.dirEntries("ReadDir", n) }
func (a fileInfo) Name() string                        { return a.must("Name")[0].String() }
func (a fileInfo) Size() int64                         { return a.must("Size")[0].Int() }
func (a fileInfo) Mode() fs.FileMode                   { return fs.FileMode(a.must("Mode")[0].Uint()) }
func (a fileInfo) ModTime() time.Time                  { t, _ := a.must("ModTime")[0].Interface().(time.Time); return t }
func (a fileInfo) IsDir() bool                         { return a.must("IsDir")[0].Bool() }
func (a fileInfo) Sys() any                            { return a.must("Sys")[0].Interface() }
func (a dirEntry) Name() string                        { return a.must("Name")[0].String() }
func (a dirEntry) IsDir() bool                         { return a.must("IsDir")[0].Bool() }
func (a dirEntry) Type() fs.FileMode                   { return fs.FileMode(a.must("Type")[0].Uint()) }
func (a dirEntry) Info() (fs.FileInfo, error)          { return a.info("Info") }

func fileSystemOf(a adapter) fileSystem { return fileSystem{opener{a}} }

func fileOf(a adapter) fs.File {
	f := file{readCloser{a}}
	if a.can("ReadDir", "(int) ([]fs.DirEntry, error)") {
		return dirFile{f}
	}
	return f
}

var fileAdapters = map[string]any{
	"ToFS":          adapted(func(a adapter) fs.FS { return fileSystemOf(a) }),
	"ToReadFileFS":  adapted(func(a adapter) fs.ReadFileFS { return fileSystemOf(a) }),
	"ToReadDirFS":   adapted(func(a adapter) fs.ReadDirFS { return fileSystemOf(a) }),
	"ToStatFS":      adapted(func(a adapter) fs.StatFS { return fileSystemOf(a) }),
	"ToGlobFS":      adapted(func(a adapter) fs.GlobFS { return fileSystemOf(a) }),
	"ToSubFS":       adapted(func(a adapter) fs.SubFS { return fileSystemOf(a) }),
	"ToFile":        adapted(fileOf),
	"ToReadDirFile": adapted(func(a adapter) fs.ReadDirFile { return dirFile{file{readCloser{a}}} }),
	"ToFileInfo":    adapted(func(a adapter) fs.FileInfo { return fileInfo{a} }),
	"ToDirEntry":    adapted(func(a adapter) fs.DirEntry { return dirEntry{a} }),
}
