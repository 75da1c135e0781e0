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

// Filter selects the runs of a list. A zero field selects all.
type Filter struct {
	Status  []string // of an End, Running or Died
	Tool    string   // a pattern of registry.Tool.Match for the tools that were called
	Server  string
	Script  string // the name of a saved script or file
	Text    string // in the script, phrases, printed text, arguments or errors; case is ignored
	Subject *string
	Session string
	Since   time.Time
	Until   time.Time
	Before  string // the ID of a run; selects the runs after it in the list
	Limit   int    // the maximum number of runs; if zero, unlimited
	// Bytes is the size of the largest record that is read for a pending call. Larger ones return
	// ErrLarge. If zero, it is MaxRecord.
	Bytes int64
}

// UnreadableError is the error of a record in a list that cannot be read.
type UnreadableError struct {
	ID   string
	Time time.Time // when the run began
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("reading run %s: %v", e.ID, e.Err) }
func (e *UnreadableError) Unwrap() error { return e.Err }

// StoppedError is the error of a list whose context ended before it was complete.
type StoppedError struct {
	ID   string    // of the last run that was read, for Filter.Before; may be empty
	Time time.Time // when that run began
	Err  error     // of the context
}

func (e *StoppedError) Error() string { return "listing runs: " + e.Err.Error() }
func (e *StoppedError) Unwrap() error { return e.Err }

// List returns the runs that a filter selects, the latest first. It yields an
// *UnreadableError for a record that cannot be read, and continues. If ctx ends, its last
// error is a *StoppedError. For an ended run it reads the index, or the first and the last
// line of the record, so it does not set Damaged for the lines between; Load does. With
// Filter.Text it reads whole records.
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

// choose returns the summary of a record, or nil if the filter does not select it.
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
	if errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
		return nil, nil
	}
	if err != nil {
		began, id, _ := ParseName(name)
		return nil, &UnreadableError{id, began, err}
	}
	return sum, nil
}

// LoadListed reads the record of a listed run as Load does, without searching for its ID. It
// returns ErrLarge if the record has more than max bytes.
func (s *Store) LoadListed(sum *record.Summary, max int64) (*record.Run, error) {
	name := nameOf(sum.Time, sum.ID)
	if _, _, ok := ParseName(name); !ok { // the ID becomes part of a path
		return nil, fmt.Errorf("%w: %q", ErrNotFound, sum.ID)
	}
	m, err := s.mark(name)
	if err == nil && m.Size > max {
		err = ErrLarge
	}
	if err != nil {
		return nil, reading(sum.ID, err)
	}
	r, err := s.load(name)
	return r, reading(sum.ID, err)
}

// First returns the first line of a record (by an ID as for Load) and the size of the record in
// bytes. If the first line is damaged, only its ID and time are set.
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

// match reports whether the filter selects a run by its summary.
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

// toolMatches reports whether a pattern matches a tool's ID or its server, the part of the
// ID before a dot.
func toolMatches(pattern, id string) bool {
	for i := range len(id) {
		if id[i] == '.' && registry.Match(pattern, id[:i]) {
			return true
		}
	}
	return registry.Match(pattern, id)
}

// summary returns the summary of a record.
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

// row returns the current row of a record, from the index or from the record's first and
// last line.
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
	r := &row{Stamp: now, Summary: record.Summarize(b, e), Request: b.Request, Used: e.Used}
	if ok {
		s.index.put(name, r)
	}
	return r, nil
}

// edge returns the first or the last line of a source, or nil if that line is damaged.
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

// cutLine returns the first or the last line of b without its line feed, and whether the
// line is complete.
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

// contains reports whether the record of a run contains a text.
func (s *Store) contains(name, text string) (bool, error) {
	data, running, err := s.bytes(name)
	if err != nil || !record.MayContain(data, text) {
		return false, err
	}
	r, err := record.Parse(data, s.stored(name, running))
	return err == nil && r.Contains(text), err
}
