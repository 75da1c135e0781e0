package main

import (
	"bufio"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const text = `The quick brown fox—jumps over the lazy dog. Pseudopseudohypoparathyroidism is a long word.

  Second paragraph:	tabs and   many   spaces; naïve café résumé, 日本語テキスト mixed in. End.
`

func paragraphs(s string) []string {
	var out []string
	var cur []string
	sc := bufio.NewScanner(strings.NewReader(s))
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" {
			if cur != nil {
				out = append(out, strings.Join(cur, " "))
				cur = nil
			}
			continue
		}
		cur = append(cur, strings.Fields(line)...)
	}
	if len(cur) > 0 {
		out = append(out, strings.Join(cur, " "))
	}
	return out
}

func greedy(p string, width int) []string {
	lines := []string{}
	var b strings.Builder
	col := 0
	for w := range strings.FieldsSeq(p) {
		n := utf8.RuneCountInString(w)
		for n > width {
			if col > 0 {
				lines = append(lines, b.String())
				b.Reset()
				col = 0
			}
			rs := []rune(w)
			lines = append(lines, string(rs[:width-1])+"-")
			w = string(rs[width-1:])
			n -= width - 1
		}
		if col > 0 && col+1+n > width {
			lines = append(lines, b.String())
			b.Reset()
			col = 0
		}
		if col > 0 {
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += n
	}
	if b.Len() > 0 {
		lines = append(lines, b.String())
	}
	return lines
}

func justify(line string, width int) string {
	words := strings.Fields(line)
	if len(words) < 2 {
		return line
	}
	gaps := len(words) - 1
	total := width
	for _, w := range words {
		total -= utf8.RuneCountInString(w)
	}
	var sb strings.Builder
	for i, w := range words {
		sb.WriteString(w)
		if i < gaps {
			k := total / gaps
			if i < total%gaps {
				k++
			}
			sb.WriteString(strings.Repeat(" ", k))
		}
	}
	return sb.String()
}

func optimal(p string, width int) []string {
	words := strings.Fields(p)
	n := len(words)
	cost := make([]int, n+1)
	brk := make([]int, n+1)
	for i := n - 1; i >= 0; i-- {
		cost[i] = 1 << 30
		l := -1
		for j := i; j < n; j++ {
			l += 1 + len([]rune(words[j]))
			if l > width && j > i {
				break
			}
			c := 0
			if j < n-1 {
				d := width - l
				c = d * d
			}
			if c += cost[j+1]; c < cost[i] {
				cost[i], brk[i] = c, j+1
			}
		}
	}
	var out []string
	for i := 0; i < n; i = brk[i] {
		out = append(out, strings.Join(words[i:brk[i]], " "))
	}
	return out
}

func title(s string) string {
	prev := ' '
	return strings.Map(func(r rune) rune {
		defer func() { prev = r }()
		if unicode.IsLetter(prev) || prev == '\'' {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

func main() {
	const width = 24
	for i, p := range paragraphs(text) {
		fmt.Printf("¶%d (%d bytes, %d runes)\n", i+1, len(p), utf8.RuneCountInString(p))
		ls := greedy(p, width)
		for j, l := range ls {
			if j < len(ls)-1 {
				l = justify(l, width)
			}
			fmt.Printf("%2d|%-*s|\n", j+1, width, l)
		}
		for _, l := range optimal(p, width) {
			fmt.Printf("%24s<\n", l)
		}
	}
	fmt.Println(title("it's a DOG-eat-dog 'world' élan"))
	counts := map[string]int{}
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r), unicode.In(r, unicode.Katakana, unicode.Hiragana):
			counts["cjk"]++
		case unicode.IsUpper(r):
			counts["upper"]++
		case unicode.IsLower(r):
			counts["lower"]++
		case unicode.IsSpace(r):
			counts["space"]++
		case unicode.IsPunct(r):
			counts["punct"]++
		}
	}
	fmt.Println(counts)
	fmt.Printf("%q %+q %x % X %U\n", "é日", "é日", "é日", "é日", '日')
}
