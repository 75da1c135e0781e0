package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type (
	Rank uint8
	Suit rune
	Card struct {
		Rank
		Suit
	}
	Hand     [5]Card
	Category int
	Score    struct {
		Category
		Kickers [5]Rank
	}
)

const ranks = "23456789TJQKA"

const (
	HighCard Category = iota
	Pair
	TwoPair
	Trips
	Straight
	Flush
	FullHouse
	Quads
	StraightFlush
)

var names = map[Category]string{HighCard: "high card", Pair: "pair", TwoPair: "two pair", Trips: "three of a kind", Straight: "straight", Flush: "flush", FullHouse: "full house", Quads: "four of a kind", StraightFlush: "straight flush"}

func (c Category) String() string { return names[c] }
func (r Rank) String() string     { return ranks[r : r+1] }
func (s Suit) String() string     { return string(s) }
func (c Card) String() string     { return c.Rank.String() + c.Suit.String() }
func (h Hand) String() string {
	return strings.Trim(fmt.Sprint(h[:]), "[]")
}

type CardError struct {
	Text string
	At   int
}

func (e *CardError) Error() string { return fmt.Sprintf("bad card %q at %d", e.Text, e.At) }

var ErrDup = errors.New("duplicate card")

func ParseHand(s string) (h Hand, err error) {
	fs := strings.Fields(s)
	if len(fs) != len(h) {
		return Hand{}, fmt.Errorf("want %d cards, got %d", len(h), len(fs))
	}
	seen := map[Card]int{}
	for i, f := range fs {
		rs := []rune(f)
		if len(rs) != 2 {
			return h, &CardError{f, i}
		}
		r := strings.IndexRune(ranks, rs[0])
		if r < 0 || !strings.ContainsRune("♠♥♦♣", rs[1]) {
			return h, &CardError{f, i}
		}
		c := Card{Rank(r), Suit(rs[1])}
		if j, dup := seen[c]; dup {
			return h, fmt.Errorf("%v at %d and %d: %w", c, j, i, ErrDup)
		}
		seen[c] = i
		h[i] = c
	}
	return
}

func (h Hand) Score() (s Score) {
	var counts [13]int
	flush := true
	for _, c := range h {
		counts[c.Rank]++
		flush = flush && c.Suit == h[0].Suit
	}
	rs := make([]Rank, 5)
	for i, c := range h {
		rs[i] = c.Rank
	}
	slices.SortFunc(rs, func(a, b Rank) int { return cmp.Or(counts[b]-counts[a], int(b)-int(a)) })
	copy(s.Kickers[:], rs)
	straight := counts[rs[0]] == 1 && rs[0]-rs[4] == 4
	if slices.Equal(rs, []Rank{12, 3, 2, 1, 0}) {
		straight = true
		s.Kickers = [5]Rank{3, 2, 1, 0}
	}
	switch a, b := counts[rs[0]], counts[rs[4]]; {
	case straight && flush:
		s.Category = StraightFlush
	case a == 4:
		s.Category = Quads
	case a == 3 && b == 2:
		s.Category = FullHouse
	case flush:
		s.Category = Flush
	case straight:
		s.Category = Straight
	case a == 3:
		s.Category = Trips
	case a == 2 && counts[rs[2]] == 2:
		s.Category = TwoPair
	case a == 2:
		s.Category = Pair
	}
	return
}

func (s Score) Compare(o Score) int {
	return cmp.Or(cmp.Compare(s.Category, o.Category), slices.Compare(s.Kickers[:], o.Kickers[:]))
}

func main() {
	hands := []string{"T♠ J♠ Q♠ K♠ A♠", "2♥ 2♦ 2♣ K♣ K♦", "A♥ 2♦ 3♣ 4♣ 5♦", "9♥ 9♦ 3♣ 3♠ K♦", "9♠ 9♣ 3♥ 3♦ A♦", "7♥ 2♥ 9♥ J♥ K♥", "5♥ 5♦ 5♣ 5♠ 2♦", "2♥ 4♦ 6♣ 8♠ T♦", "X♥ 4♦ 6♣ 8♠ T♦", "4♦ 4♦ 6♣ 8♠ T♦", "4♦", "10♦ 4♥ 6♣ 8♠ T♦"}
	type entry struct {
		Hand
		Score
	}
	var es []entry
	for _, s := range hands {
		h, err := ParseHand(s)
		var ce *CardError
		if errors.As(err, &ce) {
			fmt.Println("card:", ce.At, ce.Text)
			continue
		} else if err != nil {
			fmt.Println("error:", err, errors.Is(err, ErrDup))
			continue
		}
		es = append(es, entry{h, h.Score()})
	}
	slices.SortFunc(es, func(a, b entry) int { return -a.Score.Compare(b.Score) })
	for i, e := range es {
		fmt.Printf("%d %v %-16v %v\n", i+1, e.Hand, e.Category, e.Kickers)
	}
	wins := map[Category]int{}
	for i, a := range es {
		for _, b := range es[i+1:] {
			if a.Score.Compare(b.Score) > 0 {
				wins[a.Category]++
			}
		}
	}
	fmt.Println(wins)
	fmt.Printf("%v %+v %d %s\n", es[0].Score, es[1].Score, es[0].Kickers, es[2].Hand[0])
	fmt.Printf("%v %q %x\n", Card{0, '♣'}, Rank(12), Suit('a'))
}
