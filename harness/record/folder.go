package record

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// What the names of files end with.
const (
	recordExt = ".run.jsonl"
	besideExt = ".run"           // a folder
	newExt    = ".run.jsonl.new" // a record whose first line is not written
	valueExt  = ".new"           // a value that is not written whole
	keyFile   = "key"
	keySize   = 32
)

// A folder has records as files. All that is opened in it is in it.
type folder struct {
	dir  string
	root *os.Root
	news signal
}

func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &folder{dir: dir, root: root}, nil
}

func (d *folder) changes() *signal { return &d.news }

func (d *folder) create(name string) (sink, error) {
	// Windows locks no file that may only be appended to.
	f, err := d.root.OpenFile(name+newExt, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, errors.Join(err, d.root.Remove(name+newExt))
	}
	return &recordFile{File: f, d: d, name: name}, nil
}

// recordFile is a record of a folder that is written.
type recordFile struct {
	*os.File
	d         *folder
	name      string
	published bool
	size      atomic.Int64
	reserved  int64 // bytes that it may grow to
	named     bool  // its name is durable
}

func (f *recordFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	f.size.Add(int64(n))
	return n, err
}

// answerRoom is how many bytes a record has room for after a sync: something is
// sent then, and its answer is not to find the disk full.
const answerRoom = 128 << 10

// Sync is not called side by side. What is written to a file that somebody removed
// is lost, however often it is synced.
func (f *recordFile) Sync() error {
	if gone, err := removed(f.File); gone || err != nil {
		return errors.Join(err, errors.New("somebody has removed its file"))
	}
	if size := f.size.Load(); size+answerRoom > f.reserved {
		if err := reserve(f.File, size, 2*answerRoom); err != nil {
			return err
		}
		f.reserved = size + 2*answerRoom
	}
	if err := syncData(f.File); err != nil || f.named {
		return err
	}
	err := f.d.syncDir(".")
	f.named = err == nil
	return err
}

func (f *recordFile) fileID() (device, inode uint64, err error) { return fileID(f.File) }

func (f *recordFile) publish() error {
	if err := f.d.root.Rename(f.name+newExt, f.name+recordExt); err != nil {
		return err
	}
	f.published = true
	return nil
}

func (f *recordFile) Close() error {
	var err error
	if f.reserved > f.size.Load() {
		err = release(f.File, f.size.Load())
	}
	if !f.published {
		err = errors.Join(err, f.d.root.Remove(f.name+newExt), f.d.root.RemoveAll(f.name+besideExt))
	}
	return errors.Join(err, f.File.Close())
}

// beside writes the value to a file of another name first: a file with the name
// of a digest is whole.
func (f *recordFile) beside(sum string, value []byte) (err error) {
	dir := f.name + besideExt
	if err := f.d.root.Mkdir(dir, 0o700); err == nil {
		err = f.d.syncDir(".")
		if err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := path.Join(dir, sum)
	v, err := f.d.root.OpenFile(name+valueExt, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = v.Write(value)
	if err == nil {
		err = v.Sync()
	}
	if err = errors.Join(err, v.Close()); err != nil {
		return errors.Join(err, f.d.root.Remove(name+valueExt))
	}
	if err := f.d.root.Rename(name+valueExt, name); err != nil {
		return err
	}
	return f.d.syncDir(dir)
}

func (d *folder) syncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(syncDir(f), f.Close())
}

// files are the names of all in the folder.
func (d *folder) files() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *folder) names() ([]string, error) {
	files, err := d.files()
	if err != nil {
		return nil, err
	}
	names := files[:0]
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, recordExt); ok {
			if _, _, ok := parseName(name); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *folder) open(name string) (source, error) { return d.openFile(name + recordExt) }

func (d *folder) openFile(file string) (source, error) {
	if st, err := d.root.Lstat(file); err != nil { // a pipe would wait for its writer
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: file, Err: errors.New("not a regular file")}
	}
	f, err := d.root.Open(file)
	if err != nil {
		return nil, err
	}
	return fileSource{f}, nil
}

type fileSource struct{ *os.File }

func (f fileSource) running() (bool, error) { return owned(f.File) }

func (f fileSource) size() (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func (d *folder) value(name, sum string) ([]byte, error) {
	f, err := d.openFile(path.Join(name+besideExt, sum))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, MaxValue)
}

func (d *folder) values(name string) ([]string, error) {
	f, err := d.root.Open(name + besideExt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files, err := f.Readdirnames(-1)
	return slices.DeleteFunc(files, func(file string) bool { return !isDigest(file) }), err
}

func (d *folder) remove(name string) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	defer f.Close() // the lock that it has keeps a writer out
	running, err := f.running()
	if err != nil {
		return err
	}
	if running {
		return ErrRunning
	}
	if err := d.root.Remove(name + recordExt); err != nil {
		return err
	}
	return d.root.RemoveAll(name + besideExt)
}

func (d *folder) size(name string) (int64, error) {
	st, err := d.root.Lstat(name + recordExt)
	if err != nil {
		return 0, err
	}
	n := st.Size()
	dir, err := d.root.Open(name + besideExt)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	defer dir.Close()
	values, err := dir.ReadDir(-1)
	for _, v := range values {
		if st, err := v.Info(); err == nil {
			n += st.Size()
		}
	}
	return n, err
}

// stale is the age from which a record without a first line has no writer that
// is about to lock it.
const stale = time.Minute

func (d *folder) tidy() error {
	files, err := d.files()
	if err != nil {
		return err
	}
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, newExt); ok {
			if _, _, ok := parseName(name); ok {
				err = errors.Join(err, d.removeStale(file))
			}
		}
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(file, besideExt)
		if _, _, is := parseName(name); !ok || !is {
			continue
		}
		// A record that begins has the one name before the other.
		if d.lacks(name+newExt) && d.lacks(name+recordExt) {
			err = errors.Join(err, d.root.RemoveAll(file))
		}
	}
	return err
}

func (d *folder) removeStale(file string) error {
	st, err := d.root.Lstat(file)
	if err != nil || time.Since(st.ModTime()) < stale {
		return nil // it has become a record, or does so
	}
	f, err := d.openFile(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if running, err := f.running(); err != nil || running {
		return err
	}
	return d.root.Remove(file)
}

func (d *folder) lacks(file string) bool {
	_, err := d.root.Lstat(file)
	return errors.Is(err, fs.ErrNotExist)
}

func (d *folder) key(make bool) ([]byte, error) {
	if key, err := d.root.ReadFile(keyFile); err == nil && len(key) == keySize || !make {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if len(key) != keySize {
			key = nil
		}
		return key, nil
	}
	if st, err := d.root.Lstat(keyFile); err == nil && !st.Mode().IsRegular() { // a link leads out of the folder
		return nil, &fs.PathError{Op: "open", Path: keyFile, Err: errors.New("not a regular file")}
	}
	f, err := lockedfile.OpenFile(path.Join(d.dir, keyFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, keySize+1))
	if err != nil || len(key) == keySize { // another one made it
		return key, err
	}
	// What is there is what a killed process began: nothing was made with it.
	key = randomKey()
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(key, 0); err != nil {
		return nil, err
	}
	return key, errors.Join(f.Sync(), d.syncDir("."))
}

func randomKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key)
	return key
}
