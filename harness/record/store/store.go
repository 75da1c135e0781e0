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

// A Store keeps records. It is safe for concurrent use, and several processes may use one folder.
type Store struct {
	in    Backing
	dir   string
	o     StoreOptions
	clock func() time.Time
	keep  int // ended runs that cannot be resumed and are kept
	index index
}

// StoreOptions configure a Store.
type StoreOptions struct {
	// Age and Bytes bound the ended runs that are kept: older ones are deleted, and the
	// oldest ones while all records take more bytes. If zero, there is no bound.
	Age   time.Duration
	Bytes int64
	// Redact is passed to record.EncoderOptions. It is also called with the texts of JSON
	// strings. It must be safe for concurrent use.
	Redact func(string) string
	// Unfinished returns how many bytes at the end of a text may be the beginning of a
	// secret. These bytes of printed text are written with the text that follows. If nil,
	// all text is written at once. It must be safe for concurrent use.
	Unfinished func(string) int
	// Unkept is passed to record.EncoderOptions.
	Unkept func(tool string) bool
	// AnswerKey signs approvals and rejections. It has at least 16 bytes. Answers signed with
	// another key are ignored. If nil, the key in the folder signs, which every process with write
	// access to the folder has.
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
func Folder(dir string) (Backing, error) { return openDir(dir) }

func openDir(dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the store of records: %w", err)
	}
	return &folder{dir: dir, root: root}, nil
}

// Memory returns a store in memory. It keeps the latest n ended runs and the unfinished
// ones, of at most 64 MiB together. A run of more than 16 MiB, or one for which the
// unfinished runs leave no room, is dropped; its Writer accepts and discards lines then.
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

// On returns a store with its records in a Backing. Dir returns name.
func On(in Backing, name string, o *StoreOptions) *Store {
	s := &Store{in: in, dir: name, clock: time.Now, keep: math.MaxInt}
	s.index.in, _ = in.(*folder)
	if o != nil {
		s.o = *o
	}
	return s
}

// Dir returns the absolute path of the store's folder, "" for a store in memory, or the
// name that was passed to On.
func (s *Store) Dir() string { return s.dir }

// MAC returns the HMAC-SHA-256 of texts in their order, with the key of the store. All
// processes with the same folder get the same value. The first text names its purpose.
func (s *Store) MAC(texts ...string) ([]byte, error) {
	key, err := s.in.Key(true)
	if err != nil {
		return nil, err
	}
	return record.MAC(key, texts...), nil
}

// Alone calls f while no other call of Alone runs, in all processes with the same folder.
// It waits for its turn until ctx ends. A process that dies gives up its turn.
func (s *Store) Alone(ctx context.Context, f func() error) error {
	release, err := s.in.Alone(ctx)
	if err != nil {
		return fmt.Errorf("waiting for other processes with the store of records: %w", err)
	}
	return errors.Join(f(), release())
}

// SentWithin returns how long after its line was written a call may still be sent.
func (s *Store) SentWithin() time.Duration { return s.in.SentWithin() }

// pruneEvery is how many calls of Begin there are, on average, for one that prunes the
// store. It is random, because many processes begin one run only.
const pruneEvery = 64

// Begin creates the record of a run. It sets V, CPUs, Go, OS, Arch and Process of b; Seed
// if it is nil; ID and Time if there is no ID (see NewName). It returns ErrTaken if the
// run has begun before. Some calls prune the store.
func (s *Store) Begin(b *record.Begin) (*Writer, error) { return s.beginWith(b) }

// BeginEnded creates the record of a run that ends without running. The record is listed
// together with its end.
func (s *Store) BeginEnded(b *record.Begin, e *record.End) error {
	w, err := s.beginWith(b, e)
	if err != nil {
		return err
	}
	return w.Close()
}

func (s *Store) beginWith(b *record.Begin, more ...record.Line) (*Writer, error) {
	if mathrand.N(pruneEvery) == 0 {
		s.Prune() // its error is reported to direct callers
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
	s.in.Changes().Notify()
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

// NewName returns a new name for a record that begins at t.
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

// IDs consist of letters and digits that cannot be mistaken for each other.
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
