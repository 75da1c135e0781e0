// Small katas in one script: bowling, FizzBuzz by rules, look-and-say, spiral, Caesar, anagrams, change making.
package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Roll = int

func score(rolls ...Roll) (total int, frames []int) {
	i := 0
	next := func(k int) (s int) {
		for _, r := range rolls[min(i, len(rolls)):min(i+k, len(rolls))] {
			s += r
		}
		return
	}
	for range 10 {
		switch {
		case next(1) == 10:
			total += next(3)
			i++
		case next(2) == 10:
			total += next(3)
			i += 2
		default:
			total += next(2)
			i += 2
		}
		frames = append(frames, total)
	}
	return
}

type rule struct {
	div  int
	word string
}

func fizz(rules ...rule) func(int) string {
	return func(n int) (s string) {
		defer func() {
			if s == "" {
				s = strconv.Itoa(n)
			}
		}()
		for _, r := range rules {
			if n%r.div == 0 {
				s += r.word
			}
		}
		return s
	}
}

func lookAndSay(s string) string {
	var sb strings.Builder
	for i := 0; i < len(s); {
		j := i
		for ; j < len(s) && s[j] == s[i]; j++ {
		}
		fmt.Fprintf(&sb, "%d%c", j-i, s[i])
		i = j
	}
	return sb.String()
}

func spiral(m [][]int) (out []int) {
	for len(m) > 0 {
		out = append(out, m[0]...)
		m = m[1:]
		if len(m) == 0 {
			return
		}
		turned := make([][]int, len(m[0]))
		for i := range turned {
			for _, row := range m {
				turned[i] = append(turned[i], row[len(row)-1-i])
			}
		}
		m = turned
	}
	return
}

func change(amount int, coins ...int) (ways int, best []int) {
	table := make([]int, amount+1)
	table[0] = 1
	least := make([][]int, amount+1)
	least[0] = []int{}
	for _, c := range coins {
		for a := c; a <= amount; a++ {
			table[a] += table[a-c]
			if prev := least[a-c]; prev != nil && (least[a] == nil || len(prev)+1 < len(least[a])) {
				least[a] = append(slices.Clone(prev), c)
			}
		}
	}
	return table[amount], least[amount]
}

func phone(digits string) (out []string) {
	keys := map[rune]string{'2': "abc", '3': "def", '7': "pqrs"}
	out = []string{""}
	for _, d := range digits {
		var next []string
		for _, prefix := range out {
			for _, c := range keys[d] {
				next = append(next, prefix+string(c))
			}
		}
		out = next
	}
	return
}

func say(n int) string {
	small := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := []string{2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}
	switch {
	case n < 0:
		return "minus " + say(-n)
	case n < 20:
		return small[n]
	case n < 100:
		s := tens[n/10]
		if n%10 > 0 {
			s += "-" + small[n%10]
		}
		return s
	}
	for _, u := range []struct {
		n    int
		name string
	}{{1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}, {1e2, "hundred"}} {
		if n >= u.n {
			s := say(n/u.n) + " " + u.name
			if rest := n % u.n; rest > 0 {
				s += " " + say(rest)
			}
			return s
		}
	}
	panic("unreachable")
}

func main() {
	perfect := slices.Repeat([]Roll{10}, 12)
	fmt.Println(score(perfect...))
	fmt.Println(score(10, 7, 3, 9, 0, 10, 0, 8, 8, 2, 0, 6, 10, 10, 10, 8, 1))
	fmt.Println(score(3, 4))
	f := fizz(rule{3, "Fizz"}, rule{5, "Buzz"}, rule{7, "Bazz"})
	for n := range 22 {
		if n%2 == 1 {
			fmt.Print(f(n), " ")
		}
	}
	fmt.Println(f(105))
	for s := "1"; len(s) < 12; s = lookAndSay(s) {
		fmt.Print(s, " ")
	}
	fmt.Println()
	fmt.Println(spiral([][]int{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), spiral([][]int{{1, 2}}), spiral(nil))
	fmt.Println(change(11, 1, 2, 5))
	fmt.Println(change(3, 2))
	fmt.Println(change(0, 1))
	fmt.Println(phone("27"), phone(""), phone("1"))
	for _, n := range []int{0, 13, 42, 100, 999, 1_000_010, -7, 2147483647} {
		fmt.Print(say(n), "; ")
	}
	fmt.Println()
}
