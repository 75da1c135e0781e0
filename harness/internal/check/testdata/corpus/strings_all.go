package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type Case func(string) string

func splitWords(s string) (words []string) {
	start := 0
	rs := []rune(s)
	for i := 1; i <= len(rs); i++ {
		boundary := i == len(rs) || unicode.IsUpper(rs[i]) && (unicode.IsLower(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) || strings.ContainsRune("_- ", rs[i])
		if !boundary {
			continue
		}
		if w := strings.Trim(string(rs[start:i]), "_- "); w != "" {
			words = append(words, strings.ToLower(w))
		}
		start = i
	}
	return
}

func join(sep string, f func(int, string) string) Case {
	return func(s string) string {
		ws := splitWords(s)
		for i := range ws {
			ws[i] = f(i, ws[i])
		}
		return strings.Join(ws, sep)
	}
}

func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToTitle(r)) + s[n:]
}

var cases = map[string]Case{
	"snake":  join("_", func(_ int, s string) string { return s }),
	"kebab":  join("-", func(_ int, s string) string { return s }),
	"pascal": join("", func(_ int, s string) string { return title(s) }),
	"camel": join("", func(i int, s string) string {
		if i == 0 {
			return s
		}
		return title(s)
	}),
}

func wrap(text string, width int) (lines []string) {
	line := ""
	for w := range strings.FieldsSeq(text) {
		switch n := utf8.RuneCountInString(line); {
		case n == 0:
			line = w
		case n+1+utf8.RuneCountInString(w) <= width:
			line += " " + w
		default:
			lines = append(lines, line)
			line = w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return
}

func center(s string, w int, fill rune) string {
	pad := w - utf8.RuneCountInString(s)
	if pad <= 0 {
		return s
	}
	l := pad / 2
	return strings.Repeat(string(fill), l) + s + strings.Repeat(string(fill), pad-l)
}

func isPalin(s string) bool {
	var rs []rune
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			rs = append(rs, unicode.ToLower(r))
		}
	}
	rev := slices.Clone(rs)
	slices.Reverse(rev)
	return slices.Equal(rs, rev)
}

func glob(pat, s string) bool {
	for len(pat) > 0 {
		switch pat[0] {
		case '*':
			for i := 0; i <= len(s); i++ {
				if glob(pat[1:], s[i:]) {
					return true
				}
			}
			return false
		case '?':
			if s == "" {
				return false
			}
			_, n := utf8.DecodeRuneInString(s)
			s = s[n:]
			pat = pat[1:]
			continue
		default:
			if s == "" || s[0] != pat[0] {
				return false
			}
		}
		pat, s = pat[1:], s[1:]
	}
	return s == ""
}

func main() {
	for _, s := range []string{"helloWorld", "HTTPServerID", "snake_case_name", "kebab-case", "Ünï Code"} {
		for _, n := range []string{"snake", "kebab", "pascal", "camel"} {
			fmt.Printf("%s ", cases[n](s))
		}
		fmt.Println()
	}
	for i, l := range wrap("The quick brown fox jumps över the lazy dög and runs away quickly", 16) {
		fmt.Printf("%2d|%-16s|%s|\n", i, l, center(l, 20, '·'))
	}
	fmt.Println(isPalin("A man, a plan, a canal: Panama"), isPalin("été"), isPalin("ab"))
	fmt.Println(glob("*.go", "main.go"), glob("m?in*", "main"), glob("a*b*c", "aXXbYYc"), glob("?", "é"), glob("a", ""))
	s := "a,b;c d"
	fmt.Println(strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }), strings.Count("cheese", "e"), strings.Count("abc", ""), strings.Index("chicken", "ken"), strings.ContainsAny("x", "xyz"))
	before, after, ok := strings.Cut("k=v=w", "=")
	fmt.Println(before, after, ok, strings.TrimSuffix("a.go", ".go"), strings.TrimRight("xx--", "-"), strings.Replace("oink oink oink", "k", "ky", 2), strings.ReplaceAll("aaa", "aa", "b"))
	for i, l := range slices.Collect(strings.Lines("one\ntwo\r\nthree")) {
		fmt.Printf("%d:%q ", i, l)
	}
	for p := range strings.SplitAfterSeq("a-b-c", "-") {
		fmt.Print(p, "|")
	}
	fmt.Println()
	bad := "a\xffb\xc3"
	fmt.Println(utf8.ValidString(bad), strings.ToValidUTF8(bad, "?"), len([]rune(bad)), utf8.RuneCountInString(bad))
	for i, r := range bad {
		fmt.Print(i, ":", r, " ")
	}
	fmt.Printf("%q %+q %x % X %#q\n", bad, "日本", "日", bad, "back`tick")
	var b strings.Builder
	b.Grow(10)
	b.WriteRune('é')
	b.WriteByte('!')
	fmt.Fprintf(&b, "%03d", 7)
	fmt.Println(b.String(), b.Len())
	b.Reset()
	fmt.Println(b.Len(), strings.Compare("a", "b"), "a" < "B", "Z" < "a", "" < "a")
	v, err := strconv.Unquote(`"tab\tx\u00e9"`)
	fmt.Println(v, err)
	_, err = strconv.Atoi("12a")
	fmt.Println(err, strconv.Itoa(-45), strconv.FormatFloat(1.0/3, 'g', 4, 64), strconv.FormatFloat(1e21, 'f', 0, 64), strconv.AppendInt([]byte("n="), 42, 2))
	_, err = strconv.ParseBool("maybe")
	fmt.Println(err)
	_, err = strconv.ParseFloat("1e400", 64)
	fmt.Println(err)
	_, err = strconv.Atoi("")
	fmt.Println(err)
	_, err = strconv.Atoi("99999999999999999999")
	fmt.Println(err)
	r, sz := utf8.DecodeLastRuneInString("xé")
	fmt.Println(string(r), sz, utf8.RuneLen('€'), utf8.AppendRune(nil, '€'), string(rune(65)), string([]byte{72, 105}))
	x := []string{"b", "A", "c"}
	slices.SortFunc(x, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	i, found := slices.BinarySearch([]string{"a", "c"}, "b")
	fmt.Println(x, i, found, unicode.Is(unicode.Han, '日'), unicode.IsSpace('\u00a0'), unicode.SimpleFold('k'))
}
