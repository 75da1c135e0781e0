package main

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"unicode"
)

type ngram [2]string
type counter[K comparable] map[K]int

func (c counter[K]) inc(k K) { c[k]++ }
func (c counter[K]) total() (n int) {
	for _, v := range c {
		n += v
	}
	return n
}
func (c counter[K]) most(n int, less func(a, b K) int) []struct {
	Key K
	N   int
} {
	type kv = struct {
		Key K
		N   int
	}
	out := make([]kv, 0, len(c))
	for k, v := range c {
		out = append(out, kv{k, v})
	}
	slices.SortFunc(out, func(a, b kv) int {
		if d := b.N - a.N; d != 0 {
			return d
		}
		return less(a.Key, b.Key)
	})
	return out[:min(n, len(out))]
}

type chain struct {
	next  map[ngram]counter[string]
	start []ngram
	rng   *rand.Rand
}

func tokenize(s string) (out []string) {
	var cur []rune
	emit := func() {
		if len(cur) > 0 {
			out = append(out, string(cur))
			cur = cur[:0]
		}
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), r == '\'' && i > 0:
			cur = append(cur, unicode.ToLower(r))
		case r == '.', r == '!', r == '?':
			emit()
			out = append(out, string(r))
		default:
			emit()
		}
	}
	emit()
	return
}
func (c *chain) train(toks []string) {
	if c.next == nil {
		c.next = make(map[ngram]counter[string])
	}
	prev := "."
	for i := 0; i+2 < len(toks); i++ {
		k := ngram{toks[i], toks[i+1]}
		if prev == "." {
			c.start = append(c.start, k)
		}
		if c.next[k] == nil {
			c.next[k] = counter[string]{}
		}
		c.next[k].inc(toks[i+2])
		prev = toks[i]
	}
}
func (c *chain) pick(k ngram) (string, bool) {
	opts, ok := c.next[k]
	if !ok {
		return "", false
	}
	keys := make([]string, 0, len(opts))
	for w := range opts {
		keys = append(keys, w)
	}
	sort.Strings(keys)
	n := c.rng.Intn(opts.total())
	for _, w := range keys {
		if n -= opts[w]; n < 0 {
			return w, true
		}
	}
	panic("unreachable")
}
func (c *chain) sentence(max int) string {
	k := c.start[c.rng.Intn(len(c.start))]
	words := k[:]
	for len(words) < max {
		w, ok := c.pick(k)
		if !ok || w == "." {
			break
		}
		words = append(words, w)
		k = ngram{k[1], w}
	}
	s := strings.Join(words, " ")
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

const corpus = `The cat sat on the mat. The dog sat on the log. The cat saw the dog and the dog saw the cat!
Don't let the cat sit on the dog. The mat was red. Was the log red? The log was not red.`

func main() {
	toks := tokenize(corpus)
	uni, bi, lens := counter[string]{}, counter[ngram]{}, counter[int]{}
	for i, t := range toks {
		uni.inc(t)
		lens.inc(len(t))
		if i > 0 {
			bi.inc(ngram{toks[i-1], t})
		}
	}
	fmt.Println(len(toks), len(uni), uni.total())
	fmt.Println(uni.most(4, strings.Compare))
	for _, b := range bi.most(3, func(a, b ngram) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Printf("%-8s %-6s %2d %.3f\n", b.Key[0], b.Key[1], b.N, float64(b.N)/float64(uni[b.Key[0]]))
	}
	fmt.Printf("%v %T\n", lens.most(9, cmp.Compare[int]), lens)
	c := chain{rng: rand.New(rand.NewSource(3))}
	c.train(toks)
	for range 4 {
		fmt.Println(c.sentence(12))
	}
	k := ngram{"the", "cat"}
	fmt.Println(c.next[k], len(c.start), k, ngram{"a"} == ngram{"a", ""})
	cp := k
	cp[1] = "dog"
	fmt.Printf("%v %q %v\n", k, cp, c.next[cp])
	letters := [26]int{}
	for _, r := range strings.ToLower(corpus) {
		if i := r - 'a'; i >= 0 && int(i) < len(letters) {
			letters[i]++
		}
	}
	best := 0
	for i := range letters {
		if letters[i] > letters[best] {
			best = i
		}
	}
	fmt.Printf("%c %d %v\n", 'a'+best, letters[best], letters[:5])
	swap := strings.NewReplacer("cat", "dog", "dog", "cat")
	fmt.Println(swap.Replace(corpus[:44]), strings.Count(corpus, "the"), strings.Title("war and peace"))
}
