// Package regexp: named groups, ReplaceAllStringFunc, Expand, lazy and multi-line flags, tokenising by alternation, splits.
package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Rule struct {
	Name string
	*regexp.Regexp
	Fix func(groups map[string]string) string
}

func (r Rule) Apply(s string) (out string, n int) {
	names := r.SubexpNames()
	last := 0
	var sb strings.Builder
	for _, loc := range r.FindAllStringSubmatchIndex(s, -1) {
		g := map[string]string{"": s[loc[0]:loc[1]]}
		for i, name := range names {
			if name != "" && loc[2*i] >= 0 {
				g[name] = s[loc[2*i]:loc[2*i+1]]
			}
		}
		sb.WriteString(s[last:loc[0]])
		sb.WriteString(r.Fix(g))
		last = loc[1]
		n++
	}
	return sb.String() + s[last:], n
}

type Token struct{ Kind, Text string }

func lexer(defs ...string) func(string) ([]Token, error) {
	var alts, names []string
	for i := 0; i < len(defs); i += 2 {
		names = append(names, defs[i])
		alts = append(alts, fmt.Sprintf("(?P<%s>%s)", defs[i], defs[i+1]))
	}
	re := regexp.MustCompile(`^(?:` + strings.Join(alts, "|") + ")")
	return func(s string) (toks []Token, err error) {
		for pos := 0; pos < len(s); {
			m := re.FindStringSubmatchIndex(s[pos:])
			if m == nil || m[1] == 0 {
				return toks, fmt.Errorf("no token at %d: %q", pos, s[pos:min(len(s), pos+8)])
			}
			for _, n := range names {
				if i := re.SubexpIndex(n); m[2*i] >= 0 {
					if n != "ws" {
						toks = append(toks, Token{n, s[pos : pos+m[1]]})
					}
					break
				}
			}
			pos += m[1]
		}
		return
	}
}

func main() {
	rules := []Rule{
		{"date", regexp.MustCompile(`(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})`), func(g map[string]string) string {
			t, err := time.Parse("2.1.2006", g[""])
			if err != nil {
				return "<bad:" + g["m"] + ">"
			}
			return t.Format("2006-01-02")
		}},
		{"money", regexp.MustCompile(`(?i)(?P<cur>eur|usd)\s*(?P<amt>\d+(?:,\d+)?)(?P<k>k)?`), func(g map[string]string) string {
			f, _ := strconv.ParseFloat(strings.Replace(g["amt"], ",", ".", 1), 64)
			if _, ok := g["k"]; ok {
				f *= 1000
			}
			return fmt.Sprintf("%.2f %s", f, strings.ToUpper(g["cur"]))
		}},
		{Name: "shout", Regexp: regexp.MustCompile(`\b[A-Z]{4,}\b`), Fix: func(g map[string]string) string { return strings.ToLower(g[""]) }},
	}
	text := "On 3.4.2024 we PAID eur 12,5 and USD 3k; on 31.2.2023 NOTHING."
	for _, r := range rules {
		var n int
		text, n = r.Apply(text)
		fmt.Println(r.Name, n, text)
	}
	lex := lexer("num", `\d+(?:\.\d+)?`, "id", `[a-z_]\w*`, "op", `[-+*/=<>!]=?`, "str", `"(?:[^"\\]|\\.)*"`, "ws", `\s+`)
	for _, s := range []string{`x1 = 3.14*y >= "a\"b"`, "a ? b", ""} {
		toks, err := lex(s)
		fmt.Printf("%q %v\n", toks, err)
	}
	re := regexp.MustCompile(`(\w)(\d*)`)
	fmt.Println(re.ReplaceAllString("a1 b22 c", "$2${1}_"), re.ReplaceAllLiteralString("a1", "$1"), re.NumSubexp(), re)
	fmt.Printf("%q\n", re.FindAllStringSubmatch("a1 b", -1))
	fmt.Println(string(re.ExpandString(nil, "<$1:$2:$$>", "z9", re.FindStringSubmatchIndex("z9"))))
	fmt.Println(regexp.MustCompile(`a+?`).FindString("aaa"), regexp.MustCompile(`(?s)a.b`).MatchString("a\nb"), regexp.MustCompile(`(?m)^\w+$`).FindAllString("one\ntwo words\nthree", -1))
	fmt.Printf("%q %q\n", regexp.MustCompile(`[,;]\s*`).Split("a, b;c,,d", -1), regexp.MustCompile(`x*`).Split("axbxxc", 3))
	fmt.Println(regexp.QuoteMeta("a.b*[c]"), regexp.MustCompile(`(?U)<.+>`).FindAllString("<a><b>", -1), regexp.MustCompile("é|ü").FindAllStringIndex("aéüé", 2))
	upper := regexp.MustCompile(`(^|_)([a-z])`).ReplaceAllStringFunc("snake_case_name", func(m string) string { return strings.ToUpper(strings.TrimPrefix(m, "_")) })
	fmt.Println(upper)
	for _, bad := range []string{"(", "[z-a]", `a**`, `\8`, "(?P<n>a)(?P<n>b)", "x{2,1}", "(?=a)"} {
		_, err := regexp.Compile(bad)
		fmt.Println(err)
	}
	words := regexp.MustCompile(`\p{L}+`).FindAllString("naïve Ωmega 42 日本", -1)
	slices.Sort(words)
	fmt.Printf("%q\n", words)
	defer func() { fmt.Println(recover()) }()
	regexp.MustCompile("*")
}
