package store

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// A Writer appends to one record. It is safe for concurrent use. After an error, all calls
// of Add and Sync return the same error.
type Writer struct {
	id   string
	to   Sink
	news *Signal
	// unfinished is that of the store's options.
	unfinished func(string) int

	mu      sync.Mutex
	idle    *sync.Cond // signalled when a sync has ended
	err     error      // of a failure or of Close
	closed  bool
	lines   *record.Encoder
	synced  int // lines
	syncing bool
}

func newWriter(s *Store, id string, to Sink) *Writer {
	w := &Writer{id: id, to: to, news: s.in.Changes(), unfinished: s.o.Unfinished, lines: record.NewEncoder(id, record.EncoderOptions{
		Clock: s.clock, Redact: s.o.Redact, Unkept: s.o.Unkept, Beside: to.Beside,
		Key: sync.OnceValues(func() ([]byte, error) { return s.in.Key(true) }),
	})}
	w.idle = sync.NewCond(&w.mu)
	return w
}

// Last returns the time of the last line. The present time is the later of it and the clock.
func (w *Writer) Last() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lines.Last()
}

// Unfinished returns how many bytes at the end of a text may be the beginning of a
// secret, see StoreOptions.
func (w *Writer) Unfinished(text string) int {
	if w.unfinished == nil {
		return 0
	}
	return w.unfinished(text)
}

// ID returns the record's ID.
func (w *Writer) ID() string { return w.id }

// Add appends a line. It sets the line's Type, and its Time if that is zero or not later than that
// of the line before: no two lines have the same time. It sets the summary fields of an End and the
// Digest of an Ask, and splits a Note of more than MaxText bytes. When Add returns, the line
// survives the death of this process. It returns an error for a value that is stored beside another
// record: see Run.Value.
func (w *Writer) Add(l record.Line) error {
	if err := w.failed(); err != nil { // no value is written beside it either
		return err
	}
	redacted, err := w.lines.Redact(l)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err == nil {
		err = w.lines.Encode(l, redacted, w.write)
	}
	if err != nil {
		return w.fail(err)
	}
	if e, ok := w.to.(Ender); ok {
		if _, ok := l.(*record.End); ok {
			e.End()
		}
	}
	return nil
}

func (w *Writer) write(b []byte) error {
	n, err := w.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func (w *Writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// fail ends the writing.
func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("writing the record %s: %w", w.id, err)
	return w.err
}

// Sync makes all lines that were added before durable. Concurrent calls share one sync of
// the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for want := w.lines.Lines(); w.err == nil && w.synced < want; {
		if w.syncing {
			w.idle.Wait()
			continue
		}
		lines := w.lines.Lines()
		w.syncing = true
		w.mu.Unlock()
		err := w.to.Sync()
		w.mu.Lock()
		w.syncing = false
		if err != nil && w.err == nil {
			w.fail(err)
		}
		if err == nil {
			w.synced = lines
		}
		w.idle.Broadcast()
	}
	return w.err
}

// Close ends the writing without adding an End. Only the first call returns an error.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	for w.syncing {
		w.idle.Wait()
	}
	if w.err == nil {
		w.err = ErrClosed
	}
	err := w.to.Close()
	w.news.Notify()
	if err != nil {
		return fmt.Errorf("closing the record %s: %w", w.id, err)
	}
	return nil
}
