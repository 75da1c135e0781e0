package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Filter says which runs are listed. Zero fields choose all.
type Filter struct {
	Status  []string // of an End, Running or Died
	Tool    string   // a pattern of registry.Tool.Match; of calls that were made
	Server  string
	Script  string // the name of a saved script or file
	Text    string // in the script, phrases, printed text, arguments, errors; case does not count
	Subject *string
	Session string
	Since   time.Time
	Until   time.Time
	Before  string // the ID of a run: only those that stand behind it in the list
	Limit   int    // the latest so many; 0: all
	// Bytes are the most of a record that Pending reads whole; a larger one is ErrLarge.
	// 0: MaxRecord.
	Bytes int64
}

// UnreadableError says that a record of a list cannot be read.
type UnreadableError struct {
	ID   string
	Time time.Time // when the run began
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("reading run %s: %v", e.ID, e.Err) }
func (e *UnreadableError) Unwrap() error { return e.Err }

// StoppedError says that a list was stopped by its context before its end.
type StoppedError struct {
	ID   string    // of the last run that was looked at, see Filter.Before; "": none was
	Time time.Time // when it began
	Err  error     // of the context
}

func (e *StoppedError) Error() string { return "listing runs: " + e.Err.Error() }
func (e *StoppedError) Unwrap() error { return e.Err }

// List returns the runs that a filter chooses, the latest first. A record that
// cannot be read is an *UnreadableError, and the list goes on; with its context it ends
// with a *StoppedError. Of a run that has ended the index is read, or the first and the
// last line, so that Damaged is not set for what is between; Load sets it. A filter for a
// text reads all.
func (s *Store) List(ctx context.Context, f *Filter) iter.Seq2[*record.Summary, error] {
	if f == nil {
		f = &Filter{}
	}
	return func(yield func(*record.Summary, error) bool) {
		names, err := s.in.Names()
		if err != nil {
			yield(nil, fmt.Errorf("listing runs: %w", err))
			return
		}
		defer s.index.save(names)
		if f.Before != "" {
			at := slices.IndexFunc(names, func(name string) bool { return strings.HasSuffix(name, "-"+f.Before) })
			if at < 0 {
				yield(nil, fmt.Errorf("listing runs: %w: %q", ErrNotFound, f.Before))
				return
			}
			names = names[:at]
		}
		n, last := 0, ""
		for _, name := range slices.Backward(names) {
			if ctx.Err() != nil {
				began, id, _ := ParseName(last)
				yield(nil, &StoppedError{id, began, ctx.Err()})
				return
			}
			last = name
			sum, err := s.choose(name, f)
			if err == nil && sum == nil {
				continue
			}
			if !yield(sum, err) {
				return
			}
			if n++; n == f.Limit {
				return
			}
		}
	}
}

// choose returns the summary of a record that a filter chooses, else nil.
func (s *Store) choose(name string, f *Filter) (*record.Summary, error) {
	if t, _, _ := ParseName(name); t.Before(f.Since) || !f.Until.IsZero() && t.After(f.Until) {
		return nil, nil
	}
	sum, err := s.summary(name)
	if err == nil && !f.match(sum) {
		return nil, nil
	}
	if err == nil && f.Text != "" {
		var found bool
		if found, err = s.contains(name, f.Text); err == nil && !found {
			return nil, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) { // it was removed since
		return nil, nil
	}
	if err != nil {
		began, id, _ := ParseName(name)
		return nil, &UnreadableError{id, began, err}
	}
	return sum, nil
}

// LoadListed reads the record of a run of a list, as Load does, without looking for it
// among all. One of more than max bytes is ErrLarge.
func (s *Store) LoadListed(sum *record.Summary, max int64) (*record.Run, error) {
	name := nameOf(sum.Time, sum.ID)
	if _, _, ok := ParseName(name); !ok { // id is part of a path
		return nil, fmt.Errorf("%w: %q", ErrNotFound, sum.ID)
	}
	r, err := s.loadUpTo(name, max)
	return r, reading(sum.ID, err)
}

func (s *Store) loadUpTo(name string, max int64) (*record.Run, error) {
	f, err := s.in.Open(name)
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if size > max {
		return nil, ErrLarge
	}
	return s.load(name)
}

// First returns the first line of a record, by an ID as for Load, and how many bytes the
// record has, without reading the rest. Of one that is damaged there the line has an ID
// and a time alone.
func (s *Store) First(id string) (*record.Begin, int64, error) {
	name, err := s.find(id)
	if err != nil {
		return nil, 0, err
	}
	b, size, err := s.first(name)
	return b, size, reading(id, err)
}

func (s *Store) first(name string) (*record.Begin, int64, error) {
	f, err := s.in.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, 0, err
	}
	l, err := edge(f, false)
	if err != nil {
		return nil, 0, err
	}
	b, ok := l.(*record.Begin)
	if !ok {
		b = &record.Begin{}
		b.Time, _, _ = ParseName(name)
	}
	_, b.ID, _ = ParseName(name)
	return b, size, nil
}

// match reports whether the filter chooses a run, as far as its summary says.
func (f *Filter) match(s *record.Summary) bool {
	return (len(f.Status) == 0 || slices.Contains(f.Status, s.Status)) &&
		(f.Script == "" || f.Script == s.Name) &&
		(f.Subject == nil || *f.Subject == s.Subject) &&
		(f.Session == "" || f.Session == s.Session) &&
		(f.Tool == "" || slices.ContainsFunc(s.Tools, func(id string) bool { return toolMatches(f.Tool, id) })) &&
		(f.Server == "" || slices.ContainsFunc(s.Tools, func(id string) bool {
			return strings.HasPrefix(id, f.Server+".")
		}))
}

// toolMatches reports whether a pattern matches a tool's ID or its server, which
// is what the ID has before a dot.
func toolMatches(pattern, id string) bool {
	for i := range len(id) {
		if id[i] == '.' && registry.Match(pattern, id[:i]) {
			return true
		}
	}
	return registry.Match(pattern, id)
}

// summary returns what a list says of a record.
func (s *Store) summary(name string) (*record.Summary, error) {
	row, err := s.row(name)
	if err != nil {
		return nil, err
	}
	if _, id, _ := ParseName(name); row.ended() && row.Summary.ID == id {
		sum := *row.Summary
		return &sum, nil
	}
	r, err := s.load(name)
	if err != nil {
		return nil, err
	}
	return r.Summary(), nil
}

// row returns the row of a record as it is now, from the index or from the record's first
// and last line.
func (s *Store) row(name string) (*row, error) {
	now, ok := s.in.Stamp(name)
	if r := s.index.get(name); ok && r != nil && r.Stamp == now {
		return r, nil
	}
	f, err := s.in.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	first, err := edge(f, false)
	if err != nil {
		return nil, err
	}
	last, err := edge(f, true)
	if err != nil {
		return nil, err
	}
	b, ok1 := first.(*record.Begin)
	e, ok2 := last.(*record.End)
	if !ok1 {
		b = &record.Begin{}
	}
	if !ok1 || !ok2 {
		e = &record.End{}
	}
	r := &row{Stamp: now, Summary: record.Summarize(b, e), Request: b.Request}
	if ok {
		s.index.put(name, r)
	}
	return r, nil
}

// edge returns the first line of a source, or the last; nil: it cannot be read.
func edge(f Source, last bool) (record.Line, error) {
	if e, ok := f.(Edger); ok {
		if line, ok, err := e.Edge(last); err != nil {
			return nil, err
		} else if l, _ := record.DecodeLine(line); ok && l != nil {
			return l, nil
		}
	}
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	for n := int64(8 << 10); ; n *= 8 {
		n = min(n, size, record.MaxLine)
		at := int64(0)
		if last {
			at = size - n
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(io.NewSectionReader(f, at, n), b); err != nil {
			return nil, err
		}
		if line, ok := cutLine(b, last); ok || n == size || n == record.MaxLine {
			l, _ := record.DecodeLine(line) // an unreadable line is ignored
			return l, nil
		}
	}
}

// cutLine returns the first line of some bytes, or the last, without line feed;
// ok: all of it is there.
func cutLine(b []byte, last bool) (line []byte, ok bool) {
	if !last {
		line, _, ok = bytes.Cut(b, []byte("\n"))
		return line, ok
	}
	b, ok = bytes.CutSuffix(b, []byte("\n"))
	if !ok {
		return nil, true // it is torn
	}
	i := bytes.LastIndexByte(b, '\n')
	return b[i+1:], i >= 0
}

// contains reports whether a text is in what a run's script was, did and said.
func (s *Store) contains(name, text string) (bool, error) {
	data, running, err := s.bytes(name)
	if err != nil || !record.MayContain(data, text) {
		return false, err
	}
	r, err := record.Parse(data, s.stored(name, running))
	return err == nil && r.Contains(text), err
}
