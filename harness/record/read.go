package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Run is a record as it was read.
type Run struct {
	Begin    *Begin
	Attempts []*Attempt
	Tools    *Tools // of the script, not of those that it ran; nil: it uses none
	Calls    []*Made
	Notes    []*Note
	Children []*Child
	Asks     []*Asked
	// End is how it ended: nil while it is under way, when its process died, and when
	// another attempt has begun since; Ended has the Ends before that.
	End   *End
	Ended []*End
	Lines []Line // all of them, in their order
	// Running says that somebody writes it.
	Running bool
	// Damaged says where a good line follows a bad one; such a record is shown and
	// never gone on with. nil: it is whole.
	Damaged error
	// Later says that a later version wrote it, so that something in it may not be
	// known; nil: it is known.
	Later error
	// Torn is how many bytes at the end do not verify, and are left out.
	Torn int64
	// Forged says which answers of people count for nothing, and why: those that are
	// not what somebody said to what is asked here, in time.
	Forged []string

	in    Backing
	name  string
	size  int64 // bytes of its lines
	clock func() time.Time
	calls map[int]*Made
	sent  map[*Made]bool // those that are under way, as far as the lines say
	asks  map[string]*Asked
}

// Load reads a record by its ID, or the beginning of one that no other has. An ID
// that none has is ErrNotFound.
func (s *Store) Load(id string) (*Run, error) {
	name, err := s.find(id)
	if err != nil {
		return nil, err
	}
	r, err := s.load(name)
	if errors.Is(err, fs.ErrNotExist) { // it was removed just now
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", id, err)
	}
	return r, nil
}

func (s *Store) load(name string) (*Run, error) { return load(s.in, name, s.clock) }

// find returns the name of the record whose ID begins so.
func (s *Store) find(id string) (string, error) {
	if id == "" {
		return "", fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	found, err := s.in.Find(id)
	if err != nil {
		return "", fmt.Errorf("reading run %q: %w", id, err)
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: %q", ErrNotFound, id)
	case 1:
		return found[0], nil
	}
	_, a, _ := parseName(found[0])
	_, b, _ := parseName(found[1])
	return "", fmt.Errorf("%w: %q begins the IDs of %d runs, such as %s and %s; use more of it", ErrAmbiguous, id,
		len(found), a, b)
}

// find is Backing.Find by its Names.
func find(in Backing, id string) (found []string, err error) {
	names, err := in.Names()
	for _, name := range names {
		if _, has, _ := parseName(name); strings.HasPrefix(has, id) {
			found = append(found, name)
		}
	}
	return found, err
}

// LoadFile reads the record in a file, NAME.run.jsonl; NAME.run beside it has its
// large values.
func LoadFile(path string) (*Run, error) {
	r, err := loadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the record %s: %w", path, err)
	}
	return r, nil
}

func loadFile(path string) (*Run, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	name, ok := strings.CutSuffix(filepath.Base(path), recordExt)
	if !ok {
		return nil, fmt.Errorf("the name of a record ends with %s", recordExt)
	}
	in, err := openFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return load(in, name, time.Now)
}

func load(in Backing, name string, clock func() time.Time) (*Run, error) {
	r := &Run{in: in, name: name, clock: clock}
	data, err := r.bytes()
	if err != nil {
		return nil, err
	}
	if err := r.read(data); err != nil {
		return nil, err
	}
	if _, id, ok := parseName(name); ok && id != r.Begin.ID { // it was given another name, or is forged
		if r.Damaged == nil {
			r.Damaged = fmt.Errorf("its first line is that of run %q", r.Begin.ID)
		}
		r.Begin.ID = id
	}
	if err := r.takeAnswers(); err != nil {
		return nil, err
	}
	return r, nil
}

// bytes returns the record as it is now, and sets whether somebody writes it.
func (r *Run) bytes() ([]byte, error) {
	f, err := r.in.Open(r.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.Running, err = f.Running(); err != nil { // before the size: a record without an owner does not grow
		return nil, fmt.Errorf("looking for its writer: %w", err)
	}
	return readAll(f, MaxRecord)
}

// readAll reads all that a source has now, of at most max bytes.
func readAll(f Source, max int64) ([]byte, error) {
	n, err := f.Size()
	if err == nil && n > max {
		err = fmt.Errorf("it has %d bytes; the most is %d", n, max)
	}
	if err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, n), b)
	return b, err
}

var errNoLine = errors.New("it is no record: not one line of it can be read")

// read reads the lines.
func (r *Run) read(data []byte) error {
	var last time.Time
	bad, badAt, badWhy := 0, 0, error(nil) // the first bad line since a good one
	for n, at := 1, 0; at < len(data); n++ {
		if n > MaxLines {
			return fmt.Errorf("it has more than %d lines", MaxLines)
		}
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			if bad == 0 {
				bad, badAt = n, at
			}
			break
		}
		l, err := decode(data[at : at+end])
		if l != nil && (err == nil || r.Begin != nil && r.Begin.V > Version) {
			err = r.check(l, last)
		}
		if err != nil {
			if bad == 0 {
				bad, badAt, badWhy = n, at, err
			}
		} else {
			if bad != 0 && r.Damaged == nil {
				r.Damaged = fmt.Errorf("line %d is damaged, and good ones follow: %w", bad, badWhy)
			}
			bad, last = 0, l.head().Time
			r.add(l)
		}
		at += end + 1
	}
	if bad != 0 {
		r.Torn = int64(len(data) - badAt)
	}
	r.size = int64(len(data)) - r.Torn
	if len(r.Lines) == 0 {
		return errNoLine
	}
	if r.Begin == nil {
		b := &Begin{}
		b.Type = "begin"
		b.Time, b.ID, _ = parseName(r.name)
		r.Begin = b
		if r.Damaged == nil {
			r.Damaged = errors.New("it does not begin with its first line")
		}
	}
	if r.Begin.V > Version {
		r.Later = fmt.Errorf("it is of version %d; this program knows those up to %d", r.Begin.V, Version)
	}
	return nil
}

// check says why a line cannot be where it is.
func (r *Run) check(l Line, last time.Time) error {
	if !l.head().Time.After(last) {
		return errors.New("it is not later than the one before: lines are missing, doubled or in another order")
	}
	if _, ok := l.(*Begin); ok && len(r.Lines) > 0 {
		return errors.New("a record begins only once")
	}
	return nil
}

// add takes a line.
func (r *Run) add(l Line) {
	r.Lines = append(r.Lines, l)
	switch l := l.(type) {
	case *Begin:
		r.Begin = l
	case *Attempt:
		r.Attempts = append(r.Attempts, l)
		r.lose()
		if r.End != nil {
			r.Ended, r.End = append(r.Ended, r.End), nil
		}
	case *Tools:
		if l.Path == "" {
			r.Tools = l
		}
	case *Call:
		r.addCall(l)
	case *Done:
		r.addToCall(l.N, l)
	case *Settle:
		r.lose() // another process has the record
		r.addToCall(l.N, l)
	case *Round:
		r.addToCall(l.N, l)
	case *Ask:
		r.addAsk(l)
	case *Answer:
		if a := r.asks[l.A]; a != nil {
			r.addAnswer(a, l)
		}
	case *Guess:
		*r.made(l.N) = Made{Guess: l}
	case *Child:
		if i := slices.IndexFunc(r.Children, func(c *Child) bool { return c.N == l.N }); i >= 0 {
			r.Children[i].Error = l.Error
		} else {
			r.Children = append(r.Children, l)
		}
	case *Note:
		r.Notes = append(r.Notes, l)
	case *End:
		r.lose()
		if r.End != nil {
			r.Ended = append(r.Ended, r.End)
		}
		r.End = l
	}
}

// Value returns a value of the record, wherever it is kept: what is left of one
// that was redacted, ErrNotKept where there is a digest only. What stands beside
// the record is verified.
func (r *Run) Value(d Data) ([]byte, error) {
	sum := d.SHA256
	if d.Redacted {
		sum = d.Shown
	}
	switch {
	case d.JSON != nil || d.SHA256 == "":
		return d.JSON, nil
	case sum == "":
		return nil, ErrNotKept
	case !isDigest(sum): // it is part of a path
		return nil, errData
	}
	b, err := r.in.Value(r.name, sum, MaxValue)
	if err != nil {
		return nil, fmt.Errorf("reading a value of run %s: %w", r.Begin.ID, err)
	}
	if h := sha256.Sum256(b); hex.EncodeToString(h[:]) != sum {
		return nil, fmt.Errorf("reading a value of run %s: %s has other bytes than were written", r.Begin.ID, sum)
	}
	return b, nil
}

// Text returns the text of a value that is a JSON string, "" where there is none.
// Its errors are those of Value.
func (r *Run) Text(d Data) (string, error) {
	raw, err := r.Value(d)
	return Raw(raw).Text(), err
}

// Same reports whether a value of the record is, byte for byte, the given one,
// also where it was not kept. It needs the store's key for that.
func (r *Run) Same(d Data, value []byte) (bool, error) {
	switch {
	case d.Redacted:
		key, err := r.in.Key(false)
		if err != nil || key == nil {
			return false, errors.Join(err, ErrNotKept)
		}
		return keyed(key, value) == d.SHA256, nil
	case d.SHA256 != "":
		h := sha256.Sum256(value)
		return hex.EncodeToString(h[:]) == d.SHA256, nil
	}
	return bytes.Equal(d.JSON, value), nil
}

// Stdout and Stderr are all that the script printed.
func (r *Run) Stdout() string { return r.printed(func(n *Note) string { return n.Stdout }) }
func (r *Run) Stderr() string { return r.printed(func(n *Note) string { return n.Stderr }) }

// PrintedBytes is how many bytes the script printed of what the record has, before secrets
// in it were hidden.
func (r *Run) PrintedBytes() (stdout, stderr int) {
	for _, n := range r.Notes {
		if n.Stdout == "" {
			stderr += max(0, len(n.Stderr)+n.More)
		} else {
			stdout += max(0, len(n.Stdout)+n.More)
			stderr += len(n.Stderr)
		}
	}
	return stdout, stderr
}

func (r *Run) printed(of func(*Note) string) string {
	var b strings.Builder
	for _, n := range r.Notes {
		b.WriteString(of(n))
	}
	return b.String()
}
