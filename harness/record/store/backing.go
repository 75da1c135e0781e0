package store

import (
	"context"
	"io"
	"sync"
	"time"
)

// A Backing holds the records of a store: a folder, memory, or the argument of On. NewName
// returns names of records. A method returns fs.ErrNotExist if a record, or a value
// beside it, does not exist.
type Backing interface {
	// Create creates a record, which is not listed before Publish. Create or Publish returns
	// ErrTaken if a record has the name.
	Create(name string) (Sink, error)
	Names() ([]string, error) // the oldest first
	// Find returns the names of the records whose IDs begin with id.
	Find(id string) ([]string, error)
	Open(name string) (Source, error)
	// Stamp returns a value that changes with each write to the record; false if it is
	// unknown.
	Stamp(name string) (Stamp, bool)
	// Reopen opens a record for appending. It returns ErrRunning if the record has a
	// writer. If dead is true, it cuts off that writer instead; a Backing that cannot cut
	// off a writer in another process ignores dead.
	Reopen(name string, dead bool) (Sink, error)
	// Value returns the value with a file name beside a record. It returns an error if it has more
	// than max bytes.
	Value(name, file string, max int64) ([]byte, error)
	// Put keeps a value beside a record durably. It returns fs.ErrExist if a value has the
	// file name.
	Put(name, file string, value []byte) error
	// Remove deletes a record and the values beside it. It returns ErrRunning if the record has a
	// writer. Once no writer can open the record any more, Remove calls check, if not nil. If that
	// returns an error, Remove returns it and deletes nothing.
	Remove(name string, check func() error) error
	// Size returns the bytes of a record and the values beside it. A Backing may also have
	// Most() (int64, error), which returns an upper bound of all sizes at a lower cost.
	Size(name string) (int64, error)
	// Tidy deletes files that killed writers left without a record.
	Tidy() error
	// SentWithin returns how long after its line was written a call may be sent. A process
	// that was suspended in between does not send it later.
	SentWithin() time.Duration
	// Key returns the store's key. If there is none, it creates one if make is true, or
	// returns nil.
	Key(make bool) ([]byte, error)
	// Once makes a claim and deletes expired ones. It returns false if the claim was made
	// before.
	Once(name string, now time.Time) (bool, error)
	// Alone waits until no other caller is between Alone and release.
	Alone(ctx context.Context) (release func() error, err error)
	// Notes returns the notes of requests, or nil if the first lines of the records are used
	// instead.
	Notes() Notes
	Changes() *Signal
}

// Notes has the latest run of each request.
type Notes interface {
	// Note notes the latest run of a request, by its ID, before it begins.
	Note(request, id string) error
	// Latest returns the ID of the latest run of a request, or "" if it has none.
	Latest(request string) (id string, err error)
}

// A Stamp differs between two states of a record.
type Stamp struct {
	Size    int64
	Written int64 // ns since 1970
}

// A Sink writes a record. It is the record's only writer until Close.
type Sink interface {
	io.Writer // appends, in one step
	// Sync makes the record and its name durable.
	Sync() error
	// Beside keeps a value durably under its digest, unless it exists.
	Beside(sum string, value []byte) error
	// Publish lists the record, after its first line was written.
	Publish() error
	// Cut truncates the record to a size.
	Cut(size int64) error
	FileID() (device, inode uint64, err error)
	// Close ends the writing. It deletes a record that was not published.
	Close() error
}

// A Source reads a record.
type Source interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error)
	// Running reports whether the record has a writer.
	Running() (bool, error)
}

// An Edger is a Source that may know its first and last line without reading the rest.
type Edger interface {
	// Edge returns the first line or the last one, without its line feed; false if it is
	// not known.
	Edge(last bool) (line []byte, ok bool, err error)
}

// An Ender is a Sink whose End is called after an End line was written. Other writers may
// take over the record once that line is durable, unless more lines follow.
type Ender interface{ End() }

// A Signal wakes its waiters when something has changed.
type Signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// Wait returns a channel that the next change closes.
func (s *Signal) Wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch == nil {
		s.ch = make(chan struct{})
	}
	return s.ch
}

// Notify wakes all waiters.
func (s *Signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}
