package record

import (
	"bytes"
	"fmt"
	"time"
)

// An Encoder turns the lines of one record into the bytes to append. It redacts lines, gives them
// increasing times, and counts what lists of runs show.
type Encoder struct {
	id     string
	keep   *keeper
	last   time.Time     // of the last line
	ahead  time.Duration // how far the last line of a continued record is ahead of the clock
	lines  int
	bytes  int
	counts tally
}

// EncoderOptions configure an Encoder.
type EncoderOptions struct {
	// Clock returns the time.
	Clock func() time.Time
	// Redact returns a text without its secrets. If nil, nothing is secret.
	Redact func(string) string
	// Unkept reports whether the arguments and results of a tool are replaced by digests. If nil,
	// all are kept.
	Unkept func(tool string) bool
	// Key returns the key of those digests.
	Key func() ([]byte, error)
	// Beside keeps a large value durably beside the record, under its digest.
	Beside func(sum string, value []byte) error
}

// NewEncoder returns the encoder of a record without lines.
func NewEncoder(id string, o EncoderOptions) *Encoder {
	return &Encoder{id: id, keep: &keeper{EncoderOptions: o, hidden: map[int]bool{}, kept: map[string]bool{}}}
}

// Continue makes e append to the lines of a run.
func (e *Encoder) Continue(r *Run) {
	for _, l := range r.Lines {
		e.keep.hides(l)
		e.counts.add(l)
	}
	e.last, e.lines, e.bytes = When(r.Lines[len(r.Lines)-1]), len(r.Lines), int(r.size)
	e.ahead = max(0, e.last.Sub(e.keep.Clock()))
}

// Last returns the time of the last line.
func (e *Encoder) Last() time.Time { return e.last }

// Lines returns how many lines the record has.
func (e *Encoder) Lines() int { return e.lines }

// Redact returns the copy of a line to write. It is safe for concurrent use. It returns an error
// for a value that is stored beside another record: see Run.Value.
func (e *Encoder) Redact(l Line) (Line, error) { return e.keep.line(l) }

// Encode passes the bytes of a redacted line to write, in several lines if it is a Note
// of more than MaxText bytes. It sets the Type and Time of the original line l, and the
// Digest of an Ask. After an error the record must not be continued.
func (e *Encoder) Encode(l, redacted Line, write func([]byte) error) error {
	if a, ok := redacted.(*Ask); ok {
		if err := e.digest(a); err != nil {
			return err
		}
		l.(*Ask).Digest = a.Digest
	}
	for _, part := range parts(redacted) {
		if err := e.encode(l.head(), part, write); err != nil {
			return err
		}
	}
	return nil
}

// digest sets the digest of an ask as a reader of its line computes it.
func (e *Encoder) digest(a *Ask) error {
	a.Type, a.Digest = "ask", ""
	line, err := EncodeLine(a)
	if err != nil {
		return err
	}
	read, err := DecodeLine(bytes.TrimSuffix(line, []byte("\n")))
	if err == nil {
		a.Digest = AskDigest(e.id, read.(*Ask))
	}
	return err
}

func (e *Encoder) encode(h *Head, l Line, write func([]byte) error) (err error) {
	if h.Type, err = lineType(l); err != nil {
		return err
	}
	if h.Time.IsZero() {
		h.Time = e.keep.Clock()
	}
	switch l.(type) {
	case *Answer, *Settle: // written by other processes, by the time at which the record had ended
	default: // so that time passes in the record as on the clock
		h.Time = h.Time.Add(e.ahead)
	}
	h.Time = h.Time.UTC().Truncate(time.Microsecond)
	if !h.Time.After(e.last) {
		h.Time = e.last.Add(time.Microsecond)
	}
	*l.head() = *h
	if end, ok := l.(*End); ok {
		e.counts.fill(end)
	}
	e.counts.add(l)
	b, err := EncodeLine(l)
	if err == nil && (e.lines == MaxLines || e.bytes+len(b) > MaxRecord) {
		err = fmt.Errorf("it is full: %d lines, %d bytes", e.lines, e.bytes)
	}
	if err == nil {
		err = write(b)
	}
	if err != nil {
		return err
	}
	e.last = h.Time
	e.lines++
	e.bytes += len(b)
	return nil
}
