package main

import (
	"bufio"
	"fmt"
	"html"
	"regexp"
	"strings"
)

type Block interface {
	HTML(w *strings.Builder, depth int)
}
type (
	Heading struct {
		Level int
		Text  string
	}
	Para []string
	Item struct {
		Text string
		Sub  *List
	}
	List struct {
		Ordered bool
		Items   []*Item
	}
	Code  struct{ Lang, Body string }
	Quote struct{ Blocks []Block }
)

func indent(w *strings.Builder, n int) { w.WriteString(strings.Repeat("  ", n)) }

var inlineRules = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\*\*(.+?)\*\*`), "<b>$1</b>"},
	{regexp.MustCompile(`_(\w[^_]*)_`), "<i>${1}</i>"},
	{regexp.MustCompile("`([^`]+)`"), "<code>$1</code>"},
	{regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`), `<a href="$2">$1</a>`},
}

func inline(s string) string {
	s = html.EscapeString(s)
	for _, r := range inlineRules {
		s = r.re.ReplaceAllString(s, r.to)
	}
	return s
}
func (h Heading) HTML(w *strings.Builder, d int) {
	indent(w, d)
	id := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllLiteralString(strings.ToLower(h.Text), "-")
	fmt.Fprintf(w, "<h%[1]d id=%[2]q>%[3]s</h%[1]d>\n", h.Level, strings.Trim(id, "-"), inline(h.Text))
}
func (p Para) HTML(w *strings.Builder, d int) {
	indent(w, d)
	w.WriteString("<p>" + inline(strings.Join(p, " ")) + "</p>\n")
}
func (l *List) HTML(w *strings.Builder, d int) {
	tag := map[bool]string{true: "ol", false: "ul"}[l.Ordered]
	indent(w, d)
	fmt.Fprintln(w, "<"+tag+">")
	for _, it := range l.Items {
		indent(w, d+1)
		fmt.Fprint(w, "<li>", inline(it.Text))
		if it.Sub != nil {
			w.WriteByte('\n')
			it.Sub.HTML(w, d+2)
			indent(w, d+1)
		}
		w.WriteString("</li>\n")
	}
	indent(w, d)
	fmt.Fprintf(w, "</%s>\n", tag)
}
func (c Code) HTML(w *strings.Builder, d int) {
	fmt.Fprintf(w, "<pre lang=%q>%s</pre>\n", c.Lang, html.EscapeString(c.Body))
}
func (q Quote) HTML(w *strings.Builder, d int) {
	indent(w, d)
	w.WriteString("<blockquote>\n")
	for _, b := range q.Blocks {
		b.HTML(w, d+1)
	}
	indent(w, d)
	w.WriteString("</blockquote>\n")
}

var (
	headRE = regexp.MustCompile(`^(#{1,6})\s+(.*?)\s*#*$`)
	itemRE = regexp.MustCompile(`^(\s*)([-*]|\d+\.)\s+(.*)$`)
)

func parse(src string) (blocks []Block) {
	sc := bufio.NewScanner(strings.NewReader(src))
	var para Para
	var quote []string
	var stack []*List
	var depths []int
	flush := func() {
		if len(para) > 0 {
			blocks = append(blocks, para)
			para = nil
		}
		if quote != nil {
			blocks = append(blocks, Quote{parse(strings.Join(quote, "\n"))})
			quote = nil
		}
		stack, depths = nil, nil
	}
	defer flush()
	for sc.Scan() {
		line := sc.Text()
		if rest, ok := strings.CutPrefix(line, "```"); ok {
			flush()
			var body []string
			for sc.Scan() && sc.Text() != "```" {
				body = append(body, sc.Text())
			}
			blocks = append(blocks, Code{rest, strings.Join(body, "\n")})
			continue
		}
		if rest, ok := strings.CutPrefix(line, "> "); ok {
			quote = append(quote, rest)
			continue
		}
		if m := headRE.FindStringSubmatch(line); m != nil {
			flush()
			blocks = append(blocks, Heading{len(m[1]), m[2]})
		} else if m := itemRE.FindStringSubmatch(line); m != nil {
			depth := len(m[1])
			it := &Item{Text: m[3]}
			for len(depths) > 0 && depths[len(depths)-1] > depth {
				stack, depths = stack[:len(stack)-1], depths[:len(depths)-1]
			}
			if len(depths) == 0 || depths[len(depths)-1] < depth {
				l := &List{Ordered: m[2] != "-" && m[2] != "*"}
				if n := len(stack); n > 0 {
					items := stack[n-1].Items
					items[len(items)-1].Sub = l
				} else {
					flush()
					blocks = append(blocks, l)
				}
				stack, depths = append(stack, l), append(depths, depth)
			}
			top := stack[len(stack)-1]
			top.Items = append(top.Items, it)
		} else if strings.TrimSpace(line) == "" {
			flush()
		} else {
			para = append(para, strings.TrimSpace(line))
		}
	}
	return
}

const doc = "# Hello & *World* ##\nSome **bold** and _it_ `a<b`\nsecond [link](http://x.y/?a=1&b=2).\n\n- one\n  1. sub1\n  2. sub2\n- two\n\n> # Q\n> quoted <tag>\n> - in\n\n```go\nif a < b {\n}\n```\n### end"

func main() {
	bs := parse(doc)
	var sb strings.Builder
	for _, b := range bs {
		b.HTML(&sb, 0)
	}
	fmt.Print(sb.String())
	kinds := map[string]int{}
	var count func([]Block)
	count = func(bs []Block) {
		for _, b := range bs {
			kinds[strings.TrimPrefix(fmt.Sprintf("%T", b), "main.")]++
			if q, ok := b.(Quote); ok {
				count(q.Blocks)
			}
		}
	}
	count(bs)
	fmt.Println(kinds, len(bs), html.UnescapeString("&lt;&eacute;&#39;"))
	fmt.Printf("%v %+v %q\n", bs[0], bs[4], bs[1])
	for _, loc := range headRE.FindAllStringIndex("## a", -1) {
		fmt.Println(loc)
	}
	fmt.Println(regexp.MustCompile(`(\d+)-(\w)`).ReplaceAllStringFunc("1-a 22-b", func(s string) string { return strings.ToUpper(s) + "!" }))
}
