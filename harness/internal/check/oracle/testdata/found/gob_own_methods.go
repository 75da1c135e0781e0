package main

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"errors"
	"fmt"
	"strings"
	"time"
)

type Secret struct{ text string }

func (s Secret) GobEncode() ([]byte, error) {
	if s.text == "bad" {
		return nil, errors.New("a bad secret")
	}
	return []byte(strings.ToUpper(s.text)), nil
}
func (s *Secret) GobDecode(b []byte) error {
	if string(b) == "WORSE" {
		return fmt.Errorf("cannot read %q", b)
	}
	s.text = string(b)
	return nil
}

type Pos struct{ x, y byte }

func (p *Pos) MarshalBinary() ([]byte, error) { return []byte{p.x, p.y}, nil }
func (p *Pos) UnmarshalBinary(b []byte) error {
	if len(b) != 2 {
		return errors.New("pos: want 2 bytes")
	}
	p.x, p.y = b[0], b[1]
	return nil
}

type Color int

func (c Color) MarshalText() ([]byte, error) { return []byte("color"), nil }
func (c *Color) UnmarshalText(b []byte) error {
	*c = 9
	return nil
}

type Event struct {
	time.Time
	Name string
}

type Doc struct {
	S   Secret
	SP  *Secret
	P   Pos
	PP  *Pos
	C   Color
	L   []Secret
	LP  []*Pos
	LV  []Pos
	M   map[string]Secret
	Any any
}

type OnlyEnc struct{ A int }

func (OnlyEnc) GobEncode() ([]byte, error) { return []byte("x"), nil }

type Panics struct{ A int }

func (Panics) GobEncode() ([]byte, error) { panic("in GobEncode") }

var (
	_ gob.GobEncoder             = Secret{}
	_ gob.GobDecoder             = (*Secret)(nil)
	_ encoding.BinaryMarshaler   = (*Pos)(nil)
	_ encoding.BinaryUnmarshaler = (*Pos)(nil)
)

func show(x any) []byte {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(x)
	fmt.Printf("%v %d %x\n", err, b.Len(), b.Bytes())
	return b.Bytes()
}

func main() {
	gob.Register(Secret{})
	gob.Register(&Pos{})
	d := Doc{S: Secret{"a"}, SP: &Secret{"b"}, P: Pos{1, 2}, PP: &Pos{3, 4}, C: 5, L: []Secret{{"l"}, {}}, LP: []*Pos{{5, 6}}, LV: []Pos{{7, 8}}, M: map[string]Secret{"k": {"v"}}, Any: Secret{"any"}}
	b := show(&d)
	var out Doc
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&out))
	fmt.Println(out.S, *out.SP, out.P, *out.PP, out.C, out.L, *out.LP[0], out.LV, out.M, out.Any)
	show(d)
	show(Doc{})
	b = show(Secret{"top"})
	var s Secret
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&s), s)
	var ps *Secret
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&ps), *ps)
	var str string
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&str))
	var pos Pos
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&pos))
	show(Secret{"bad"})
	b = show(Secret{"worse"})
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&s))
	b = show(&Pos{1, 2})
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&pos), pos)
	show(Pos{1, 2})
	b = show([]Pos{{1, 2}})
	var list []*Pos
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&list), len(list), *list[0])
	b = show(Event{time.Date(2021, 2, 3, 4, 5, 6, 7, time.UTC), "lost"})
	var e Event
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&e), e, e.Name)
	b = show(OnlyEnc{1})
	var oe OnlyEnc
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&oe))
	b = show(map[Color]Color{1: 2})
	var mc map[Color]int
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&mc), mc)
	var x any = &Pos{9, 9}
	b = show(&x)
	var y any
	fmt.Println(gob.NewDecoder(bytes.NewReader(b)).Decode(&y), *y.(*Pos))
	func() {
		defer func() { fmt.Println(recover()) }()
		show([]Panics{{1}})
	}()
	sp := &Secret{"pp"}
	show(&sp)
	var enc gob.GobEncoder = Secret{"iface"}
	fmt.Println(enc.GobEncode())
	b = show(struct{ T *time.Time }{&e.Time})
}
