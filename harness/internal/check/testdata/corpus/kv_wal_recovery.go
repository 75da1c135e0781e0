// A key-value store with a write-ahead log in memory, checksums, torn writes, recovery and compaction.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

type Op byte

const (
	Set Op = 's'
	Del Op = 'd'
	End Op = 'e'
)

type Entry struct {
	Op
	Key, Val string
}

var ErrCorrupt = errors.New("corrupt")

func (e Entry) WriteTo(w io.Writer) (int64, error) {
	body := []byte{byte(e.Op)}
	for _, s := range [...]string{e.Key, e.Val} {
		body = binary.AppendUvarint(body, uint64(len(s)))
		body = append(body, s...)
	}
	head := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(body))
	head = binary.AppendUvarint(head, uint64(len(body)))
	n, err := w.Write(append(head, body...))
	return int64(n), err
}

func readEntry(r *bufio.Reader) (e Entry, err error) {
	var sum uint32
	if err = binary.Read(r, binary.BigEndian, &sum); err != nil {
		return
	}
	defer func() {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}()
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return e, err
	}
	body := make([]byte, min(n, 1<<16))
	if _, err = io.ReadFull(r, body); err != nil {
		return
	}
	if crc32.ChecksumIEEE(body) != sum {
		return e, ErrCorrupt
	}
	e.Op = Op(body[0])
	rest := body[1:]
	for _, p := range []*string{&e.Key, &e.Val} {
		l, k := binary.Uvarint(rest)
		*p = string(rest[k : k+int(l)])
		rest = rest[k+int(l):]
	}
	return
}

type Store struct {
	mem map[string]string
	log io.Writer
}

type Tx struct {
	s       *Store
	pending []Entry
}

func (t *Tx) Set(k, v string) *Tx { t.pending = append(t.pending, Entry{Set, k, v}); return t }
func (t *Tx) Del(k string) *Tx    { t.pending = append(t.pending, Entry{Op: Del, Key: k}); return t }

func (s *Store) Update(f func(*Tx) error) (err error) {
	tx := &Tx{s: s}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rolled back: %v", r)
		}
	}()
	if err = f(tx); err != nil {
		return fmt.Errorf("rolled back: %w", err)
	}
	for _, e := range append(tx.pending, Entry{Op: End}) {
		if _, err = e.WriteTo(s.log); err != nil {
			return
		}
	}
	s.apply(tx.pending)
	return
}

func (s *Store) apply(es []Entry) {
	for _, e := range es {
		switch e.Op {
		case Set:
			s.mem[e.Key] = e.Val
		case Del:
			delete(s.mem, e.Key)
		}
	}
}

func Recover(r io.Reader, log io.Writer) (s *Store, applied int, err error) {
	s = &Store{map[string]string{}, log}
	br := bufio.NewReader(r)
	var batch []Entry
	for {
		e, err := readEntry(br)
		switch {
		case err == io.EOF:
			return s, applied, nil
		case err != nil:
			return s, applied, fmt.Errorf("after %d batches, %d entries lost: %w", applied, len(batch), err)
		case e.Op == End:
			s.apply(batch)
			batch = batch[:0]
			applied++
		default:
			batch = append(batch, e)
		}
	}
}

func (s *Store) Compact(w io.Writer) (n int64, err error) {
	for _, k := range slices.Sorted(maps.Keys(s.mem)) {
		k2, err := Entry{Set, k, s.mem[k]}.WriteTo(w)
		if n += k2; err != nil {
			return n, err
		}
	}
	k, err := Entry{Op: End}.WriteTo(w)
	return n + k, err
}

func main() {
	var disk bytes.Buffer
	s, n, err := Recover(&bytes.Buffer{}, &disk)
	fmt.Println(len(s.mem), n, err)
	errNo := errors.New("no")
	for _, f := range []func(*Tx) error{
		func(t *Tx) error { t.Set("a", "1").Set("b", "2"); return nil },
		func(t *Tx) error { t.Set("a", "9"); return errNo },
		func(t *Tx) error { t.Del("b").Set("c", "héllo"); return nil },
		func(t *Tx) error { panic(t.Set("x", "y").pending[0]) },
		func(t *Tx) error { t.Set("a", "3"); return nil },
	} {
		err := s.Update(f)
		fmt.Println(err, errors.Is(err, errNo), s.mem, disk.Len())
	}
	image := slices.Clone(disk.Bytes())
	for _, cut := range []int{len(image), len(image) - 1, len(image) - 9, 40, 3, 0} {
		s, n, err := Recover(bytes.NewReader(image[:cut]), io.Discard)
		fmt.Println(cut, s.mem, n, err)
	}
	image[12] ^= 0xff
	_, n, err = Recover(bytes.NewReader(image), nil)
	fmt.Println(n, err, errors.Is(err, ErrCorrupt))
	var small bytes.Buffer
	size, err := s.Compact(&small)
	fmt.Println(size, err, small.Len() < disk.Len())
	fmt.Printf("% x\n", small.Bytes()[:12])
	again, n, err := Recover(&small, nil)
	fmt.Println(maps.Equal(again.mem, s.mem), n, err)
}
