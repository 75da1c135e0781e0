package record

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Writer appends to one record. It is safe for concurrent use. After an error
// every further Add and Sync fails with the same error: there is no second try.
type Writer struct {
	id   string
	to   Sink
	keep *keeper
	news *Signal
	now  func() time.Time
	// unfinished is that of the store's options.
	unfinished func([]byte) int

	mu      sync.Mutex
	idle    *sync.Cond // told when a sync has ended
	err     error      // it has failed, or was closed
	closed  bool
	last    time.Time     // of the last line
	ahead   time.Duration // of the clock, which was set back, where the record goes on
	lines   int
	bytes   int
	synced  int // lines
	syncing bool
	so      tally
}

func newWriter(s *Store, id string, to Sink) *Writer {
	w := &Writer{id: id, to: to, news: s.in.Changes(), now: s.clock, unfinished: s.o.Unfinished, keep: &keeper{
		redact: s.o.Redact, unkept: s.o.Unkept, beside: to.Beside,
		key:    sync.OnceValues(func() ([]byte, error) { return s.in.Key(true) }),
		hidden: map[int]bool{}, kept: map[string]bool{},
	}}
	w.idle = sync.NewCond(&w.mu)
	return w
}

// goOn makes the writer one that writes behind a run, which has values beside it.
func (w *Writer) goOn(r *Run, values []string) {
	for _, l := range r.Lines {
		w.keep.hides(l)
		w.so.add(l)
	}
	for _, sum := range values {
		w.keep.kept[sum] = true
	}
	w.last, w.lines, w.bytes = When(r.Lines[len(r.Lines)-1]), len(r.Lines), int(r.size)
	w.ahead = max(0, w.last.Sub(w.now()))
}

// Last is the time of the last line. What is now is the later of it and the clock.
func (w *Writer) Last() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// Unfinished returns how many bytes at the end of a text may be the beginning of a
// secret, see StoreOptions.
func (w *Writer) Unfinished(text string) int {
	if w.unfinished == nil {
		return 0
	}
	return w.unfinished([]byte(text))
}

// ID is the record's.
func (w *Writer) ID() string { return w.id }

// Add appends a line and sets its Type, and its Time where that is zero or not
// later than that of the line before: no two lines have the same time. To an End
// it adds what a list says of the run. The line has left this process when Add
// returns, so that it survives its death. A value that stands beside another record
// is an error: see Run.Value. Of an Ask it sets Digest. A Note of more than MaxText bytes becomes several.
func (w *Writer) Add(l Line) error {
	if err := w.failed(); err != nil { // nothing more is written, beside it neither
		return err
	}
	kept, err := w.keep.line(l)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if a, ok := kept.(*Ask); ok && err == nil {
		err = w.digest(a)
		l.(*Ask).Digest = a.Digest
	}
	if err != nil {
		return w.fail(err)
	}
	for _, part := range parts(kept) {
		if err := w.add(l.head(), part); err != nil {
			return err
		}
	}
	return nil
}

// digest sets the digest of an ask as its line will be read.
func (w *Writer) digest(a *Ask) error {
	a.Type, a.Digest = "ask", ""
	line, err := encode(a)
	if err != nil {
		return err
	}
	read, err := decode(bytes.TrimSuffix(line, []byte("\n")))
	if err == nil {
		a.Digest = AskDigest(w.id, read.(*Ask))
	}
	return err
}

func (w *Writer) add(h *Head, kept Line) error {
	var err error
	if h.Type, err = lineType(kept); err != nil {
		return w.fail(err)
	}
	if h.Time.IsZero() {
		h.Time = w.now()
	}
	switch kept.(type) {
	case *Answer, *Settle: // of other processes, by when the record ended then
	default: // so that time runs on in the record as it passes
		h.Time = h.Time.Add(w.ahead)
	}
	h.Time = h.Time.UTC().Truncate(time.Microsecond)
	if !h.Time.After(w.last) {
		h.Time = w.last.Add(time.Microsecond)
	}
	*kept.head() = *h
	if end, ok := kept.(*End); ok {
		w.so.fill(end)
	}
	w.so.add(kept)
	b, err := encode(kept)
	if err == nil && (w.lines == MaxLines || w.bytes+len(b) > MaxRecord) {
		err = fmt.Errorf("it is full: %d lines, %d bytes", w.lines, w.bytes)
	}
	if err != nil {
		return w.fail(err)
	}
	n, err := w.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return w.fail(err)
	}
	if e, ok := w.to.(Ender); ok && h.Type == "end" {
		e.End()
	}
	w.last = h.Time
	w.lines++
	w.bytes += len(b)
	return nil
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

// Sync makes all lines that were added before durable. Calls side by side share
// one sync of the disk.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for want := w.lines; w.err == nil && w.synced < want; {
		if w.syncing {
			w.idle.Wait()
			continue
		}
		lines := w.lines
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

// Close ends the writing. The record has no End where none was added. Only the
// first Close returns an error.
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
	w.news.Tell()
	if err != nil {
		return fmt.Errorf("closing the record %s: %w", w.id, err)
	}
	return nil
}
