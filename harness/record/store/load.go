package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// Load reads a record by its ID, or the beginning of one that no other has. An ID
// that none has is ErrNotFound.
func (s *Store) Load(id string) (*record.Run, error) {
	_, r, err := s.loadID(id)
	return r, err
}

// loadID is Load, and returns the name of the record too.
func (s *Store) loadID(id string) (name string, r *record.Run, err error) {
	if name, err = s.find(id); err != nil {
		return "", nil, err
	}
	r, err = s.load(name)
	if errors.Is(err, fs.ErrNotExist) { // it was removed just now
		err = ErrNotFound
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading run %s: %w", id, err)
	}
	return name, r, nil
}

func (s *Store) load(name string) (*record.Run, error) { return load(s.in, name, s.clock) }

// find returns the name of the record whose ID begins so.
func (s *Store) find(id string) (string, error) {
	if id == "" {
		return "", fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	found, err := s.in.Find(id)
	if err != nil {
		return "", fmt.Errorf("reading run %q: %w", id, err)
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: %q", ErrNotFound, id)
	case 1:
		return found[0], nil
	}
	_, a, _ := parseName(found[0])
	_, b, _ := parseName(found[1])
	return "", fmt.Errorf("%w: %q begins the IDs of %d runs, such as %s and %s; use more of it", ErrAmbiguous, id,
		len(found), a, b)
}

// find is Backing.Find by its Names.
func find(in Backing, id string) (found []string, err error) {
	names, err := in.Names()
	for _, name := range names {
		if _, has, _ := parseName(name); strings.HasPrefix(has, id) {
			found = append(found, name)
		}
	}
	return found, err
}

// LoadFile reads the record in a file, NAME.run.jsonl; NAME.run beside it has its
// large values.
func LoadFile(path string) (*record.Run, error) {
	r, err := loadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the record %s: %w", path, err)
	}
	return r, nil
}

func loadFile(path string) (*record.Run, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	name, ok := strings.CutSuffix(filepath.Base(path), recordExt)
	if !ok {
		return nil, fmt.Errorf("the name of a record ends with %s", recordExt)
	}
	in, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return load(in, name, time.Now)
}

func load(in Backing, name string, clock func() time.Time) (*record.Run, error) {
	data, running, err := readBytes(in, name)
	if err != nil {
		return nil, err
	}
	r, err := record.Parse(data, stored(in, name, running, clock))
	if err != nil {
		return nil, err
	}
	if err := takeAnswers(r, in, name); err != nil {
		return nil, err
	}
	return r, nil
}

// stored returns what a backing knows of a record besides its bytes.
func stored(in Backing, name string, running bool, clock func() time.Time) record.Stored {
	s := record.Stored{Running: running, Clock: clock, Key: func() ([]byte, error) { return in.Key(false) },
		Beside: func(file string, max int64) ([]byte, error) { return in.Value(name, file, max) }}
	if began, id, ok := parseName(name); ok {
		s.Began, s.ID = began, id
	}
	return s
}

// readBytes returns a record as it is now, and whether a process is writing it.
func readBytes(in Backing, name string) (data []byte, running bool, err error) {
	f, err := in.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if running, err = f.Running(); err != nil { // before the size: a record without an owner does not grow
		return nil, false, fmt.Errorf("looking for its writer: %w", err)
	}
	data, err = readAll(f, record.MaxRecord)
	return data, running, err
}

// readAll reads all that a source has now, of at most max bytes.
func readAll(f Source, max int64) ([]byte, error) {
	n, err := f.Size()
	if err == nil && n > max {
		err = fmt.Errorf("it has %d bytes; the most is %d", n, max)
	}
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, n), b)
	return b, err
}
