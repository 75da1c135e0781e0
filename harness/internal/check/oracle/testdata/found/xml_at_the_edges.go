package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

type leaf struct {
	XMLName xml.Name
	B       string `xml:"b"`
}
type named struct {
	XMLName xml.Name `xml:"nm"`
	B       string   `xml:"b,attr"`
}
type spaced struct {
	XMLName xml.Name `xml:"urn:s sp"`
	L       leaf     `xml:"l"`
	N       named
	P       leaf   `xml:"p>q"`
	Ls      []leaf `xml:"ls"`
	PL      *leaf  `xml:"pl"`
	Any     any    `xml:"any"`
}
type withAttr struct {
	XMLName xml.Name
	A       string `xml:"a,attr"`
	B       int    `xml:"urn:b b,attr"`
}
type outer struct {
	XMLName xml.Name `xml:"urn:o out"`
	W       withAttr `xml:"w"`
	In      struct {
		XMLName xml.Name
		V       int
	} `xml:"in"`
	E emb `xml:"e"`
}
type emb struct {
	leaf2
	C int
}
type leaf2 struct {
	XMLName xml.Name
	K       string `xml:"k,attr"`
}
type Arr [3]int
type ArrB [3]byte
type Bytes []byte
type myb byte
type MyBs []myb
type Strs []string
type attrs struct {
	A Arr `xml:"a,attr"`
}
type attrs2 struct {
	AB ArrB  `xml:"ab,attr"`
	B  Bytes `xml:"b,attr"`
	M  MyBs  `xml:"m,attr"`
	S  Strs  `xml:"s,attr"`
}
type cd1 struct {
	V Bytes `xml:",chardata"`
}
type cd2 struct {
	V MyBs `xml:",chardata"`
}
type cd3 struct {
	V ArrB `xml:",chardata"`
}
type cd4 struct {
	V Arr `xml:",chardata"`
}
type cd5 struct {
	V Strs `xml:",chardata"`
}
type cd6 struct {
	V *Bytes `xml:",chardata"`
}
type cd7 struct {
	V []byte `xml:",cdata"`
}
type cd8 struct {
	V Bytes `xml:",cdata"`
}
type cd9 struct {
	V Bytes `xml:",comment"`
}
type cd10 struct {
	V Bytes `xml:",innerxml"`
}
type cd11 struct {
	V tm `xml:",chardata"`
}
type cd12 struct {
	V *tm `xml:",chardata"`
}
type cd13 struct {
	V tms `xml:",comment"`
}
type cd14 struct {
	V leaf `xml:",chardata"`
}
type cd15 struct {
	V *int `xml:",chardata"`
}
type cd16 struct {
	V map[string]int `xml:",chardata"`
}
type cd17 struct {
	V any `xml:",chardata"`
}
type cd18 struct {
	V []leaf `xml:",chardata"`
}
type cd19 struct {
	V struct{ s string } `xml:",comment"`
}

type tm struct{ s string }

func (t tm) MarshalText() ([]byte, error) { return []byte("tm:" + t.s), nil }
func (t *tm) UnmarshalText(b []byte) error {
	if t == nil {
		return errors.New("nil tm")
	}
	t.s = "un" + string(b)
	return nil
}

type tms string

func (t tms) MarshalText() ([]byte, error) { return []byte("tms:" + string(t)), nil }
func (t *tms) UnmarshalText(b []byte) error {
	*t = "un" + tms(b)
	return nil
}

type notClosed struct{ A int }

func (n notClosed) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeToken(start)
}

type notClosedP struct{ A int }

func (n *notClosedP) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeToken(start)
}

type tooMuch struct{ A int }

func (n tooMuch) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	e.EncodeToken(start)
	e.EncodeToken(start.End())
	return e.EncodeToken(start.End())
}

type notConsumed struct{ A int }

func (n *notConsumed) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	n.A = 3
	return nil
}

type spaceM struct{ A int }

func (n spaceM) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	start.Name.Space = "urn:m"
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	if err := e.EncodeElement(leaf{B: "x"}, xml.StartElement{Name: xml.Name{Local: "child"}}); err != nil {
		return err
	}
	if err := e.Encode(leaf{B: "y"}); err != nil {
		return err
	}
	return e.EncodeToken(start.End())
}

type chans struct {
	C chan int
}
type funcs struct{ F func() }
type maps_ struct{ M map[string]int }
type cplx struct{ C complex128 }
type anyArr struct{ A [2]any }
type mu struct {
	sync.Mutex
	A int
}
type ptrEmb struct {
	*Base
	A int
}
type Base struct {
	ID int `xml:"id,attr"`
	N  string
}
type dup struct {
	A int `xml:"a"`
	B int `xml:"a"`
}
type badtag struct {
	A int `xml:"a,chardata"`
}
type badns struct {
	A int `xml:"urn:x ,attr"`
}
type trail struct {
	A int `xml:"a>"`
}
type conflict struct {
	L named `xml:"zz"`
}
type generic[T any] struct {
	V T `xml:"v"`
}

func show(label string, x any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(label, "panic:", r)
		}
	}()
	b, err := xml.MarshalIndent(x, "", " ")
	fmt.Printf("%s: %s err=%v\n", label, b, err)
	var u *xml.UnsupportedTypeError
	if errors.As(err, &u) {
		fmt.Println("unsupported", u)
	}
}
func read[T any](label, src string) {
	var v T
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(label, "panic:", r, v)
		}
	}()
	err := xml.Unmarshal([]byte(src), &v)
	fmt.Printf("%s: %+v err=%v\n", label, v, err)
}

func main() {
	show("spaced", spaced{L: leaf{B: "1"}, N: named{B: "2"}, P: leaf{B: "3"}, Ls: []leaf{{}, {XMLName: xml.Name{Local: "own"}}, {XMLName: xml.Name{Space: "urn:q", Local: "own"}}}, PL: &leaf{}, Any: leaf{B: "any"}})
	show("outer", outer{W: withAttr{A: "x", B: 3}, E: emb{C: 3}})
	show("arr", attrs{})
	show("arr2", attrs2{AB: ArrB{65, 66, 67}, B: Bytes("b"), M: MyBs{65}, S: Strs{"x", "y"}})
	show("cd1", cd1{Bytes("b")})
	show("cd2", cd2{MyBs{66}})
	show("cd3", cd3{})
	show("cd4", cd4{})
	show("cd5", cd5{Strs{"a"}})
	bs := Bytes("q")
	show("cd6", cd6{&bs})
	show("cd7", cd7{[]byte("x]]>y")})
	show("cd8", cd8{Bytes("x")})
	show("cd9", cd9{Bytes("x")})
	show("cd10", cd10{Bytes("x")})
	show("cd11", cd11{tm{"x"}})
	show("cd12", cd12{&tm{"x"}})
	show("cd13", cd13{"x"})
	show("cd14", cd14{leaf{}})
	n := 4
	show("cd15", cd15{&n})
	show("cd16", cd16{map[string]int{}})
	show("cd17", cd17{tm{"x"}})
	show("cd17b", cd17{[]byte("x")})
	show("cd17c", cd17{bs})
	show("cd18", cd18{})
	show("cd19", cd19{})
	show("nc", notClosed{})
	show("ncp", &notClosedP{})
	show("ncs", struct {
		XMLName xml.Name `xml:"r"`
		N       notClosed
	}{})
	show("tm", tooMuch{})
	show("sm", spaceM{})
	show("chans", chans{make(chan int)})
	show("chansnil", chans{})
	show("funcs", funcs{})
	show("maps", maps_{})
	show("cplx", cplx{})
	show("anyArr", anyArr{[2]any{1, leaf{}}})
	show("mu", &mu{A: 3})
	show("ptrEmb", ptrEmb{Base: &Base{1, "x"}})
	show("dup", dup{})
	show("badtag", badtag{})
	show("badns", badns{})
	show("trail", trail{})
	show("conflict", conflict{})
	show("gen", generic[leaf]{})
	show("gen2", generic[Arr]{})
	show("gen3", []generic[int]{{1}, {2}})
	show("arrT", Arr{1, 2, 3})
	show("arrB", ArrB{65, 66, 67})
	show("strs", Strs{"a", "b"})
	show("map", map[string]int{})
	show("int", myb(3))
	show("ps", &bs)

	in := `<r a="1" ab="2" m="x"><a>1</a>text<b>2</b><!-- c --><V>3</V></r>`
	read[struct {
		A Arr `xml:"a"`
	}]("ra", in)
	read[attrs]("raa", in)
	read[attrs2]("raab", in)
	read[struct {
		A ArrB `xml:"a"`
	}]("rab", in)
	read[struct {
		A []Arr `xml:"a"`
	}]("ras", in)
	read[struct {
		A map[string]int `xml:"a"`
	}]("ram", in)
	read[struct {
		A chan int `xml:"a"`
	}]("rac", in)
	read[cd1]("rcd1", in)
	read[cd2]("rcd2", in)
	read[cd3]("rcd3", in)
	read[cd4]("rcd4", in)
	read[cd5]("rcd5", in)
	read[cd7]("rcd7", in)
	read[cd8]("rcd8", in)
	read[cd9]("rcd9", in)
	read[cd10]("rcd10", in)
	read[cd11]("rcd11", in)
	read[cd12]("rcd12", in)
	read[cd13]("rcd13", in)
	read[cd14]("rcd14", in)
	read[cd16]("rcd16", in)
	read[cd17]("rcd17", in)
	read[cd18]("rcd18", in)
	read[cd19]("rcd19", in)
	read[notConsumed]("rnc", in)
	read[struct{ V notConsumed }]("rncs", in)
	read[struct{ V []*notConsumed }]("rncps", in)
	read[mu]("rmu", in)
	read[Arr]("rArr", in)
	read[[]Arr]("rsArr", in)
	read[map[string]leaf]("rmap", in)
	read[struct {
		A leaf `xml:"a,attr"`
	}]("rattrleaf", in)
	read[struct {
		A []leaf `xml:"a,attr"`
	}]("rattrleafs", in)
	read[struct {
		A []tms `xml:"a,attr"`
	}]("rattrtms", in)
	read[struct {
		A myb `xml:"m,attr"`
	}]("rattrmyb", in)
	read[struct {
		A []xml.Attr `xml:",any,attr"`
	}]("rattrany", in)
	read[struct {
		A []leaf `xml:",any"`
	}]("rany", in)
	read[named]("rnamed", in)
	read[spaced]("rspaced", in)
	read[dup]("rdup", in)
	read[conflict]("rconf", in)
	read[generic[generic[Arr]]]("rgen", `<x><v><v>1</v></v></x>`)

	var buf bytes.Buffer
	e := xml.NewEncoder(&buf)
	e.EncodeToken(xml.StartElement{Name: xml.Name{Space: "urn:e", Local: "e"}})
	e.Encode(leaf{B: "in"})
	e.Encode([]leaf{{B: "s"}})
	e.EncodeElement(leaf{}, xml.StartElement{Name: xml.Name{Local: "z"}, Attr: []xml.Attr{{Name: xml.Name{Local: "a"}, Value: "v"}}})
	fmt.Println(e.Encode(notClosed{}))
	e.Flush()
	fmt.Println(buf.String())
	d := xml.NewDecoder(strings.NewReader(in))
	for {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if se, ok := t.(xml.StartElement); ok && se.Name.Local == "V" {
			var nc notConsumed
			fmt.Println(d.DecodeElement(&nc, &se), nc)
			break
		}
	}
}
