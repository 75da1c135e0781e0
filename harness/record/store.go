package record

import (
	"context"
	"errors"
	"iter"
	"time"
)

// A Store keeps records. It is safe for concurrent use, and several processes may
// use one folder.
type Store struct{ unimplemented }

type unimplemented struct{}

var errUnimplemented = errors.New("not there yet")

// StoreOptions configure a Store.
type StoreOptions struct {
	// Age and Bytes bound what is kept: ended runs that are older go, and the
	// oldest ones while all together take more; 0: there is no bound.
	Age   time.Duration
	Bytes int64
	// Redact hides secrets in a text or JSON before it is written; nil: nothing is
	// secret.
	Redact func([]byte) []byte
	// Unkept reports whether the arguments and results of a tool are not to be
	// kept: of those the record has a keyed digest; nil: all are kept.
	Unkept func(tool string) bool
}

// Open returns the store in a folder, which is made where it is missing.
func Open(dir string, o *StoreOptions) (*Store, error) { return nil, errUnimplemented }

// Memory returns a store that keeps the latest n runs, and writes nothing.
func Memory(n int, o *StoreOptions) *Store { return nil }

// Dir is the store's folder, "" for one in memory.
func (s *Store) Dir() string { return "" }

// Begin makes the record of a run that begins. It sets what of b is not the
// caller's to know: V, ID, Time, Seed where there is none, CPUs, Go, OS, Arch and
// Process.
func (s *Store) Begin(b *Begin) (*Writer, error) { return nil, errUnimplemented }

// A Writer appends to one record. It is safe for concurrent use. After an error
// every further Add and Sync fails with the same error: there is no second try.
type Writer struct{ unimplemented }

// ID is the record's.
func (w *Writer) ID() string { return "" }

// Add appends a line and sets its Type, and its Time where that is zero. The line
// has left this process when Add returns, so that it survives its death.
func (w *Writer) Add(l Line) error { return errUnimplemented }

// Sync makes all lines that were added before durable. Calls side by side share
// one sync of the disk.
func (w *Writer) Sync() error { return errUnimplemented }

// Close ends the writing. The record has no End where none was added.
func (w *Writer) Close() error { return errUnimplemented }

// Run is a record as it was read.
type Run struct {
	Begin    *Begin
	Attempts []*Attempt
	Tools    *Tools // nil: the script uses none
	Calls    []*Made
	Notes    []*Note
	Children []*Child
	End      *End   // nil: it is under way, or its process died
	Lines    []Line // all of them, in their order
	// Damaged says where a good line follows a bad one; such a record is shown and
	// never gone on with. nil: it is whole.
	Damaged error
	// Torn is how many bytes at the end do not verify, and are left out.
	Torn int64

	store *Store
}

// Made is one call of a run with all that is known of it.
type Made struct {
	*Call          // nil in a dry run, for a call that was not sent
	Guess  *Guess  // instead
	Done   *Done   // nil: it is under way, or nothing is known of it
	Settle *Settle // nil
}

// Load reads a record by its ID, or the beginning of one that no other has.
func (s *Store) Load(id string) (*Run, error) { return nil, errUnimplemented }

// LoadFile reads the record in a file.
func LoadFile(path string) (*Run, error) { return nil, errUnimplemented }

// Value returns a value of the record, wherever it is kept.
func (r *Run) Value(d Data) ([]byte, error) { return nil, errUnimplemented }

// Stdout and Stderr are all that the script printed.
func (r *Run) Stdout() string { return "" }
func (r *Run) Stderr() string { return "" }

// Filter says which runs are listed. Zero fields choose all.
type Filter struct {
	Status  []string // "running" for one without an end whose process is alive, "died" for one whose is not
	Tool    string   // a pattern of registry.Tool.Match; of calls that were made
	Server  string
	Script  string // the name of a saved script or file
	Text    string // in the script, phrases, printed text, arguments, errors; case does not count
	Subject *string
	Session string
	Since   time.Time
	Until   time.Time
	Limit   int // the latest so many; 0: all
}

// Summary is one run of a list.
type Summary struct {
	ID       string    `json:"run"`
	Time     time.Time `json:"time"`
	Status   string    `json:"status"`
	Ms       float64   `json:"ms"`
	Name     string    `json:"name,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Session  string    `json:"session,omitempty"`
	Dry      bool      `json:"dry,omitempty"`
	Calls    int       `json:"calls"`
	Failed   int       `json:"failed"`
	Tools    []string  `json:"tools"`           // that were called, by ID
	Title    string    `json:"title,omitempty"` // first phrase, or first line of the script
	Error    string    `json:"error,omitempty"` // first line
	Damaged  bool      `json:"damaged,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
}

// List returns the runs that a filter chooses, the latest first. A record that
// cannot be read is an error, and the list goes on.
func (s *Store) List(ctx context.Context, f *Filter) iter.Seq2[*Summary, error] { return nil }

// Follow returns the runs that a filter chooses as they begin and as they end,
// until ctx ends.
func (s *Store) Follow(ctx context.Context, f *Filter) iter.Seq2[*Summary, error] { return nil }

// Remove deletes records, and what stands beside them. A run that is under way is
// an error.
func (s *Store) Remove(ids ...string) error { return errUnimplemented }

// Prune deletes what the store is not to keep any more.
func (s *Store) Prune() error { return errUnimplemented }
