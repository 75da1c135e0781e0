// Unicode: categories, case mapping, normalising by hand, invalid UTF-8, utf16, caesar, palindromes, tables.
package main

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

type class uint8

const (
	letter class = 1 << iota
	upper
	digit
	space
	punct
)

var classNames = []string{"letter", "upper", "digit", "space", "punct"}

func (c class) String() string {
	var out []string
	for i, n := range classNames {
		if c&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, "+")
}

func classify(r rune) (c class) {
	for i, f := range []func(rune) bool{unicode.IsLetter, unicode.IsUpper, unicode.IsDigit, unicode.IsSpace, unicode.IsPunct} {
		if f(r) {
			c |= 1 << i
		}
	}
	return
}

type byFold []string

func (b byFold) Len() int           { return len(b) }
func (b byFold) Less(i, j int) bool { return strings.ToLower(b[i]) < strings.ToLower(b[j]) }
func (b byFold) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func reverse(s string) string {
	rs := []rune(s)
	for i, j := 0, len(rs)-1; i < j; i, j = i+1, j-1 {
		rs[i], rs[j] = rs[j], rs[i]
	}
	return string(rs)
}

func palindrome(s string) bool {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	return clean == reverse(clean)
}

func caesar(n rune) func(rune) rune {
	return func(r rune) rune {
		for _, base := range []rune{'a', 'A'} {
			if r >= base && r < base+26 {
				return base + (r-base+n+26)%26
			}
		}
		return r
	}
}

func title(s string) string {
	prev := ' '
	return strings.Map(func(r rune) rune {
		defer func() { prev = r }()
		if !unicode.IsLetter(prev) {
			return unicode.ToTitle(r)
		}
		return r
	}, s)
}

func main() {
	for _, r := range "aÉ٣ \u00a0¿世_\x7f" {
		fmt.Printf("%q %U %v %d|", r, r, classify(r), utf8.RuneLen(r))
	}
	fmt.Println()
	s := "a\xffé\xe2\x82z世"
	for i, r := range s {
		fmt.Printf("%d:%c(%x) ", i, r, r)
	}
	fmt.Println(len(s), utf8.RuneCountInString(s), utf8.ValidString(s), []rune(s)[1] == utf8.RuneError)
	fmt.Printf("%q %+q %x % X %s\n", s, s, s, s[:3], strings.ToValidUTF8(s, "?"))
	fmt.Println([]byte("é世"), string([]byte{0xe4, 0xb8, 0x96}), string(rune(0x4e16)), string([]rune{72, 105}), []rune("é"))
	r, size := utf8.DecodeLastRuneInString("x世")
	fmt.Println(string(r), size, utf8.FullRuneInString("\xe4\xb8"), utf8.AppendRune([]byte("a"), 'ß'))
	u := utf16.Encode([]rune("a😀"))
	fmt.Printf("%x %s %t\n", u, string(utf16.Decode(u)), utf16.IsSurrogate(rune(u[1])))
	fmt.Println(palindrome("A man, a plan, a canal: Panama"), palindrome("été"), palindrome("ab"), reverse("añb世"))
	enc := strings.Map(caesar(3), "Hello, World xyz")
	fmt.Println(enc, strings.Map(caesar(-3), enc), title("hello wörld-wide über"))
	words := []string{"banana", "Apple", "cherry", "apple", "Éclair", "Banana"}
	sort.Stable(byFold(words))
	fmt.Println(words, strings.EqualFold("STRASSE", "strasse"), strings.EqualFold("Σ", "ς"), strings.ToUpper("straße ǆ"), strings.ToTitle("ǆ"))
	fmt.Println(strings.Fields(" a\u2003b\u00a0c\t"), strings.TrimFunc("123abc456", unicode.IsDigit), strings.IndexFunc("abcЖ", func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }))
	fmt.Println(unicode.SimpleFold('K'), unicode.In('世', unicode.Han, unicode.Hiragana), unicode.IsControl('\n'), unicode.IsPrint('\u200b'), unicode.IsSymbol('€'))
	counts := map[rune]int{}
	for _, r := range "mississippi→→" {
		counts[r]++
	}
	keys := make([]rune, 0, len(counts))
	for r := range counts {
		keys = append(keys, r)
	}
	slices.SortFunc(keys, func(a, b rune) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return int(a - b)
	})
	for _, k := range keys {
		fmt.Printf("%c%d ", k, counts[k])
	}
	fmt.Println(string(keys))
	b := []byte("Hello")
	copy(b[1:], "EY")
	b = append(b, " wörld"...)
	fmt.Println(string(b), bytes.ToUpper(b[5:])[0], bytes.Equal(b[:1], []byte{'H'}), bytes.Runes(b)[7], bytes.TrimSuffix(b, []byte("ld")), strings.Count("cheese", "e"), strings.Count("abc", ""))
	x := "héllo"
	fmt.Println(x[1], x[1:3], x[:2] == "h\xc3", string(x[0])+string(x[4]), x > "hello", min(x, "hello"))
}
