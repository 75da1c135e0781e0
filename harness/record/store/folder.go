package store

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Endings of file names.
const (
	recordExt = ".run.jsonl"
	besideExt = ".run"           // a folder
	newExt    = ".run.jsonl.new" // a record without its first line
	valueExt  = ".new"           // an incomplete value
	keyFile   = "key"
	aloneFile = "lock" // its lock is held while a process is alone
	keySize   = 32
)

// A folder holds records as files. It opens no file outside of the folder.
type folder struct {
	dir  string
	root *os.Root
	news Signal
}

func (d *folder) Changes() *Signal { return &d.news }

func (d *folder) Create(name string) (Sink, error) {
	if !d.lacks(name + recordExt) {
		return nil, ErrTaken
	}
	// Windows cannot lock a file that is opened for appending only.
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

// recordFile writes a record of a folder.
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

// Reopen checks after locking that the name still belongs to the locked file. The file may
// have been removed or replaced before.
func (d *folder) Reopen(name string, _ bool) (Sink, error) {
	file := name + recordExt
	f, err := d.open(file, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	if err := d.lockOwned(f, file); err != nil {
		f.Close()
		return nil, err
	}
	return &recordFile{File: f, d: d, name: name, published: true}, nil
}

var errNetwork = errors.New("the record is on a network file system, where locks are unreliable: move the store's " +
	"folder to a disk of this machine")

func (d *folder) lockOwned(f *os.File, file string) error {
	if err := localFile(f); err != nil {
		return err
	}
	if err := tryLock(f); err != nil {
		return err
	}
	now, err := d.root.Lstat(file)
	if err != nil {
		return err
	}
	was, err := f.Stat()
	if err == nil && !os.SameFile(now, was) {
		err = &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	return err
}

// How long tryLock waits. Readers hold a lock while they read; some writers only add a
// line.
const (
	readersHold = 5 * time.Second
	writersHold = 100 * time.Millisecond
)

// tryLock makes the caller the only owner of an open file. It returns ErrRunning if the file
// has another owner.
func tryLock(f *os.File) error {
	for begin := time.Now(); ; time.Sleep(mathrand.N(5 * time.Millisecond)) {
		ok, err := lockNow(f)
		if ok || err != nil {
			return err
		}
		running, err := owned(f)
		if err == nil && !running {
			err = unlock(f)
		}
		switch {
		case err != nil:
			return err
		case running && time.Since(begin) > writersHold:
			return ErrRunning
		case time.Since(begin) > readersHold:
			return errors.New("readers keep it locked")
		}
	}
}

func (d *folder) Alone(ctx context.Context) (func() error, error) {
	f, err := d.root.OpenFile(aloneFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := lockNow(f)
		if ok {
			return f.Close, nil // closing releases the lock
		}
		if err == nil {
			select {
			case <-time.After(mathrand.N(5 * time.Millisecond)):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(err, f.Close())
	}
}

func (f *recordFile) Cut(size int64) error {
	st, err := f.Stat()
	if err == nil && st.Size() > size {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	f.size.Store(size)
	return err
}

// answerRoom is how many bytes a sync reserves for a record. Effect calls are sent after the sync,
// and their answers must not find the disk full.
const answerRoom = 128 << 10

// Sync returns an error if the file was removed: its content would be lost. Calls of Sync
// must not overlap.
func (f *recordFile) Sync() error {
	if gone, err := removed(f.File); gone || err != nil {
		return errors.Join(err, errors.New("its file was removed"))
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

func (f *recordFile) FileID() (device, inode uint64, err error) { return fileID(f.File) }

func (f *recordFile) Publish() error {
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
	unlock(f.File) // a starting child process also has the open file until it runs its program
	return errors.Join(err, f.File.Close())
}

func (f *recordFile) Beside(sum string, value []byte) error {
	return f.d.keep(f.name, sum, value, f.d.root.Rename)
}

// Put makes the record durable first, because the value may refer to a line that its writer has not
// synced. If that line were lost, the value would refer to another line of the same name.
func (d *folder) Put(name, file string, value []byte) error {
	f, err := d.open(name+recordExt, os.O_RDWR) // Windows cannot sync a file opened for reading
	if err != nil {
		return err
	}
	if err := errors.Join(syncData(f), f.Close(), d.syncDir(".")); err != nil {
		return err
	}
	err = d.keep(name, file, value, d.root.Link)
	if err == nil && d.lacks(name+recordExt) { // it was removed meanwhile
		err = fs.ErrNotExist
	}
	return err
}

// keep writes a value to a temporary file, then calls give to name it, so that every named file is
// complete.
func (d *folder) keep(name, file string, value []byte, give func(from, to string) error) (err error) {
	dir := name + besideExt
	if err := d.root.Mkdir(dir, 0o700); err == nil {
		err = d.syncDir(".")
		if err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	to := path.Join(dir, file)
	from := to + "." + newID() + valueExt
	v, err := d.root.OpenFile(from, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if e := d.root.Remove(from); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}()
	_, err = v.Write(value)
	if err == nil {
		err = v.Sync()
	}
	if err = errors.Join(err, v.Close()); err != nil {
		return err
	}
	if err := give(from, to); err != nil {
		return err
	}
	return d.syncDir(dir)
}

func (d *folder) syncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(syncDir(f), f.Close())
}

// files returns the names of all files in the folder.
func (d *folder) files() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *folder) Names() ([]string, error) {
	files, err := d.files()
	if err != nil {
		return nil, err
	}
	names := files[:0]
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, recordExt); ok {
			if _, _, ok := ParseName(name); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// sentWithin is SentWithin of a folder and of memory.
const sentWithin = 5 * time.Second

func (*folder) SentWithin() time.Duration { return sentWithin }

func (d *folder) Find(id string) ([]string, error) { return find(d, id) }

func (*folder) Notes() Notes { return nil }

func (d *folder) Open(name string) (Source, error) { return d.openFile(name + recordExt) }

func (d *folder) Stamp(name string) (Stamp, bool) {
	st, err := d.root.Lstat(name + recordExt)
	if err != nil || !st.Mode().IsRegular() {
		return Stamp{}, false
	}
	return Stamp{st.Size(), st.ModTime().UnixNano()}, true
}

var errNotRegular = errors.New("not a regular file")

// open opens a regular file. A pipe would wait for its other end, and a link may lead out
// of the folder.
func (d *folder) open(file string, flag int) (*os.File, error) {
	if st, err := d.root.Lstat(file); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: file, Err: errNotRegular}
	}
	return d.root.OpenFile(file, flag, 0)
}

func (d *folder) openFile(file string) (Source, error) {
	f, err := d.open(file, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return fileSource{f}, nil
}

type fileSource struct{ *os.File }

func (f fileSource) Running() (bool, error) { return owned(f.File) }

func (f fileSource) Size() (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func (d *folder) Value(name, file string, max int64) ([]byte, error) {
	f, err := d.openFile(path.Join(name+besideExt, file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, max)
}

func (d *folder) Remove(name string, check func() error) error {
	f, err := d.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // until then its lock keeps writers out
	running, err := f.Running()
	if err != nil {
		return err
	}
	if running {
		return ErrRunning
	}
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	if err := d.root.Remove(name + recordExt); err != nil {
		return err
	}
	return d.root.RemoveAll(name + besideExt)
}

func (d *folder) Size(name string) (int64, error) {
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

// stale is the age after which a record without a first line has no writer that is about to lock
// it.
const stale = time.Minute

func (d *folder) Tidy() error {
	files, err := d.files()
	if err != nil {
		return err
	}
	for _, file := range files {
		if name, ok := strings.CutSuffix(file, newExt); ok {
			if _, _, ok := ParseName(name); ok {
				err = errors.Join(err, d.removeStale(file))
			}
		}
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(file, besideExt)
		if _, _, is := ParseName(name); !ok || !is {
			continue
		}
		// A new record is renamed from the first name to the second.
		if d.lacks(name+newExt) && d.lacks(name+recordExt) {
			err = errors.Join(err, d.root.RemoveAll(file))
		}
	}
	return err
}

func (d *folder) removeStale(file string) error {
	st, err := d.root.Lstat(file)
	if err != nil || time.Since(st.ModTime()) < stale {
		return nil // it has become a record, or is about to
	}
	f, err := d.openFile(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if running, err := f.Running(); err != nil || running {
		return err
	}
	return d.root.Remove(file)
}

func (d *folder) lacks(file string) bool {
	_, err := d.root.Lstat(file)
	return errors.Is(err, fs.ErrNotExist)
}

func (d *folder) Key(make bool) ([]byte, error) {
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
		return nil, &fs.PathError{Op: "open", Path: keyFile, Err: errNotRegular}
	}
	f, err := lockedfile.OpenFile(path.Join(d.dir, keyFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, keySize+1))
	if err != nil || len(key) == keySize { // another process made it
		return key, err
	}
	// A killed process wrote a part of it; nothing was signed with that.
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
