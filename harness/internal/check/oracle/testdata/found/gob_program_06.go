package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"reflect"
)

type Animal interface {
	Sound() string
	Name() string
}
type base struct{ N string }
type Dog struct {
	Base
	Breed string
}
type Cat struct {
	*Base
	Lives int
}
type Base struct{ Nm string }

func (b Base) Name() string { return b.Nm }
func (Dog) Sound() string   { return "woof" }
func (*Cat) Sound() string  { return "meow" }

type Zoo struct {
	Animals []Animal
	Best    map[string]Animal
	Any     interface{}
	err     error
}

type Option func(*Zoo)

func encode(w io.Writer, z *Zoo) (n int, err error) {
	cw := &counter{w: w}
	err = gob.NewEncoder(cw).Encode(z)
	return cw.n, err
}

type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	f.after -= len(p)
	if f.after < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}

type slow struct{ r io.Reader }

func (s slow) Read(p []byte) (int, error) {
	if len(p) > 3 {
		p = p[:3]
	}
	return s.r.Read(p)
}

func main() {
	gob.Register(Dog{})
	gob.Register(&Cat{})
	z := &Zoo{Animals: []Animal{Dog{Base{"Rex"}, "Lab"}, &Cat{&Base{"Tom"}, 9}}, Best: map[string]Animal{"dog": Dog{Breed: "x"}}, Any: 3.5}
	var buf bytes.Buffer
	fmt.Println(encode(&buf, z))
	data := buf.Bytes()
	var out Zoo
	if err := gob.NewDecoder(slow{bytes.NewReader(data)}).Decode(&out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, a := range out.Animals {
		fmt.Printf("%T %s says %s\n", a, a.Name(), a.Sound())
	}
	fmt.Println(reflect.DeepEqual(z, &out), out.Best["dog"].(Dog).Breed, out.Any)
	for _, n := range []int{0, 10, 60, 200} {
		fmt.Println(n, gob.NewEncoder(&failing{n}).Encode(z))
	}
	for _, n := range []int{1, 5, 50, len(data) - 1} {
		fmt.Println(n, gob.NewDecoder(bytes.NewReader(data[:n])).Decode(&out))
	}
	corrupt := bytes.Clone(data)
	corrupt[3] = 0
	fmt.Println(gob.NewDecoder(bytes.NewReader(corrupt)).Decode(&out))
	for i := range 40 {
		c := bytes.Clone(data)
		c[i*len(c)/40] ^= 0x55
		fmt.Println(i, gob.NewDecoder(bytes.NewReader(c)).Decode(&Zoo{}))
	}
	enc := gob.NewEncoder(&buf)
	f := enc.Encode
	fmt.Println(f(Dog{}) == nil)
	g := gob.NewDecoder
	dec := g(&buf)
	var d Dog
	fmt.Println(dec.Decode(&out), dec.Decode(&d))
	encs := map[string]*gob.Encoder{"a": enc}
	fmt.Println(encs["a"].Encode(1))
	type pair struct {
		*gob.Encoder
		dec *gob.Decoder
	}
	p := pair{enc, dec}
	fmt.Println(p.Encode("x"), p.Encoder.Encode(Option(nil)))
	var iface interface{ Encode(any) error } = enc
	fmt.Println(iface.Encode([]Dog{{}}))
}
