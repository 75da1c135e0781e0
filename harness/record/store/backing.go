package store

import (
	"context"
	"io"
	"sync"
	"time"
)

// A Backing is where a store's records are: a folder, memory, or what On is given. A
// record has a name, as NewName makes it. Where a record, or what stands beside it, is
// not there, the error is fs.ErrNotExist.
type Backing interface {
	// Create makes a record, which only the caller has until Publish. The error of one
	// that is there is ErrTaken, from either.
	Create(name string) (Sink, error)
	Names() ([]string, error) // the oldest first
	// Find returns the names of records whose IDs begin so.
	Find(id string) ([]string, error)
	Open(name string) (Source, error)
	// Stamp changes whenever something is written to a record; false: it is not known.
	Stamp(name string) (Stamp, bool)
	// Reopen returns a record that nobody writes; else it is ErrRunning. dead: whoever
	// writes it counts as dead, and is kept from writing more. A Backing that cannot cut
	// off a writer in another process takes no notice of dead.
	Reopen(name string, dead bool) (Sink, error)
	// Value returns what stands beside a record under the name of a file, of at most
	// max bytes.
	Value(name, file string, max int64) ([]byte, error)
	// Put keeps something beside a record durably, where nothing has the name of the
	// file: else it is fs.ErrExist.
	Put(name, file string, value []byte) error
	// Values are the digests of what stands beside a record.
	Values(name string) ([]string, error)
	// Remove deletes a record and what stands beside it. A run that is under way
	// is ErrRunning. spare, if not nil, returns an error where it stays, when nobody can
	// write it any more.
	Remove(name string, spare func() error) error
	// Size is what a record takes, in bytes, with what stands beside it.
	Size(name string) (int64, error)
	// A Most() (int64, error) beside these says what all records take at most, where that
	// costs less than the sum of their sizes.
	// Tidy deletes what killed writers left without a record.
	Tidy() error
	// SentWithin is how long after the line of a call was written the call may be sent, so
	// that a process that stood still in between does not send it later.
	SentWithin() time.Duration
	// Key is the store's key, nil where there is none and it is not to be made.
	Key(make bool) ([]byte, error)
	// Once makes a claim, and forgets those that are over; false: it was made before.
	Once(name string, now time.Time) (bool, error)
	// Alone waits until nobody else is between Alone and release.
	Alone(ctx context.Context) (release func() error, err error)
	// Notes returns the notes of requests, nil if they are found by the first lines of the
	// records.
	Notes() Notes
	Changes() *Signal
}

// Notes has the latest run of each request.
type Notes interface {
	// Note notes the latest run of a request, by its ID, before it begins.
	Note(request, id string) error
	// Latest returns the ID of the latest run of a request, "" if there is none.
	Latest(request string) (id string, err error)
}

// A Stamp is what tells two states of a record apart.
type Stamp struct {
	Size    int64
	Written int64 // ns since 1970
}

// A Sink is a record that is written. Nobody else writes it before Close.
type Sink interface {
	io.Writer // appends, in one step
	// Sync makes the record durable, with its name.
	Sync() error
	// Beside keeps a value durably.
	Beside(sum string, value []byte) error
	// Publish lists the record; its first line is written.
	Publish() error
	// Cut takes off what is behind so many bytes.
	Cut(size int64) error
	FileID() (device, inode uint64, err error)
	// Close ends the writing. A record that was not published is gone.
	Close() error
}

// A Source is a record that is read.
type Source interface {
	io.ReaderAt
	io.Closer
	Size() (int64, error)
	// Running reports whether somebody writes it.
	Running() (bool, error)
}

// An Edger is a Source that may know its first line and its last one without being read.
type Edger interface {
	// Edge returns the first line or the last, without its line feed; false: it is not
	// known. Of a line that cannot be read all is read.
	Edge(last bool) (line []byte, ok bool, err error)
}

// An Ender is a Sink that is told when the line that was written last is an End. Unless
// more is written, others may go on with the record once that line is durable.
type Ender interface{ End() }

// A Signal tells all who wait that something has changed.
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

func (s *Signal) Tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ch != nil {
		close(s.ch)
		s.ch = nil
	}
}
