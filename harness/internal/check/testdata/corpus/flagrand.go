package main

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
)

type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }
func (l *listFlag) Set(s string) error {
	if s == "" {
		return fmt.Errorf("empty value")
	}
	*l = append(*l, strings.Split(s, ",")...)
	return nil
}

type Deck []Card
type Card struct {
	Rank int
	Suit rune
}

func (c Card) String() string {
	return fmt.Sprintf("%s%c", []string{"?", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"}[c.Rank], c.Suit)
}

func NewDeck() (d Deck) {
	for _, s := range "♠♥♦♣" {
		for r := 1; r <= 13; r++ {
			d = append(d, Card{r, s})
		}
	}
	return
}

func (d *Deck) Deal(n int) Deck {
	h := (*d)[:n:n]
	*d = (*d)[n:]
	return h
}

type lcg uint64

func (l *lcg) Uint64() uint64 {
	*l = *l*6364136223846793005 + 1442695040888963407
	return uint64(*l) ^ uint64(*l)>>33
}

func rank(h Deck) string {
	counts := map[int]int{}
	suits := map[rune]int{}
	for _, c := range h {
		counts[c.Rank]++
		suits[c.Suit]++
	}
	shape := make([]int, 0, 5)
	for _, n := range counts {
		shape = append(shape, n)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(shape)))
	switch {
	case len(suits) == 1:
		return "flush"
	case slices.Equal(shape, []int{4, 1}):
		return "four"
	case slices.Equal(shape, []int{3, 2}):
		return "full house"
	case shape[0] == 3:
		return "three"
	case len(shape) == 3:
		return "two pair"
	case shape[0] == 2:
		return "pair"
	}
	return "high " + slices.MaxFunc(h, func(a, b Card) int { return a.Rank - b.Rank }).String()
}

func main() {
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	var sb strings.Builder
	fs.SetOutput(&sb)
	var tags listFlag
	n := fs.Int("n", 3, "number of `items`")
	v := fs.Bool("v", false, "verbose")
	name := fs.String("name", "def", "a name")
	fs.Var(&tags, "tag", "tags")
	fmt.Println(fs.Parse([]string{"-n=7", "--v", "-tag", "a,b", "-tag=c", "rest", "-x"}), *n, *v, *name, tags, fs.Args(), fs.NArg())
	fmt.Println(fs.Parse([]string{"-bogus"}))
	fmt.Println(fs.Parse([]string{"-n", "abc"}))
	fmt.Println(fs.Parse([]string{"-tag", ""}))
	fmt.Println(strings.Count(sb.String(), "Usage"), strings.Contains(sb.String(), "items"))
	r := rand.New(rand.NewSource(42))
	fmt.Println(r.Intn(100), r.Intn(100), r.Perm(5), r.Float64())
	p := randv2.New(randv2.NewPCG(1, 2))
	fmt.Println(p.IntN(1000), p.Uint32(), p.Perm(4))
	var seed lcg = 7
	q := randv2.New(&seed)
	d := NewDeck()
	q.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
	for range 4 {
		h := d.Deal(5)
		fmt.Println(h, rank(h))
	}
	fmt.Println(len(d), rank(Deck{{1, 'x'}, {1, 'y'}, {1, 'z'}, {2, 'x'}, {2, 'y'}}))
	sum := sha256.Sum256([]byte("hello"))
	fmt.Printf("%x\n%x\n", sum[:4], md5.Sum([]byte("a")))
	h := sha1.New()
	fmt.Fprintf(h, "part%d", 1)
	fmt.Println(hex.EncodeToString(h.Sum(nil)))
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte("msg"))
	got := mac.Sum(nil)
	fmt.Println(hmac.Equal(got, got), base32.StdEncoding.EncodeToString(got[:5]))
	fmt.Println(utf16.Encode([]rune("a😀")), string(utf16.Decode([]uint16{0xd83d, 0xde00})))
}
