package record

import (
	"context"
	"io"
	"time"
)

// A backing is where a store's records are: a folder, or memory. A record has a
// name, which begins with its time.
type backing interface {
	// create makes a record, which only the caller has until publish.
	create(name string) (sink, error)
	names() ([]string, error) // the oldest first
	open(name string) (source, error)
	// stamp changes whenever something is written to a record; false: it is not known.
	stamp(name string) (stamp, bool)
	// reopen returns a record that nobody writes; else it is ErrRunning.
	reopen(name string) (sink, error)
	// value returns what stands beside a record under the name of a file, of at most
	// max bytes.
	value(name, file string, max int64) ([]byte, error)
	// put keeps something beside a record durably, where nothing has the name of the
	// file: else it is fs.ErrExist.
	put(name, file string, value []byte) error
	// values are the digests of what stands beside a record.
	values(name string) ([]string, error)
	// remove deletes a record and what stands beside it. A run that is under way
	// is ErrRunning. spare, if not nil, says whether it stays, which is errStays, when
	// nobody can write it any more.
	remove(name string, spare func() (bool, error)) error
	// size is what a record takes, in bytes, with what stands beside it.
	size(name string) (int64, error)
	// tidy deletes what killed writers left without a record.
	tidy() error
	// key is the store's key, nil where there is none and it is not to be made.
	key(make bool) ([]byte, error)
	// once makes a claim, and forgets those that are over; false: it was made before.
	once(name string, now time.Time) (bool, error)
	// alone waits until nobody else is between this and release.
	alone(ctx context.Context) (release func() error, err error)
	changes() *signal
}

// A stamp is what tells two states of a record apart.
type stamp struct {
	size    int64
	written int64 // ns since 1970
}

// A sink is a record that is written. Nobody else writes it before Close.
type sink interface {
	io.Writer // appends, in one step
	// Sync makes the record durable, with its name.
	Sync() error
	// beside keeps a value durably.
	beside(sum string, value []byte) error
	// publish lists the record; its first line is written.
	publish() error
	// cut takes off what is behind so many bytes.
	cut(size int64) error
	fileID() (device, inode uint64, err error)
	// Close ends the writing. A record that was not published is gone.
	Close() error
}

// A source is a record that is read.
type source interface {
	io.ReaderAt
	io.Closer
	size() (int64, error)
	// running reports whether somebody writes it.
	running() (bool, error)
}
