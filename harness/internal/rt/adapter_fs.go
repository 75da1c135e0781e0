package rt

import (
	"archive/tar"
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
	fileNames   struct{ fileInfo }
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

func (a fileSystem) ReadLink(name string) (string, error) {
	if a.readsLinks() {
		r := a.must("ReadLink", name)
		return r[0].String(), asError(r[1])
	}
	return fs.ReadLink(a.opener, name)
}

func (a fileSystem) Lstat(name string) (fs.FileInfo, error) {
	if a.readsLinks() {
		return a.info("Lstat", name)
	}
	return a.Stat(name)
}

func (a fileSystem) readsLinks() bool {
	return a.can("ReadLink", "(string) (string, error)") && a.can("Lstat", "(string) (fs.FileInfo, error)")
}

func (w withoutGlob) ReadLink(name string) (string, error)       { return w.fsys.ReadLink(name) }
func (w withoutGlob) Lstat(name string) (fs.FileInfo, error)     { return w.fsys.Lstat(name) }
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

func (a adapter) textError(method string) (string, error) {
	r := a.must(method)
	return r[0].String(), asError(r[1])
}

func (a fileNames) Uname() (string, error) { return a.textError("Uname") }
func (a fileNames) Gname() (string, error) { return a.textError("Gname") }

// fileInfoOf gives an adapter that package archive/tar asks for names if the
// type has them.
func fileInfoOf(a adapter) fs.FileInfo {
	if a.can("Uname", "() (string, error)") && a.can("Gname", "() (string, error)") {
		return fileNames{fileInfo{a}}
	}
	return fileInfo{a}
}

func fileSystemOf(a adapter) fileSystem { return fileSystem{opener{a}} }

func fileOf(a adapter) fs.File {
	f := file{readCloser{a}}
	if a.can("ReadDir", "(int) ([]fs.DirEntry, error)") {
		return dirFile{f}
	}
	return f
}

var fileAdapters = map[string]any{
	"ToFS":            adapted(func(a adapter) fs.FS { return fileSystemOf(a) }),
	"ToReadFileFS":    adapted(func(a adapter) fs.ReadFileFS { return fileSystemOf(a) }),
	"ToReadDirFS":     adapted(func(a adapter) fs.ReadDirFS { return fileSystemOf(a) }),
	"ToStatFS":        adapted(func(a adapter) fs.StatFS { return fileSystemOf(a) }),
	"ToGlobFS":        adapted(func(a adapter) fs.GlobFS { return fileSystemOf(a) }),
	"ToSubFS":         adapted(func(a adapter) fs.SubFS { return fileSystemOf(a) }),
	"ToFile":          adapted(fileOf),
	"ToReadDirFile":   adapted(func(a adapter) fs.ReadDirFile { return dirFile{file{readCloser{a}}} }),
	"ToFileInfo":      adapted(fileInfoOf),
	"ToFileInfoNames": adapted(func(a adapter) tar.FileInfoNames { return fileNames{fileInfo{a}} }),
	"ToReadLinkFS":    adapted(func(a adapter) fs.ReadLinkFS { return fileSystemOf(a) }),
	"ToDirEntry":      adapted(func(a adapter) fs.DirEntry { return dirEntry{a} }),
}
