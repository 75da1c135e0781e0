package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

type Color struct{ R, G, B uint8 }

func (c Color) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}, nil
}
func (c *Color) UnmarshalXMLAttr(a xml.Attr) error {
	_, err := fmt.Sscanf(a.Value, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return err
}

type Kind string
type IDs []int
type Flag bool
type Shape interface{ Area() float64 }
type Circle struct {
	R float64 `xml:"r,attr"`
}

func (c Circle) Area() float64 { return c.R }

type Sq struct {
	XMLName xml.Name `xml:"square"`
	S       float64  `xml:"s"`
}

func (s *Sq) Area() float64 { return s.S }

type Ptr struct{ v int }

func (p *Ptr) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "ptr%d", p.v), nil }

type Line struct {
	SKU string `xml:"sku,attr"`
	Qty int    `xml:"qty"`
}
type Order struct {
	XMLName xml.Name `xml:"http://x.y/z order"`
	ID      string   `xml:"id,attr"`
	K       Kind     `xml:"kind,attr,omitempty"`
	C       Color    `xml:"color,attr"`
	CP      *Color   `xml:"cp,attr"`
	Lines   []Line   `xml:"lines>line"`
	Shapes  []Shape  `xml:"shapes>shape"`
	One     Shape
	IDs     IDs   `xml:"ids>id"`
	F       Flag  `xml:"f"`
	P       Ptr   `xml:"p"`
	PP      *Ptr  `xml:"pp"`
	Opt     *Line `xml:"opt"`
	Sq      Sq
	Arr     [2]Line         `xml:"arr"`
	Any     any             `xml:"any"`
	Mat     [][]Line        `xml:"mat"`
	Doc     CData           `xml:"doc"`
	M       map[string]Line `xml:"-"`
	Om      []Line          `xml:"om>l,omitempty"`
	OmP     *Line           `xml:"omp>l,omitempty"`
	OmK     Lvl             `xml:"omk>l,omitempty"`
}
type Lvl int

func (l Lvl) MarshalText() ([]byte, error) { return []byte(fmt.Sprint("lvl", int(l))), nil }

type CData struct {
	Lang string `xml:"lang,attr"`
	T    string `xml:",cdata"`
}
type Gen[T any] struct {
	V  T   `xml:"v"`
	Vs []T `xml:"vs>v"`
}
type Bad struct {
	M map[string]Line `xml:"m"`
}
type Conf struct {
	S Sq `xml:"other"`
}
type Dup struct {
	A int `xml:"x"`
	B int `xml:"x"`
}
type BadTag struct {
	A Line `xml:"a,attr,chardata"`
}
type CT struct {
	L Lvl2 `xml:",chardata"`
}
type Lvl2 int

func (l Lvl2) MarshalText() ([]byte, error) { return []byte(fmt.Sprint("<", int(l))), nil }
func (l *Lvl2) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("empty")
	}
	*l = Lvl2(len(b))
	return nil
}

type Wrap struct {
	Name string
	Body Raw
}
type Raw struct {
	Attrs []xml.Attr `xml:",any,attr"`
	In    []byte     `xml:",innerxml"`
}

func show(x any) {
	b, err := xml.MarshalIndent(x, "", " ")
	fmt.Println(string(b), err)
}

func main() {
	l := Line{"a&b", 2}
	o := Order{ID: "1", K: "k", C: Color{1, 2, 255}, CP: &Color{9, 9, 9}, Lines: []Line{l, {"c", 3}}, Shapes: []Shape{Circle{1}, &Sq{S: 2}, nil}, One: Circle{3}, IDs: IDs{1, 2}, P: Ptr{1}, PP: &Ptr{2}, Any: l, Mat: [][]Line{{l}, {}}, Doc: CData{"en", "a<b]]>c"}}
	show(o)
	show(&o)
	o.Om, o.OmP, o.OmK = []Line{l}, &l, 3
	show(o.Lines)
	func() {
		defer func() { fmt.Println(recover()) }()
		show(Order{})
	}()
	show([]any{l, 3, "s", &o.Doc, nil})
	show(Gen[Line]{l, []Line{l}})
	show(&Gen[int]{1, []int{2}})
	show(Bad{map[string]Line{"a": l}})
	show(Conf{})
	show(Dup{})
	show(BadTag{})
	show(CT{4})
	show(struct{ A Line }{l})
	show(map[string]Line{})
	show(Kind("x"))
	show(Ptr{3})
	show(&Ptr{3})
	show(nil)
	show((*Line)(nil))
	show(Circle{2})
	show(Lvl(2))
	var ct CT
	fmt.Println(xml.Unmarshal([]byte("<CT>abc</CT>"), &ct), ct)
	fmt.Println(xml.Unmarshal([]byte("<CT></CT>"), &ct), ct)
	b, _ := xml.Marshal(o)
	var p struct {
		XMLName xml.Name `xml:"order"`
		ID      string   `xml:"id,attr"`
		K       *Kind    `xml:"kind,attr"`
		C       Color    `xml:"color,attr"`
		CP      *Color   `xml:"color,attr"`
		Lines   []*Line  `xml:"lines>line"`
		IDs     IDs      `xml:"ids>id"`
		Opt     *Line    `xml:"any"`
		Rest    []struct {
			XMLName xml.Name
			In      string `xml:",innerxml"`
		} `xml:",any"`
		I any `xml:"doc"`
	}
	err := xml.Unmarshal(b, &p)
	fmt.Println(err)
	var q struct {
		XMLName xml.Name `xml:"order"`
		ID      string   `xml:"id,attr"`
		K       *Kind    `xml:"kind,attr"`
		C       Color    `xml:"color,attr"`
		Lines   []*Line  `xml:"lines>line"`
		IDs     IDs      `xml:"ids>id"`
		Opt     *Line    `xml:"any"`
		Rest    []struct {
			XMLName xml.Name
			In      string `xml:",innerxml"`
		} `xml:",any"`
		I any `xml:"doc"`
	}
	err = xml.Unmarshal(b, &q)
	fmt.Println(err, q.XMLName, q.ID, *q.K, q.C, len(q.Lines), *q.Lines[1], q.IDs, *q.Opt, q.Rest, q.I)
	var w Wrap
	err = xml.Unmarshal([]byte(`<w><Name>n</Name><Body x="1" y="2">t<b>q</b></Body></w>`), &w)
	fmt.Printf("%v %+v\n", err, w)
	show(w)
	d := xml.NewDecoder(strings.NewReader(`<r><line sku="1"><qty>4</qty></line><line sku="2"><qty>x</qty></line></r>`))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			break
		}
		if se, ok := tok.(xml.StartElement); ok && se.Name.Local == "line" {
			var l Line
			err := d.DecodeElement(&l, &se)
			fmt.Println(l, err)
		}
	}
	e := xml.NewEncoder(os.Stdout)
	fmt.Println(e.EncodeElement(l, xml.StartElement{Name: xml.Name{Local: "z"}, Attr: []xml.Attr{{Name: xml.Name{Local: "q"}, Value: "1"}}}))
	fmt.Println(e.EncodeElement([]Line{l, l}, xml.StartElement{Name: xml.Name{Local: "z"}}), e.EncodeElement(l, xml.StartElement{}))
	fmt.Println(xml.Unmarshal([]byte("<a/>"), l), xml.Unmarshal([]byte("<a/>"), (*Line)(nil)), xml.Unmarshal([]byte("<a"), &l), xml.Unmarshal([]byte("<b/>"), &Sq{}))
	var se *xml.SyntaxError
	fmt.Println(errors.As(xml.Unmarshal([]byte("<a><b></a>"), &l), &se), se)
	var ls []Line
	fmt.Println(xml.Unmarshal([]byte(`<line sku="9"/>`), &ls), ls)
	var bad Bad
	fmt.Println(xml.Unmarshal([]byte(`<x><m>1</m></x>`), &bad))
	var sh Shape = &Sq{}
	fmt.Println(xml.Unmarshal([]byte(`<square><s>4</s></square>`), &sh), sh.Area())
	var mm xml.Marshaler
	_, ok := any(o).(xml.Marshaler)
	fmt.Println(mm == nil, ok)
}

var _ xml.MarshalerAttr = Color{}
var _ xml.UnmarshalerAttr = (*Color)(nil)
