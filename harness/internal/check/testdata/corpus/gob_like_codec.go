package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

type Wire byte

const (
	WVarint Wire = iota
	WFixed64
	WBytes
)

type Writer struct {
	*bufio.Writer
	n   int
	err error
}

func (w *Writer) uvarint(x uint64) {
	var b [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(b[:], x)
	w.write(b[:n])
}
func (w *Writer) write(b []byte) {
	if w.err != nil {
		return
	}
	var n int
	n, w.err = w.Writer.Write(b)
	w.n += n
}
func (w *Writer) Tag(field int, t Wire) { w.uvarint(uint64(field)<<3 | uint64(t)) }
func (w *Writer) Int(field int, v int64) {
	w.Tag(field, WVarint)
	w.uvarint(uint64(v<<1) ^ uint64(v>>63))
}
func (w *Writer) Float(field int, f float64) {
	w.Tag(field, WFixed64)
	w.write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
}
func (w *Writer) Bytes(field int, b []byte) {
	w.Tag(field, WBytes)
	w.uvarint(uint64(len(b)))
	w.write(b)
}

type Marshaler interface{ Encode(*Writer) }
type Decoder interface {
	Field(n int, t Wire, v Value) error
}

type Value struct {
	Int   int64
	Float float64
	Raw   []byte
}

type Person struct {
	Name   string
	Age    int
	Scores []float64
	Boss   *Person
	Tags   map[string]int
}

func (p *Person) Encode(w *Writer) {
	w.Bytes(1, []byte(p.Name))
	w.Int(2, int64(p.Age))
	for _, s := range p.Scores {
		w.Float(3, s)
	}
	if p.Boss != nil {
		w.Bytes(4, Marshal(p.Boss))
	}
	keys := make([]string, 0, len(p.Tags))
	for k := range p.Tags {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		w.Bytes(5, Marshal(pair{k, p.Tags[k]}))
	}
}

type pair struct {
	k string
	v int
}

func (p pair) Encode(w *Writer) { w.Bytes(1, []byte(p.k)); w.Int(2, int64(p.v)) }
func (p *pair) Field(n int, _ Wire, v Value) error {
	switch n {
	case 1:
		p.k = string(v.Raw)
	case 2:
		p.v = int(v.Int)
	}
	return nil
}

func (p *Person) Field(n int, t Wire, v Value) (err error) {
	switch {
	case n == 1 && t == WBytes:
		p.Name = string(v.Raw)
	case n == 2:
		p.Age = int(v.Int)
	case n == 3:
		p.Scores = append(p.Scores, v.Float)
	case n == 4:
		p.Boss = new(Person)
		return Unmarshal(v.Raw, p.Boss)
	case n == 5:
		var kv pair
		if err = Unmarshal(v.Raw, &kv); err != nil {
			return
		}
		if p.Tags == nil {
			p.Tags = make(map[string]int)
		}
		p.Tags[kv.k] = kv.v
	default:
		err = fmt.Errorf("unknown field %d", n)
	}
	return
}

func Marshal(m Marshaler) []byte {
	var buf bytes.Buffer
	w := &Writer{Writer: bufio.NewWriter(&buf)}
	m.Encode(w)
	w.Flush()
	return buf.Bytes()
}

var ErrTruncated = fmt.Errorf("truncated: %w", io.ErrUnexpectedEOF)

func Unmarshal(b []byte, d Decoder) error {
	r := bytes.NewReader(b)
	for r.Len() > 0 {
		tag, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		var v Value
		switch t := Wire(tag & 7); t {
		case WVarint:
			u, err := binary.ReadUvarint(r)
			if err != nil {
				return errors.Join(ErrTruncated, err)
			}
			v.Int = int64(u>>1) ^ -int64(u&1)
		case WFixed64:
			var b8 [8]byte
			if _, err := io.ReadFull(r, b8[:]); err != nil {
				return fmt.Errorf("fixed: %w", err)
			}
			v.Float = math.Float64frombits(binary.LittleEndian.Uint64(b8[:]))
		case WBytes:
			n, err := binary.ReadUvarint(r)
			if err != nil {
				return err
			}
			if n > uint64(r.Len()) {
				return fmt.Errorf("%w: want %d have %d", ErrTruncated, n, r.Len())
			}
			v.Raw = make([]byte, n)
			r.Read(v.Raw)
		default:
			return fmt.Errorf("bad wire type %d at %d", t, len(b)-r.Len())
		}
		if err := d.Field(int(tag>>3), Wire(tag&7), v); err != nil {
			return err
		}
	}
	return nil
}

type header struct {
	Magic   [4]byte
	Version uint16
	Flags   uint16
	Size    uint32
}

func main() {
	p := &Person{"Ann", -41, []float64{1.5, math.Pi}, &Person{Name: "Bób", Age: 1 << 40, Tags: map[string]int{"x": -1}}, map[string]int{"go": 10, "c": 3}}
	b := Marshal(p)
	fmt.Printf("%d %x\n", len(b), b[:12])
	var q Person
	fmt.Println(Unmarshal(b, &q), q.Name, q.Age, q.Scores, *q.Boss, q.Tags)
	fmt.Println(bytes.Equal(Marshal(&q), b))
	for _, n := range []int{1, 3, 6, 9, 20, len(b) - 1} {
		var x Person
		err := Unmarshal(b[:n], &x)
		fmt.Println(n, err, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), x.Name)
	}
	bad := slices.Clone(b)
	bad[0] = 0x0f
	fmt.Println(Unmarshal(bad, &q))
	fmt.Println(Unmarshal([]byte{9<<3 | 0, 2}, &q), Unmarshal(nil, &q))
	var hb bytes.Buffer
	h := header{[4]byte{'G', 'O', 'B', '1'}, 2, 0x8001, 512}
	hb.Write(h.Magic[:])
	for _, v := range []any{h.Version, h.Flags, h.Size} {
		if err := binary.Write(&hb, binary.BigEndian, v); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Printf("% x %d\n", hb.Bytes(), hb.Len())
	var ver uint16
	hb.Next(4)
	binary.Read(&hb, binary.BigEndian, &ver)
	fmt.Println(ver, string(h.Magic[:3]), binary.BigEndian.Uint16([]byte{1, 2}), strings.Repeat("-", 3))
}
