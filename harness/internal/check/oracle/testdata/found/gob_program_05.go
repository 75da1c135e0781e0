package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"strings"
)

type Matrix struct {
	rows, cols int
	data       []float64
}

func New(r, c int) *Matrix { return &Matrix{r, c, make([]float64, r*c)} }

func (m *Matrix) GobEncode() ([]byte, error) {
	var buf bytes.Buffer
	enc := gob.NewEncoder(&buf)
	if err := enc.Encode(m.rows); err != nil {
		return nil, err
	}
	if err := enc.Encode(m.cols); err != nil {
		return nil, err
	}
	if err := enc.Encode(m.data); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func (m *Matrix) GobDecode(b []byte) error {
	dec := gob.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&m.rows); err != nil {
		return err
	}
	if err := dec.Decode(&m.cols); err != nil {
		return err
	}
	return dec.Decode(&m.data)
}

type Set[T comparable] struct{ m map[T]struct{} }

func (s Set[T]) GobEncode() ([]byte, error) {
	var keys []T
	for k := range s.m {
		keys = append(keys, k)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(keys)
	return b.Bytes(), err
}
func (s *Set[T]) GobDecode(p []byte) error {
	var keys []T
	if err := gob.NewDecoder(bytes.NewReader(p)).Decode(&keys); err != nil {
		return err
	}
	s.m = map[T]struct{}{}
	for _, k := range keys {
		s.m[k] = struct{}{}
	}
	return nil
}

type Model struct {
	Name    string
	Weights []*Matrix
	Labels  Set[string]
	Bias    Matrix
}

type Temp float64

func (t Temp) MarshalBinary() ([]byte, error) { return []byte(fmt.Sprintf("%.1fC", float64(t))), nil }
func (t *Temp) UnmarshalBinary(b []byte) error {
	_, err := fmt.Sscanf(strings.TrimSuffix(string(b), "C"), "%f", (*float64)(t))
	return err
}

type Reading struct {
	T    Temp
	List []Temp
	By   map[string]Temp
}

func main() {
	m := New(2, 2)
	m.data[3] = 1.5
	mod := Model{"net", []*Matrix{m, New(1, 1)}, Set[string]{map[string]struct{}{"cat": {}}}, *New(1, 2)}
	var b bytes.Buffer
	fmt.Println(gob.NewEncoder(&b).Encode(mod))
	b.Reset()
	fmt.Println(gob.NewEncoder(&b).Encode(&mod), b.Len())
	var out Model
	fmt.Println(gob.NewDecoder(&b).Decode(&out))
	fmt.Println(out.Name, *out.Weights[0], *out.Weights[1], out.Labels, out.Bias)
	b.Reset()
	fmt.Println(gob.NewEncoder(&b).Encode(Reading{21.5, []Temp{1, 0, 2.5}, map[string]Temp{"x": 3}}), b.Len())
	fmt.Printf("%x\n", b.Bytes())
	var r Reading
	fmt.Println(gob.NewDecoder(&b).Decode(&r), r)
}
