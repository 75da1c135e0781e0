package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// A Store keeps records. It is safe for concurrent use, and several processes may
// use one folder.
type Store struct {
	in    Backing
	dir   string
	o     StoreOptions
	clock func() time.Time
	keep  int // runs that have ended and that nothing more may come of
	index index
}

// StoreOptions configure a Store.
type StoreOptions struct {
	// Age and Bytes bound what is kept: ended runs that are older go, and the
	// oldest ones while all together take more; 0: there is no bound.
	Age   time.Duration
	Bytes int64
	// Redact is that of record.EncoderOptions. It is also called with the texts of JSON
	// strings. It must not change its argument, and must be safe for concurrent use.
	Redact func([]byte) []byte
	// Unfinished returns how many bytes at the end of a text may be the beginning of a
	// secret: printed text is written without those until its rest is there. nil: none.
	// It is safe for concurrent use.
	Unfinished func([]byte) int
	// Unkept is that of record.EncoderOptions.
	Unkept func(tool string) bool
	// AnswerKey signs people's answers, of at least 16 bytes: those that were given
	// through a store with another key count for nothing. nil: the key in the folder
	// does, which all who can write there have.
	AnswerKey []byte
}

// Open returns the store in a folder, which it creates if necessary.
func Open(dir string, o *StoreOptions) (*Store, error) {
	in, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	return On(in, in.dir, o), nil
}

// Folder returns the Backing of the store in a folder, which it creates if necessary.
func Folder(dir string) (Backing, error) {
	in, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	return in, nil
}

func openDir(dir string) (in *folder, err error) {
	if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		in, err = openFolder(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the store of records: %w", err)
	}
	return in, nil
}

// Memory returns a store that keeps the latest n runs that have ended, and those
// under way, of at most 64 MiB together; one of more than 16 MiB, or for which those
// under way leave no room, is not kept, and its Writer takes what it is given. It
// writes nothing.
func Memory(n int, o *StoreOptions) *Store {
	m := newMemory()
	s := On(m, "", o)
	s.keep = n
	if s.o.Bytes <= 0 || s.o.Bytes > m.most {
		s.o.Bytes = m.most
	}
	m.prune = func() { s.prune() }
	return s
}

// On returns the store of records that are in a Backing of the caller's. name is what
// Dir returns for it.
func On(in Backing, name string, o *StoreOptions) *Store {
	s := &Store{in: in, dir: name, clock: time.Now, keep: math.MaxInt}
	s.index.in, _ = in.(*folder)
	if o != nil {
		s.o = *o
	}
	return s
}

// Dir is the store's folder, absolute, "" for one in memory, the name that On was given.
func (s *Store) Dir() string { return s.dir }

// MAC returns the HMAC-SHA-256 of some texts, in their order, with the key of the
// store: the same from another process with the same folder. The first text says
// what it is for.
func (s *Store) MAC(texts ...string) ([]byte, error) {
	key, err := s.in.Key(true)
	if err != nil {
		return nil, err
	}
	return record.MAC(key, texts...), nil
}

// Alone calls f while no other call of Alone is under way, in all processes with the
// same folder. It waits for its turn until ctx ends; a process that dies ends its turn.
func (s *Store) Alone(ctx context.Context, f func() error) error {
	release, err := s.in.Alone(ctx)
	if err != nil {
		return fmt.Errorf("waiting for others with the store of records: %w", err)
	}
	return errors.Join(f(), release())
}

// SentWithin is how long after its line was written a call may still be sent.
func (s *Store) SentWithin() time.Duration { return s.in.SentWithin() }

// pruneEvery is of how many records that begin one prunes the store, at random:
// a process may begin only one.
const pruneEvery = 64

// Begin makes the record of a run that begins. It sets what of b is not the
// caller's to know: V, Seed where there is none, ID and Time where there is no ID (see
// NewName), CPUs, Go, OS, Arch and Process. A run that has begun is ErrTaken. Now and
// then it prunes the store.
func (s *Store) Begin(b *record.Begin) (*Writer, error) { return s.beginWith(b) }

// BeginEnded is Begin for a run that ends without having run: whoever finds its record
// finds its end.
func (s *Store) BeginEnded(b *record.Begin, e *record.End) error {
	w, err := s.beginWith(b, e)
	if err != nil {
		return err
	}
	return w.Close()
}

func (s *Store) beginWith(b *record.Begin, more ...record.Line) (*Writer, error) {
	if mathrand.N(pruneEvery) == 0 {
		s.Prune() // that it fails is told to those who call it
	}
	if b.V = record.Version; b.ID == "" {
		b.Time, b.ID, _ = ParseName(NewName(s.clock()))
	}
	if b.Seed == nil {
		b.Seed = randomKey()
	}
	b.CPUs, b.Go, b.OS, b.Arch = runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH
	w, err := s.begin(b, more)
	if err != nil {
		return nil, fmt.Errorf("beginning the record of a run: %w", err)
	}
	if s.in.Notes() == nil {
		s.index.put(nameOf(b.Time, b.ID), &row{Summary: record.Summarize(b, &record.End{}), Request: b.Request})
	}
	s.in.Changes().Tell()
	return w, nil
}

func (s *Store) begin(b *record.Begin, more []record.Line) (*Writer, error) {
	if err := s.noteRequest(b); err != nil {
		return nil, err
	}
	to, err := s.in.Create(nameOf(b.Time, b.ID))
	if err != nil {
		return nil, err
	}
	w := newWriter(s, b.ID, to)
	if b.Process, err = process(to); err == nil {
		for _, l := range append([]record.Line{b}, more...) {
			if err == nil {
				err = w.Add(l)
			}
		}
		if err == nil {
			err = to.Publish()
		}
	}
	if err != nil {
		to.Close()
		return nil, err
	}
	return w, nil
}

// Records are named by their time and ID, so that names sort by time.
const nameTime = "20060102T150405.000000Z"

// NewName returns the name of a record that is to begin at a time.
func NewName(t time.Time) string { return nameOf(t, newID()) }

func nameOf(t time.Time, id string) string { return t.UTC().Format(nameTime) + "-" + id }

// ParseName returns the time, in UTC and µs, and the ID of a record's name.
func ParseName(name string) (began time.Time, id string, ok bool) {
	if len(name) != len(nameTime)+1+idSize || name[len(nameTime)] != '-' {
		return time.Time{}, "", false
	}
	t, err := time.Parse(nameTime, name[:len(nameTime)])
	id = name[len(nameTime)+1:]
	return t, id, err == nil && strings.Trim(id, idLetters) == ""
}

// IDs are of letters and digits that look unlike.
const (
	idLetters = "0123456789abcdefghjkmnpqrstvwxyz"
	idSize    = 10
)

func newID() string {
	b := make([]byte, idSize)
	rand.Read(b)
	for i := range b {
		b[i] = idLetters[b[i]%32]
	}
	return string(b)
}
