// An insertion-ordered map with generics, iteration while mutating, move-to-end, JSON in order, equality, set operations.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

type link[K comparable, V any] struct {
	k          K
	v          V
	prev, next *link[K, V]
}

type Map[K comparable, V any] struct {
	idx  map[K]*link[K, V]
	root link[K, V]
}

func New[K comparable, V any](kvs ...any) *Map[K, V] {
	m := &Map[K, V]{idx: map[K]*link[K, V]{}}
	m.root.prev, m.root.next = &m.root, &m.root
	for i := 0; i+1 < len(kvs); i += 2 {
		m.Set(kvs[i].(K), kvs[i+1].(V))
	}
	return m
}

func (m *Map[K, V]) Len() int { return len(m.idx) }

func (m *Map[K, V]) Set(k K, v V) (old V, replaced bool) {
	if l, ok := m.idx[k]; ok {
		old, l.v = l.v, v
		return old, true
	}
	l := &link[K, V]{k, v, m.root.prev, &m.root}
	l.prev.next, l.next.prev = l, l
	m.idx[k] = l
	return
}

func (m *Map[K, V]) Get(k K) (v V, ok bool) {
	if l := m.idx[k]; l != nil {
		v, ok = l.v, true
	}
	return
}

func (m *Map[K, V]) Delete(k K) bool {
	l, ok := m.idx[k]
	if ok {
		delete(m.idx, k)
		l.prev.next, l.next.prev = l.next, l.prev
	}
	return ok
}

func (m *Map[K, V]) MoveToEnd(k K) {
	if v, ok := m.Get(k); ok && m.Delete(k) {
		m.Set(k, v)
	}
}

func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for l := m.root.next; l != &m.root; {
			next := l.next
			if !yield(l.k, l.v) {
				return
			}
			l = next
		}
	}
}

func (m *Map[K, V]) Backward() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for l := m.root.prev; l != &m.root && yield(l.k, &l.v); l = l.prev {
		}
	}
}

func Keys[K comparable, V any](m *Map[K, V]) (ks []K) {
	for k := range m.All() {
		ks = append(ks, k)
	}
	return
}

func (m *Map[K, V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for k, v := range m.All() {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		kb, err := json.Marshal(fmt.Sprint(k))
		if err != nil {
			return nil, err
		}
		vb, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s:%s", kb, vb)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type Ordered struct{ *Map[string, any] }

func (o *Ordered) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("want object, got %v", t)
	}
	o.Map = New[string, any]()
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("key %v: %w", key, err)
		}
		var v any
		if raw[0] == '{' {
			var sub Ordered
			if err := json.Unmarshal(raw, &sub); err != nil {
				return err
			}
			v = sub
		} else if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if _, dup := o.Set(key.(string), v); dup {
			return fmt.Errorf("duplicate key %q", key)
		}
	}
	_, err = dec.Token()
	return err
}

func main() {
	m := New[string, int]("z", 1, "a", 2, "m", 3)
	fmt.Println(m.Set("a", 20))
	fmt.Println(m.Set("q", 4))
	m.MoveToEnd("z")
	m.MoveToEnd("none")
	fmt.Println(Keys(m), m.Len(), m.Delete("m"), m.Delete("m"))
	for k, v := range m.All() {
		if v%2 == 0 {
			m.Delete(k)
			m.Set(strings.ToUpper(k), v*100)
		}
		if m.Len() > 3 || v > 1000 {
			break
		}
	}
	b, err := json.Marshal(m)
	fmt.Println(string(b), err)
	for k, p := range m.Backward() {
		if *p++; k == "Q" {
			*p = -1
		}
	}
	b, _ = json.Marshal(map[string]any{"m": m, "n": New[int, []bool](5, []bool{true}, 3, []bool(nil))})
	fmt.Println(string(b))
	var o Ordered
	err = json.Unmarshal([]byte(`{"z":1,"a":{"y":[1,{"k":2}],"b":null},"c":"x"}`), &o)
	b, _ = json.Marshal(o)
	fmt.Println(string(b), err, Keys(o.Map), o.Len())
	sub, _ := o.Get("a")
	fmt.Println(Keys(sub.(Ordered).Map))
	for _, bad := range []string{`[1]`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":tru}`, `5`} {
		var x Ordered
		err := json.Unmarshal([]byte(bad), &x)
		var se *json.SyntaxError
		fmt.Println(bad, err, errors.As(err, &se), errors.Is(err, io.EOF))
	}
	points := New[[2]int, string]([2]int{1, 2}, "p", [2]int{0, 0}, "o")
	points.MoveToEnd([2]int{1, 2})
	fmt.Println(Keys(points), slices.Index(Keys(points), [2]int{1, 2}))
	v, ok := points.Get([2]int{9, 9})
	fmt.Printf("%q %t\n", v, ok)
	defer func() { fmt.Println(recover()) }()
	New[string, int]("ok", 1, "bad", "type")
}
