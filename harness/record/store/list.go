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
	"sync"
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
// with a *StoppedError. Of a run that has
// ended only the first and the last line are read, so that Damaged is not said of
// what is between; Load says it. A filter for a text reads all.
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

// begun returns the first lines of runs that began at a time or after it, the latest
// first, as First does; skip chooses by their IDs those that are not read. A record that
// cannot be read is left out.
func (s *Store) begun(ctx context.Context, since time.Time, skip func(id string) bool) iter.Seq2[*record.Begin, error] {
	return func(yield func(*record.Begin, error) bool) {
		names, err := s.in.Names()
		if err != nil {
			yield(nil, fmt.Errorf("listing runs: %w", err))
			return
		}
		for _, name := range slices.Backward(names) {
			began, id, _ := ParseName(name)
			switch {
			case began.Before(since):
				return // names sort by time
			case skip(id):
				continue
			case ctx.Err() != nil:
				yield(nil, &StoppedError{id, began, ctx.Err()})
				return
			}
			if b, _, err := s.first(name); err == nil && !yield(b, nil) {
				return
			}
		}
	}
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

// summary reads what a list says of a record.
func (s *Store) summary(name string) (*record.Summary, error) {
	now, ok := s.in.Stamp(name)
	if ok {
		if sum := s.known.get(name, now); sum != nil {
			return sum, nil
		}
	}
	f, err := s.in.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin, end, err := ends(f)
	if err != nil {
		return nil, err
	}
	if _, id, _ := ParseName(name); end == nil || begin.ID != id {
		r, err := s.load(name)
		if err != nil {
			return nil, err
		}
		return r.Summary(), nil
	}
	sum := record.Summarize(begin, end)
	if ok {
		s.known.put(name, now, sum)
	}
	return sum, nil
}

// maxSummaries bounds those that a store remembers, each of some 500 bytes.
const maxSummaries = 20_000

// summaries are those of runs that have ended, so that a list need not open the files
// that have not changed since.
type summaries struct {
	mu sync.Mutex
	of map[string]summaryAt
}

type summaryAt struct {
	Stamp
	sum *record.Summary
}

// get returns a copy of the summary of a record in a state, nil where it is not known.
func (k *summaries) get(name string, now Stamp) *record.Summary {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.of[name]
	if !ok || at.Stamp != now {
		return nil
	}
	sum := *at.sum
	return &sum
}

func (k *summaries) put(name string, now Stamp, sum *record.Summary) {
	kept := *sum
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[string]summaryAt{}
	}
	if _, ok := k.of[name]; !ok && len(k.of) >= maxSummaries {
		for other := range k.of { // any one makes room
			delete(k.of, other)
			break
		}
	}
	k.of[name] = summaryAt{now, &kept}
}

// ends returns the first line of a record and its last, where these are a Begin
// and an End; else all of the record must be read.
func ends(f Source) (*record.Begin, *record.End, error) {
	first, err := edge(f, false)
	if err != nil {
		return nil, nil, err
	}
	last, err := edge(f, true)
	if err != nil {
		return nil, nil, err
	}
	b, isBegin := first.(*record.Begin)
	e, isEnd := last.(*record.End)
	if !isBegin || !isEnd {
		return nil, nil, nil
	}
	return b, e, nil
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
