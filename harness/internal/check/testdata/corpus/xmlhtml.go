package main

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"path"
	"strings"
)

type Feed struct {
	XMLName xml.Name `xml:"feed"`
	Lang    string   `xml:"lang,attr"`
	Title   string   `xml:"title"`
	Entries []Entry  `xml:"entry"`
}
type Entry struct {
	ID      string   `xml:"id,attr"`
	Title   string   `xml:"title"`
	Link    *Link    `xml:"link"`
	Tags    []string `xml:"tags>tag"`
	Body    string   `xml:",chardata"`
	Comment string   `xml:",comment"`
}
type Link struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr,omitempty"`
}

const doc = `<?xml version="1.0"?>
<feed lang="en"><title>A &amp; B</title>
<entry id="1"><title>First</title><link href="http://x.y/1?a=1&amp;b=2"/><tags><tag>go</tag><tag>xml</tag></tags></entry>
<entry id="2"><title>Second &lt;2&gt;</title>text<!-- hi --></entry>
</feed>`

type Node struct {
	Name string
	Attr map[string]string
	Kids []*Node
	Text string
}

func (n *Node) Walk(depth int, f func(*Node, int)) {
	f(n, depth)
	for _, k := range n.Kids {
		k.Walk(depth+1, f)
	}
}

func tree(r io.Reader) (*Node, error) {
	d := xml.NewDecoder(r)
	root := &Node{}
	stack := []*Node{root}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return root.Kids[0], nil
		}
		if err != nil {
			return nil, err
		}
		top := stack[len(stack)-1]
		switch t := tok.(type) {
		case xml.StartElement:
			n := &Node{Name: t.Name.Local, Attr: map[string]string{}}
			for _, a := range t.Attr {
				n.Attr[a.Name.Local] = a.Value
			}
			top.Kids = append(top.Kids, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.Text += strings.TrimSpace(string(t))
		case xml.Comment:
			fmt.Printf("comment %q\n", string(t))
		}
	}
}

func main() {
	n, err := tree(strings.NewReader(doc))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	n.Walk(0, func(n *Node, d int) {
		fmt.Printf("%s%s %v %q\n", strings.Repeat("  ", d), n.Name, n.Attr, n.Text)
	})
	_, err = tree(strings.NewReader("<a><b></a>"))
	fmt.Println(err)
	u, err := url.Parse("https://bob:pw@example.com:8080/a/b%20c/../d?q=1&q=2&x=%C3%A9#frag")
	fmt.Println(u.Host, u.Port(), u.Path, u.Query()["q"], u.Query().Get("x"), u.Fragment, u.User.Username(), err)
	q := url.Values{}
	q.Set("name", "A&B")
	q.Add("z", "1")
	q.Add("z", "2")
	fmt.Println(q.Encode(), url.PathEscape("a/b c"), url.QueryEscape("a/b c"), u.ResolveReference(&url.URL{Path: "../x"}))
	_, err = url.Parse("http://[::1")
	fmt.Println(err)
	fmt.Println(path.Join("a", "../b", "c"), path.Base("/x/y.txt"), path.Ext("q.tar.gz"), path.Dir("/a/b"), path.Clean("a//b/./c/.."))
	ok, err := path.Match("*.go", "main.go")
	fmt.Println(ok, err, html.EscapeString(`<a href="x">'&'</a>`), html.UnescapeString("&lt;&eacute;&#39;"))
	var f Feed
	err = xml.Unmarshal([]byte(doc), &f)
	fmt.Println(err, f.Lang, f.Title, len(f.Entries))
	for _, e := range f.Entries {
		fmt.Printf("%s %q %v %q\n", e.ID, e.Title, e.Tags, e.Body)
		if e.Link != nil {
			fmt.Println(e.Link.Href)
		}
	}
	f.Entries = f.Entries[:1]
	out, err := xml.MarshalIndent(f, "", "  ")
	fmt.Println(string(out), err)
}
