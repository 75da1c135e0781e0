package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strings"
)

type BlockKind int

const (
	Para BlockKind = iota
	Heading
	Code
	ListItem
	Quote
	Rule
)

//go:generate nothing
var kindNames = [...]string{"para", "heading", "code", "item", "quote", "rule"}

func (k BlockKind) String() string { return kindNames[k] }

type Block struct {
	Kind  BlockKind
	Level int
	Text  []string
	Attrs map[string]string
}

type inlineRule struct {
	re  *regexp.Regexp
	sub any // string or func([]string) string
}

var inline = []inlineRule{
	{regexp.MustCompile("`([^`]+)`"), "<code>$1</code>"},
	{regexp.MustCompile(`\*\*(.+?)\*\*`), "<b>$1</b>"},
	{regexp.MustCompile(`_([^_]+)_`), "<i>${1}</i>"},
	{regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`), func(m []string) string {
		if strings.HasPrefix(m[2], "javascript:") {
			return m[1]
		}
		return fmt.Sprintf(`<a href=%q>%s</a>`, m[2], m[1])
	}},
}

func render(s string) string {
	s = html.EscapeString(s)
	for _, r := range inline {
		switch sub := r.sub.(type) {
		case string:
			s = r.re.ReplaceAllString(s, sub)
		case func([]string) string:
			s = r.re.ReplaceAllStringFunc(s, func(m string) string { return sub(r.re.FindStringSubmatch(m)) })
		}
	}
	return s
}

func blocks(r io.Reader) (out []Block, err error) {
	sc := bufio.NewScanner(r)
	var cur *Block
	flush := func() {
		if cur != nil {
			out = append(out, *cur)
			cur = nil
		}
	}
	fence := false
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		trim := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trim, "```"):
			if fence = !fence; !fence {
				flush()
				continue
			}
			flush()
			cur = &Block{Kind: Code, Attrs: map[string]string{"lang": trim[3:], "line": fmt.Sprint(n)}}
		case fence:
			cur.Text = append(cur.Text, line)
		case trim == "":
			flush()
		case strings.HasPrefix(trim, "#"):
			flush()
			lvl := len(trim) - len(strings.TrimLeft(trim, "#"))
			out = append(out, Block{Heading, lvl, []string{strings.TrimSpace(trim[lvl:])}, nil})
		case trim == "---":
			flush()
			out = append(out, Block{Kind: Rule})
		case strings.HasPrefix(trim, "- "), strings.HasPrefix(trim, "* "):
			flush()
			cur = &Block{Kind: ListItem, Level: (len(line) - len(strings.TrimLeft(line, " "))) / 2, Text: []string{trim[2:]}}
		case trim[0] == '>':
			if cur == nil || cur.Kind != Quote {
				flush()
				cur = &Block{Kind: Quote}
			}
			cur.Text = append(cur.Text, strings.TrimSpace(trim[1:]))
		default:
			if cur == nil {
				cur = new(Block)
			}
			cur.Text = append(cur.Text, trim)
		}
	}
	flush()
	if fence {
		err = fmt.Errorf("unclosed fence")
	}
	return out, err
}

type writer struct {
	io.Writer
	depth int
	err   error
}

func (w *writer) f(format string, a ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.Writer, format, a...)
	}
}

func (w *writer) lists(to int) {
	for ; w.depth < to; w.depth++ {
		w.f("%s<ul>\n", strings.Repeat(" ", w.depth))
	}
	for ; w.depth > to; w.depth-- {
		w.f("%s</ul>\n", strings.Repeat(" ", w.depth-1))
	}
}

func (w *writer) block(b Block) {
	if b.Kind == ListItem {
		w.lists(b.Level + 1)
	} else {
		w.lists(0)
	}
	text := strings.Join(b.Text, " ")
	switch b.Kind {
	case Heading:
		id := strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(text), "-"), "-")
		w.f("<h%d id=%q>%s</h%[1]d>\n", b.Level, id, render(text))
	case Code:
		w.f("<pre class=%q>%s</pre>\n", b.Attrs["lang"], html.EscapeString(strings.Join(b.Text, "\n")))
	case ListItem:
		w.f("%s<li>%s</li>\n", strings.Repeat(" ", w.depth), render(text))
	case Quote:
		w.f("<blockquote>%s</blockquote>\n", render(text))
	case Rule:
		w.f("<hr>\n")
	default:
		w.f("<p>%s</p>\n", render(text))
	}
}

const doc = "# Hello, *World* & Co!\nSome **bold** and _it_\ncontinued `a<b` [link](http://x/?a=1&b=2)\n\n- one\n  - nested **x**\n- two [bad](javascript:x)\n> quoted\n> more\n---\n```go\nfunc main() {\n\tx < y\n}\n```\n## End 2\n* star"

func main() {
	bs, err := blocks(strings.NewReader(doc))
	fmt.Println(len(bs), err)
	counts := map[BlockKind]int{}
	w := &writer{Writer: os.Stdout}
	for _, b := range bs {
		counts[b.Kind]++
		w.block(b)
	}
	w.lists(0)
	fmt.Println(counts, w.err)
	_, err = blocks(strings.NewReader("```\nx"))
	fmt.Println(err)
	fmt.Printf("%v\n%+v\n", bs[0], bs[7])
}
