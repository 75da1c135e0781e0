package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/localfile"
)

// Load reads a record by its ID or by a unique beginning of the ID. It returns ErrNotFound
// or ErrAmbiguous if not exactly one record has such an ID.
func (s *Store) Load(id string) (*record.Run, error) {
	_, r, err := s.loadID(id)
	return r, err
}

// loadID reads a record as Load does, and also returns its name.
func (s *Store) loadID(id string) (name string, r *record.Run, err error) {
	if name, err = s.find(id); err != nil {
		return "", nil, err
	}
	r, err = s.load(name)
	return name, r, reading(id, err)
}

// reading wraps the error of reading a run, whose record may have been removed.
func reading(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if err != nil {
		err = fmt.Errorf("reading run %s: %w", id, err)
	}
	return err
}

// find returns the name of the only record whose ID begins with id.
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
	_, a, _ := ParseName(found[0])
	_, b, _ := ParseName(found[1])
	return "", fmt.Errorf("%w: %q begins the IDs of %d runs, such as %s and %s; use more of it", ErrAmbiguous, id,
		len(found), a, b)
}

// find implements Backing.Find by Backing.Names.
func find(in Backing, id string) (found []string, err error) {
	names, err := in.Names()
	for _, name := range names {
		if _, has, _ := ParseName(name); strings.HasPrefix(has, id) {
			found = append(found, name)
		}
	}
	return found, err
}

// LoadFile reads the record in a file NAME.run.jsonl. Its large values are in the folder NAME.run
// beside it.
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
	in, err := openDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return On(in, "", nil).load(name)
}

func (s *Store) load(name string) (*record.Run, error) {
	_, r, err := s.parse(name)
	if err == nil {
		err = s.takeAnswers(r, name)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// parse returns the bytes of a record, and the run that they describe.
func (s *Store) parse(name string) (data []byte, r *record.Run, err error) {
	data, running, err := s.bytes(name)
	if err == nil {
		r, err = record.Parse(data, s.stored(name, running))
	}
	return data, r, err
}

// stored returns the facts about a record that its bytes do not contain.
func (s *Store) stored(name string, running bool) record.Stored {
	o := record.Stored{Running: running, Clock: s.clock, Key: func() ([]byte, error) { return s.in.Key(false) },
		Beside: func(file string, max int64) ([]byte, error) { return s.in.Value(name, file, max) }}
	if began, id, ok := ParseName(name); ok {
		o.Began, o.ID = began, id
	}
	return o
}

// bytes returns the current bytes of a record, and whether it has a writer.
func (s *Store) bytes(name string) (data []byte, running bool, err error) {
	f, err := s.in.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if running, err = f.Running(); err != nil { // before the size, because a record without an owner does not grow
		return nil, false, fmt.Errorf("looking for its writer: %w", err)
	}
	data, err = readAll(f, record.MaxRecord)
	return data, running, err
}

// readAll reads the current content of a source. It returns an error if there are more than max
// bytes.
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

// Copy writes the record with an ID (see Load) to a file NAME.run.jsonl, and its large values to
// the folder NAME.run. It replaces existing ones. Without the key of its store, Run.Same cannot
// compare redacted values and values that were not kept.
func (s *Store) Copy(id, path string) error {
	base, ok := strings.CutSuffix(path, recordExt)
	if !ok {
		return fmt.Errorf("copying run %s to %s: the name of a record ends with %s", id, path, recordExt)
	}
	if err := s.copy(id, base); err != nil {
		return fmt.Errorf("copying run %s: %w", id, err)
	}
	return nil
}

func (s *Store) copy(id, base string) error {
	name, err := s.find(id)
	if err != nil {
		return err
	}
	data, r, err := s.parse(name)
	if err != nil {
		return err
	}
	dir := base + besideExt
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	sums := map[string]bool{}
	for _, text := range regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindAll(data, -1) {
		sums[string(text[len("sha256:"):])] = true
	}
	for sum := range sums {
		value, err := r.Value(record.Data{SHA256: sum})
		if errors.Is(err, fs.ErrNotExist) {
			continue // not the digest of a value beside the record
		}
		if err == nil {
			err = localfile.WritePrivate(filepath.Join(dir, sum), value)
		}
		if err != nil {
			return err
		}
	}
	return localfile.Write(base+recordExt, data[:r.Size()], 0o600)
}
