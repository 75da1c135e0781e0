package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"sort"
	"strings"
)

type OpType int

const (
	Put OpType = iota
	Del
)

type Op struct {
	Type  OpType
	Key   string
	Value []byte
}

type WAL struct {
	buf bytes.Buffer
	enc *gob.Encoder
	n   int
}

func NewWAL() *WAL {
	w := &WAL{}
	w.enc = gob.NewEncoder(&w.buf)
	return w
}

func (w *WAL) Append(op Op) error {
	if err := w.enc.Encode(op); err != nil {
		return err
	}
	w.n++
	return nil
}

func (w *WAL) Replay() (map[string]string, error) {
	state := map[string]string{}
	dec := gob.NewDecoder(bytes.NewReader(w.buf.Bytes()))
	for i := 0; i < w.n; i++ {
		var op Op
		if err := dec.Decode(&op); err != nil {
			return nil, fmt.Errorf("op %d: %w", i, err)
		}
		switch op.Type {
		case Put:
			state[op.Key] = string(op.Value)
		case Del:
			delete(state, op.Key)
		}
	}
	return state, nil
}

type Command interface{ Apply(*strings.Builder) }
type Say struct{ Text string }
type Repeat struct {
	N   int
	Cmd Command
}
type Seq []Command

func (s Say) Apply(b *strings.Builder) { b.WriteString(s.Text) }
func (r Repeat) Apply(b *strings.Builder) {
	for i := 0; i < r.N; i++ {
		r.Cmd.Apply(b)
	}
}
func (s Seq) Apply(b *strings.Builder) {
	for _, c := range s {
		c.Apply(b)
	}
}

func main() {
	w := NewWAL()
	sizes := []int{}
	for _, op := range []Op{{Put, "a", []byte("1")}, {Put, "b", []byte("2")}, {Del, "a", nil}, {Put, "c", nil}} {
		if err := w.Append(op); err != nil {
			panic(err)
		}
		sizes = append(sizes, w.buf.Len())
	}
	fmt.Println(sizes)
	st, err := w.Replay()
	keys := []string{}
	for k := range st {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(keys, st, err)
	w.n++
	_, err = w.Replay()
	fmt.Println(err)

	gob.Register(Say{})
	gob.Register(Repeat{})
	gob.Register(Seq{})
	var prog Command = Seq{Say{"hello "}, Repeat{3, Seq{Say{"x"}, Repeat{2, Say{"y"}}}}}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(&prog); err != nil {
		panic(err)
	}
	fmt.Println(buf.Len())
	fmt.Printf("%x\n", buf.Bytes())
	var back Command
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil {
		panic(err)
	}
	var sb strings.Builder
	back.Apply(&sb)
	fmt.Println(sb.String())
	fmt.Printf("%#v\n", back)
}
