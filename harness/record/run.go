package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Run is a parsed record.
type Run struct {
	Begin    *Begin
	Attempts []*Attempt
	Tools    *Tools // of the script, not of scripts that it ran; nil if it uses none
	Calls    []*Made
	Notes    []*Note
	Children []*Child
	Asks     []*Asked
	// End is the last End. If nil, the run is under way, its process died, or another
	// attempt has begun. Ended has the earlier Ends.
	End   *End
	Ended []*End
	Lines []Line // all lines, in order
	// Running reports whether a process is writing the record.
	Running bool
	// Damaged says where a valid line follows an invalid one. A damaged record is shown but cannot
	// be resumed. If nil, the record is intact.
	Damaged error
	// Later is not nil if a later version wrote the record. Some of it may be unknown.
	Later error
	// Torn is the number of bytes at the end that do not verify; they are ignored.
	Torn int64
	// Forged says which answers of people are ignored, and why.
	Forged []string

	stored Stored
	size   int64 // bytes of its lines
	dry    int   // Notes of a dry run, before it was resumed live
	calls  map[int]*Made
	sent   map[*Made]bool // calls under way, by the lines so far
	asks   map[string]*Asked
}

// Stored has the facts about a record that a store knows besides its bytes.
type Stored struct {
	// ID and Began are the ID and the time in the record's name. A record whose first line
	// has another ID is damaged. If ID is empty, any first line will do.
	ID    string
	Began time.Time
	// Running reports whether a process is writing the record.
	Running bool
	// Clock returns the time. If nil, it is time.Now.
	Clock func() time.Time
	// Beside returns the content of a file beside the record, of at most max bytes. Key returns the
	// store's key, or nil if it has none. Value and Same need them.
	Beside func(file string, max int64) ([]byte, error)
	Key    func() ([]byte, error)
}

// ErrNoLine is returned by Parse if no line can be read.
var ErrNoLine = errors.New("not a record: no line of it can be read")

// Parse returns the run that the bytes of a record describe.
func Parse(data []byte, stored Stored) (*Run, error) {
	r := &Run{Running: stored.Running, stored: stored}
	if err := r.read(data); err != nil {
		return nil, err
	}
	if id := stored.ID; id != "" && id != r.Begin.ID { // it was renamed or is forged
		if r.Damaged == nil {
			r.Damaged = fmt.Errorf("its first line belongs to run %q", r.Begin.ID)
		}
		r.Begin.ID = id
	}
	return r, nil
}

// read reads the lines.
func (r *Run) read(data []byte) error {
	var last time.Time
	bad, badAt, badWhy := 0, 0, error(nil) // the first invalid line since a valid one
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
		l, err := DecodeLine(data[at : at+end])
		if l != nil && (err == nil || r.Begin != nil && r.Begin.V > Version) {
			err = r.check(l, last)
		}
		if err != nil {
			if bad == 0 {
				bad, badAt, badWhy = n, at, err
			}
		} else {
			if bad != 0 && r.Damaged == nil {
				r.Damaged = fmt.Errorf("line %d is damaged, and valid lines follow: %w", bad, badWhy)
			}
			bad, last = 0, l.head().Time
			r.Add(l)
		}
		at += end + 1
	}
	if bad != 0 {
		r.Torn = int64(len(data) - badAt)
	}
	r.size = int64(len(data)) - r.Torn
	if len(r.Lines) == 0 {
		return ErrNoLine
	}
	if r.Begin == nil {
		r.Begin = &Begin{Head: Head{"begin", r.stored.Began}, ID: r.stored.ID}
		if r.Damaged == nil {
			r.Damaged = errors.New("its first line is missing")
		}
	}
	if r.Begin.V > Version {
		r.Later = fmt.Errorf("its version is %d; this program reads versions up to %d", r.Begin.V, Version)
	}
	return nil
}

// Size returns the bytes of the record's lines when it was read.
func (r *Run) Size() int64 { return r.size }

// check returns an error if a line cannot be where it is.
func (r *Run) check(l Line, last time.Time) error {
	if !l.head().Time.After(last) {
		return errors.New("its time is not after the line before: lines are missing, repeated or out of order")
	}
	if _, ok := l.(*Begin); ok && len(r.Lines) > 0 {
		return errors.New("it is a second first line")
	}
	return nil
}

// Add adds a line that was written after the others.
func (r *Run) Add(l Line) {
	r.Lines = append(r.Lines, l)
	switch l := l.(type) {
	case *Begin:
		r.Begin = l
	case *Attempt:
		if l.Live && !r.Live() {
			r.dry = len(r.Notes)
		}
		r.Attempts = append(r.Attempts, l)
		r.endProcess()
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
		r.endProcess() // another process has the record
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
		r.endProcess()
		if r.End != nil {
			r.Ended = append(r.Ended, r.End)
		}
		r.End = l
	}
}

// Value returns a value of the record, wherever it is kept. A redacted value lacks its secrets. It
// verifies values beside the record. It returns ErrNotKept if there is only a digest.
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
	case !IsDigest(sum): // it is part of a path
		return nil, errData
	}
	b, err := r.stored.Beside(sum, MaxValue)
	if err != nil {
		return nil, fmt.Errorf("reading a value of run %s: %w", r.Begin.ID, err)
	}
	if h := sha256.Sum256(b); hex.EncodeToString(h[:]) != sum {
		return nil, fmt.Errorf("reading a value of run %s: the content of %s does not match its name", r.Begin.ID, sum)
	}
	return b, nil
}

// Values returns values by name. Its errors are those of Value.
func (r *Run) Values(vs Values) (map[string]json.RawMessage, error) {
	if vs == nil {
		return nil, nil
	}
	out := map[string]json.RawMessage{}
	for name, d := range vs {
		raw, err := r.Value(d)
		if err != nil {
			return nil, fmt.Errorf("the value %q of the record: %w", name, err)
		}
		if raw == nil {
			raw = []byte("null")
		}
		out[name] = raw
	}
	return out, nil
}

// Bytes returns the size of the values and texts of the record, wherever they are kept.
func (r *Run) Bytes() (n int) {
	for _, l := range r.Lines {
		n += bytesOf(reflect.ValueOf(l).Elem())
	}
	return n
}

func bytesOf(v reflect.Value) (n int) {
	switch {
	case v.Type() == dataType:
		return int(v.FieldByName("Bytes").Int())
	case v.Kind() == reflect.String, v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return v.Len()
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			n += bytesOf(v.Field(i))
		}
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Map:
		for _, e := range v.Seq2() {
			n += bytesOf(e)
		}
	}
	return n
}

// Text returns the text of a value that is a JSON string, or "" for any other. Its errors are those
// of Value.
func (r *Run) Text(d Data) (string, error) {
	raw, err := r.Value(d)
	return Raw(raw).Text(), err
}

// Same reports whether a value of the record is byte for byte the given one. For a redacted value
// it needs the store's key.
func (r *Run) Same(d Data, value []byte) (bool, error) {
	switch {
	case d.Redacted:
		key, err := r.stored.Key()
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

// Output returns the notes with the script's output. It omits those before a dry run was resumed
// live, because the script then printed everything anew.
func (r *Run) Output() []*Note { return r.Notes[r.dry:] }

// Stdout and Stderr return all that the script printed.
func (r *Run) Stdout() string { return r.printed(func(n *Note) string { return n.Stdout }) }
func (r *Run) Stderr() string { return r.printed(func(n *Note) string { return n.Stderr }) }

// PrintedBytes returns how many bytes the script printed, before secrets in them were hidden.
func (r *Run) PrintedBytes() (stdout, stderr int) {
	for _, n := range r.Output() {
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
	for _, n := range r.Output() {
		b.WriteString(of(n))
	}
	return b.String()
}
