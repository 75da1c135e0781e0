package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"time"
)

type Addr struct {
	City string `xml:"city"`
	Zip  string `xml:"zip,attr,omitempty"`
}
type Level int

func (l Level) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("L%d", int(l))), nil }
func (l *Level) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "L%d", (*int)(l))
	return err
}

type Date struct{ time.Time }

func (d *Date) UnmarshalXML(dec *xml.Decoder, st xml.StartElement) error {
	var s string
	if err := dec.DecodeElement(&s, &st); err != nil {
		return err
	}
	t, err := time.Parse("2006-01-02", s)
	d.Time = t
	return err
}
func (d Date) MarshalXML(e *xml.Encoder, st xml.StartElement) error {
	return e.EncodeElement(d.Format("2006-01-02"), st)
}

type Base struct {
	ID int `xml:"id,attr"`
}
type Node struct {
	Name string  `xml:"name,attr"`
	Kids []*Node `xml:"node"`
	Lvl  Level   `xml:"lvl,attr"`
}
type Person struct {
	XMLName xml.Name `xml:"person"`
	Base
	First  string   `xml:"name>first"`
	Last   string   `xml:"name>last"`
	Emails []string `xml:"contact>email"`
	Addrs  []Addr   `xml:"addr"`
	Main   *Addr    `xml:"main,omitempty"`
	Note   string   `xml:",comment"`
	Text   string   `xml:",chardata"`
	Skip   int      `xml:"-"`
	priv   int
	L      Level
	Born   Date  `xml:"born"`
	Tree   *Node `xml:"tree"`
	Ok     bool  `xml:"ok,omitempty"`
	F      float64
}
type Feed struct {
	Title string `xml:"channel>title"`
	Items []Item `xml:"channel>item"`
}
type Item struct {
	Title string `xml:"title"`
	Link  string `xml:"link"`
	Inner string `xml:",innerxml"`
}
type Any struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []Any      `xml:",any"`
	C       string     `xml:",chardata"`
}

func main() {
	p := Person{Base: Base{7}, First: "A<", Last: "B", Emails: []string{"a@x", "b@y"}, Addrs: []Addr{{"X", "1"}, {"Y", ""}}, Note: " n ", Text: "te\nxt", L: 3, Tree: &Node{"r", []*Node{{"k1", nil, 1}, {"k2", []*Node{{"z", nil, 9}}, 2}}, 0}, F: 1.5}
	p.Born.Time = time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	b, err := xml.MarshalIndent(p, "", "  ")
	fmt.Println(string(b), err)
	b2, err := xml.Marshal(&p)
	fmt.Println(string(b2), err)
	var q Person
	err = xml.Unmarshal(b2, &q)
	fmt.Println(err)
	fmt.Printf("%+v %+v %v\n", q.Addrs, q.Base, q.Born.Format(time.DateOnly))
	fmt.Println(q.First, q.Last, q.Emails, q.Main, q.Note, q.Text, q.L, q.Tree.Kids[1].Kids[0].Name, q.Tree.Kids[1].Kids[0].Lvl, q.F, q.XMLName.Local)
	var f Feed
	err = xml.NewDecoder(strings.NewReader(`<rss><channel><title>T</title><item><title>i1</title><link>l1</link></item><item><title>i2</title></item></channel></rss>`)).Decode(&f)
	fmt.Printf("%+v %v\n", f, err)
	var a Any
	err = xml.Unmarshal([]byte(`<a x="1"><b y="2">t</b><c/></a>`), &a)
	fmt.Printf("%+v %v\n", a, err)
	fmt.Println(xml.Unmarshal([]byte(`<x/>`), &q))
	fmt.Println(xml.Unmarshal([]byte(`<person><F>zz</F></person>`), &q))
	enc := xml.NewEncoder(os.Stdout)
	enc.Indent(" ", "\t")
	fmt.Println(enc.Encode([]Addr{{"P", "2"}}))
	fmt.Println(enc.Encode(struct {
		A int `xml:"a"`
	}{1}))
	b, err = xml.Marshal(Level(4))
	fmt.Println(string(b), err)
	b, err = xml.Marshal(map[string]Addr{})
	fmt.Println(string(b), err)
}
