package worker

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/sandbox"
)

// A process that lives for one script pays for what encoding/json learns of each type,
// 0.03 ms and a dozen pages, and uses it once. So what most runs say is written and
// read here, and the rest by encoding/json.

// encode returns the JSON of a frame, the same bytes as json.Marshal.
func encode(v any) ([]byte, error) {
	switch v := v.(type) {
	case *ready:
		if r := &v.Report; v.Error == "" && len(r.Missing) == 0 {
			b := strconv.AppendInt([]byte(`{"report":{"landlock":`), int64(r.Landlock), 10)
			b = strconv.AppendBool(append(b, `,"seccomp":`...), r.Seccomp)
			b = strconv.AppendBool(append(b, `,"rlimits":`...), r.Rlimits)
			b = strconv.AppendBool(append(b, `,"no_new_privs":`...), r.NoNewPrivs)
			return append(b, "}}"...), nil
		}
	case *Needs:
		if v.none() && v.Phrases != nil && v.Names != nil && !v.Uncertain && !v.Broken {
			b := strconv.AppendBool([]byte(`{"phrases":[],"names":[],"probe":`), v.Probe)
			return v.Timing.append(b), nil
		}
	case *Plan:
		if v.Warnings == nil && len(v.MapWrites) == 0 {
			return v.Timing.append([]byte(`{"warnings":null`)), nil
		}
	case *done:
		if v.Panic+v.Fatal+v.Error+v.Refused+string(v.Code) == "" && len(v.Trace) == 0 && v.Line == 0 && !v.Late {
			b := strconv.AppendInt([]byte(`{"exit":`), int64(v.Exit), 10)
			return v.Timing.append(b), nil
		}
	}
	return json.Marshal(v)
}

// append adds the last field of an object, and closes it.
func (t *Timing) append(b []byte) []byte {
	b = append(b, `,"timing":{`...)
	first := true
	for _, f := range []struct {
		name string
		ms   float64 // whole µs
	}{{"parse", t.Parse}, {"check", t.Check}, {"lower", t.Lower}, {"run", t.Run}} {
		if f.ms == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(append(append(b, '"'), f.name...), `":`...)
		b = strconv.AppendFloat(b, f.ms, 'f', -1, 64)
	}
	return append(b, "}}"...)
}

// seldom are the parts of a script that most do not have.
type seldom struct {
	Inputs map[string]json.RawMessage `json:"inputs,omitempty"`
	Stored map[string]json.RawMessage `json:"stored,omitempty"`
	Replay *Replay                    `json:"replay,omitempty"`
}

// A script's frame is numbers, sizes and flags, and then texts, each with its length in
// front: the source, the seed, the mark, and the JSON of seldom or nothing.
func (s *Script) numbers() []*int64 {
	return []*int64{(*int64)(&s.Left), (*int64)(&s.Limits.Timeout), &s.Limits.Memory, (*int64)(&s.Limits.CPU)}
}

func (s *Script) sizes() []*int {
	l := &s.Limits
	return []*int{&l.Stdout, &l.Value, &l.Calls, &l.Parallel, &l.Result}
}

func (s *Script) flags() []*bool {
	return []*bool{&s.Strict, &s.Check, &s.Clock, &s.Resume, &s.Free}
}

// encode is the payload of a script's frame.
func (s *Script) encode() ([]byte, error) {
	b := make([]byte, 0, 256+len(s.Source))
	for _, n := range s.numbers() {
		b = binary.AppendVarint(b, *n)
	}
	for _, n := range s.sizes() {
		b = binary.AppendVarint(b, int64(*n))
	}
	stored := s.Stored != nil
	for _, f := range append(s.flags(), &stored) {
		b = append(b, 0)
		if *f {
			b[len(b)-1] = 1
		}
	}
	var rest []byte
	if len(s.Inputs)+len(s.Stored) > 0 || s.Replay != nil {
		var err error
		if rest, err = json.Marshal(&seldom{s.Inputs, s.Stored, s.Replay}); err != nil {
			return nil, err
		}
	}
	for _, t := range [][]byte{[]byte(s.Source), s.Seed, s.Mark, rest} {
		b = append(binary.AppendVarint(b, int64(len(t))), t...)
	}
	return b, nil
}

// decode reads what encode made. What is left over, or missing, is an error.
func (s *Script) decode(b []byte) error {
	bad := false
	number := func() int64 {
		v, n := binary.Varint(b)
		if bad = bad || n <= 0; bad {
			return 0
		}
		b = b[n:]
		return v
	}
	bytes := func(n int64) []byte {
		if bad = bad || n < 0 || n > int64(len(b)); bad || n == 0 {
			return nil
		}
		t := b[:n:n]
		b = b[n:]
		return t
	}
	for _, n := range s.numbers() {
		*n = number()
	}
	for _, n := range s.sizes() {
		*n = int(number())
	}
	var stored bool
	for _, f := range append(s.flags(), &stored) {
		t := bytes(1)
		*f = len(t) == 1 && t[0] == 1
	}
	source := bytes(number())
	s.Source = string(source)
	s.Seed, s.Mark = bytes(number()), bytes(number())
	rest := bytes(number())
	if bad || len(b) > 0 {
		return fmt.Errorf("%w: no script", errFrame)
	}
	if stored {
		s.Stored = map[string]json.RawMessage{}
	}
	if rest == nil {
		return nil
	}
	var more seldom
	if err := json.Unmarshal(rest, &more); err != nil {
		return err
	}
	s.Inputs, s.Replay = more.Inputs, more.Replay
	if more.Stored != nil {
		s.Stored = more.Stored
	}
	return nil
}

// encode is the argument with which a worker is started.
func (s *setup) encode() string {
	c := &s.Sandbox
	return fmt.Sprintln(s.Line, c.Memory, int64(c.CPU), c.Procs, c.Stack, c.Files, string(c.Policy))
}

func (s *setup) decode(text string) error {
	list := strings.SplitN(strings.TrimSuffix(text, "\n"), " ", 7)
	if len(list) != 7 {
		return fmt.Errorf("%d parts, want 7", len(list))
	}
	c := &s.Sandbox
	var n [6]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(list[i], 10, 64); err != nil {
			return err
		}
	}
	s.Line, c.Memory, c.CPU = int(n[0]), n[1], time.Duration(n[2])
	c.Procs, c.Stack, c.Files, c.Policy = int(n[3]), int(n[4]), int(n[5]), sandbox.Policy(list[6])
	return nil
}
