package main

import (
	"bufio"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

const text = `The quick brown fox — the lazy dog's friend — jumps over
the "naïve" café owner. Ünïcödé words: 日本語, 日本!  The end; the END.
e-mail: bob@example.com, alice.smith@mail.example.org (phone 555-1234)`

type Count struct {
	Word string
	N    int
}

type Report struct {
	Title  string
	Counts []Count
	Emails []string
	meta   map[string]int
}

func (r Report) Total() (n int) {
	for _, c := range r.Counts {
		n += c.N
	}
	return
}
func (c Count) Bar() string { return strings.Repeat("#", c.N) }

func words(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		sc := bufio.NewScanner(strings.NewReader(s))
		line := 0
		for sc.Scan() {
			line++
			for _, w := range strings.FieldsFunc(sc.Text(), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
				if !yield(line, strings.ToLower(w)) {
					return
				}
			}
		}
	}
}

func filter[K, V any](seq iter.Seq2[K, V], keep func(K, V) bool) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, v := range seq {
			if keep(k, v) && !yield(k, v) {
				return
			}
		}
	}
}

func main() {
	freq := map[string]int{}
	lines := map[string][]int{}
	for line, w := range filter(words(text), func(_ int, w string) bool { return utf8.RuneCountInString(w) > 2 }) {
		freq[w]++
		if !slices.Contains(lines[w], line) {
			lines[w] = append(lines[w], line)
		}
	}
	counts := make([]Count, 0, len(freq))
	for w, n := range freq {
		counts = append(counts, Count{w, n})
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Word, b.Word))
	})
	re := regexp.MustCompile(`(?i)([a-z.]+)@([a-z]+\.)+(com|org)`)
	rep := Report{Title: "Words", Counts: counts[:min(8, len(counts))], Emails: re.FindAllString(text, -1)}
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		fmt.Println(m, text[m[2]:m[3]])
	}
	tmpl := template.Must(template.New("r").Funcs(template.FuncMap{
		"upper": strings.ToUpper,
		"pad":   func(n int, s string) string { return fmt.Sprintf("%-*s", n, s) },
	}).Parse(`{{.Title | upper}} ({{.Total}})
{{range $i, $c := .Counts}}{{$i}}. {{pad 10 $c.Word}}{{$c.Bar}}{{if gt $c.N 1}} ({{$c.N}}){{end}}
{{else}}none
{{end}}{{with .Emails}}{{len .}} emails: {{range .}}<{{.}}>{{end}}{{end}}
`))
	if err := tmpl.Execute(os.Stdout, rep); err != nil {
		fmt.Println("template:", err)
	}
	long := slices.MaxFunc(slices.Collect(maps.Keys(freq)), func(a, b string) int {
		return cmp.Or(cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b)), cmp.Compare(a, b))
	})
	fmt.Println(long, lines["the"], len(freq))
	fmt.Println(re.ReplaceAllString("x@y.com and q@w.org", "[$1 at $2$3]"))
	for i, r := range "aé日\xff" {
		fmt.Printf("%d:%c:%U:%d ", i, r, r, utf8.RuneLen(r))
	}
	fmt.Println()
	for i, w := range words("one two three") {
		if w == "two" {
			continue
		}
		fmt.Print(i, w, " ")
	}
	fmt.Printf("%q\n", strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, "a.b,c! ß"))
}
