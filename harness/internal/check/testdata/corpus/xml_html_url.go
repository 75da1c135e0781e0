// encoding/xml plain use, html/template escaping, url building, path cleaning, mime types.
package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

type Feed struct {
	XMLName xml.Name `xml:"feed"`
	Lang    string   `xml:"lang,attr,omitempty"`
	Title   string   `xml:"title"`
	Entries []Entry  `xml:"entries>entry"`
	Note    string   `xml:",comment"`
}

type Entry struct {
	ID   int    `xml:"id,attr"`
	Link string `xml:"link"`
	Text string `xml:",chardata"`
}

type Query map[string][]string

func (q Query) With(k string, vs ...any) Query {
	c := maps.Clone(q)
	if c == nil {
		c = Query{}
	}
	for _, v := range vs {
		c[k] = append(slices.Clip(c[k]), fmt.Sprint(v))
	}
	return c
}

func build(base string, q Query, parts ...string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			return "", fmt.Errorf("%s failed: %w", ue.Op, ue.Err)
		}
		return "", err
	}
	u = u.JoinPath(parts...)
	u.RawQuery = url.Values(q).Encode()
	return u.String(), nil
}

func elements(r io.Reader) (out []string, err error) {
	d := xml.NewDecoder(r)
	depth := 0
	for {
		tok, err := d.Token()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return out, err
		}
		switch t := tok.(type) {
		case xml.StartElement:
			out = append(out, fmt.Sprintf("%d<%s %d>", depth, t.Name.Local, len(t.Attr)))
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); s != "" {
				out = append(out, s)
			}
		case xml.Comment:
			out = append(out, "#"+string(t))
		}
	}
}

func main() {
	f := Feed{Lang: "en", Title: "A & B <c>", Entries: []Entry{{1, "http://x/?a=1&b=2", "one"}, {ID: 2}}, Note: " hi "}
	b, err := xml.MarshalIndent(f, "", " ")
	fmt.Println(string(b), err)
	var back Feed
	err = xml.Unmarshal(b, &back)
	fmt.Printf("%+v %v\n", back.Entries, err)
	fmt.Println(back.Title == f.Title, back.Lang, back.XMLName.Local, len(back.Entries))
	fmt.Println(elements(strings.NewReader(`<a x="1"><b>t&lt;</b><!--c--><d/></a>`)))
	fmt.Println(elements(strings.NewReader(`<a><b></a>`)))
	var se *xml.SyntaxError
	fmt.Println(errors.As(xml.Unmarshal([]byte("<feed><title>"), &back), &se), se.Line)

	q := Query{}.With("q", "a b", 1.5).With("é", true)
	q2 := q.With("q", "&=")
	fmt.Println(build("https://user:pw@host:8080/base/", q, "..", "x y", "/z"))
	fmt.Println(build("/rel", q2))
	fmt.Println(build("http://[::1", nil))
	fmt.Println(len(q["q"]), len(q2["q"]))
	u, err := url.Parse("https://u:p%40@h.com:99/p/a%2Fb/?k=v&k=w&e#frag%20x")
	pw, has := u.User.Password()
	fmt.Println(u.Scheme, u.Hostname(), u.Port(), u.Path, u.RawPath, u.Query()["k"], u.Query().Has("e"), u.Fragment, pw, has, err)
	fmt.Println(u.ResolveReference(&url.URL{Path: "../q", RawQuery: "z"}), u.Redacted(), url.PathEscape("a/b c"), url.QueryEscape("a/b c+"))
	_, err = url.QueryUnescape("%zz")
	fmt.Println(err)
	fmt.Println(path.Join("a", "../b", "/c"), path.Base("/x/y.tar.gz"), path.Ext("y.tar.gz"), path.Dir("/a/b/"), path.Clean("a//./b/.."), path.IsAbs("/x"))
	ok, err := path.Match("*.[ch]", "main.c")
	rel, err2 := filepath.Rel("/a/b", "/a/c/d")
	fmt.Println(ok, err, filepath.ToSlash(rel), err2)
	mt, params, err := mime.ParseMediaType(`text/html; charset="utf-8"; q=0.5`)
	fmt.Println(mt, params, err, mime.FormatMediaType("a/b", map[string]string{"x": "y z"}))
	t := template.Must(template.New("p").Funcs(template.FuncMap{"bold": func(s string) template.HTML { return template.HTML("<b>" + template.HTMLEscapeString(s) + "</b>") }}).Parse(
		`<a href="/s?q={{.Q}}" title='{{.T}}' onclick="f({{.J}})">{{.T}}</a>{{bold .T}}<script>var x = {{.J}};</script>{{range $i, $e := .L}}{{if $i}}, {{end}}{{$e}}{{end}}` + "\n"))
	err = t.Execute(os.Stdout, struct {
		Q, T string
		J    map[string]any
		L    []any
	}{"a b&c", `<i>"x"</i>`, map[string]any{"k": []int{1}, "s": "</script>"}, []any{1, "<", nil, 2.5}})
	fmt.Println(err)
}
