// Life on a torus with sets of cells, pattern parsing, oscillator detection by map keys.
package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

type Cell struct{ R, C int }

func (c Cell) Neighbours(h, w int) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for dr := -1; dr <= 1; dr++ {
			for dc := -1; dc <= 1; dc++ {
				if dr == 0 && dc == 0 {
					continue
				}
				if !yield(Cell{(c.R + dr + h) % h, (c.C + dc + w) % w}) {
					return
				}
			}
		}
	}
}

type World struct {
	H, W  int
	Alive map[Cell]struct{}
}

func Parse(s string) (w World) {
	w.Alive = make(map[Cell]struct{})
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		for c, ch := range line {
			if ch == '#' {
				w.Alive[Cell{w.H, c}] = struct{}{}
			}
		}
		w.W = max(w.W, len(line))
		w.H++
	}
	return
}

func (w World) Next() World {
	counts := map[Cell]int{}
	for c := range w.Alive {
		for n := range c.Neighbours(w.H, w.W) {
			counts[n]++
		}
	}
	next := World{w.H, w.W, map[Cell]struct{}{}}
	for c, n := range counts {
		if _, alive := w.Alive[c]; n == 3 || n == 2 && alive {
			next.Alive[c] = struct{}{}
		}
	}
	return next
}

func (w World) String() string {
	b := make([][]byte, w.H)
	for i := range b {
		b[i] = []byte(strings.Repeat(".", w.W))
	}
	for c := range w.Alive {
		b[c.R][c.C] = '#'
	}
	var sb strings.Builder
	for _, row := range b {
		sb.Write(row)
		sb.WriteByte('\n')
	}
	return sb.String()
}

func (w World) Run() iter.Seq2[int, World] {
	return func(yield func(int, World) bool) {
		for gen := 0; yield(gen, w); gen++ {
			w = w.Next()
		}
	}
}

type fate struct {
	kind   string
	start  int
	period int
}

func classify(w World, limit int) (f fate, err error) {
	seen := map[string]int{}
	for gen, now := range w.Run() {
		if len(now.Alive) == 0 {
			return fate{kind: "dies", start: gen}, nil
		}
		key := now.String()
		if at, ok := seen[key]; ok {
			f = fate{"cycle", at, gen - at}
			if f.period == 1 {
				f.kind = "still"
			}
			return
		}
		seen[key] = gen
		if gen >= limit {
			break
		}
	}
	return f, fmt.Errorf("undecided after %d", limit)
}

func main() {
	patterns := map[string]string{
		"block":   "....\n.##.\n.##.\n....",
		"blinker": ".....\n..#..\n..#..\n..#..\n.....",
		"glider":  ".#....\n..#...\n###...\n......\n......\n......",
		"single":  "...\n.#.\n...",
		"toad":    "......\n......\n..###.\n.###..\n......\n......",
		"r":       "..........\n..........\n....##....\n...##.....\n....#.....\n..........\n..........\n..........",
	}
	for _, name := range slices.Sorted(maps.Keys(patterns)) {
		f, err := classify(Parse(patterns[name]), 60)
		fmt.Printf("%-8s %+v %v\n", name, f, err)
	}
	for gen, w := range Parse(patterns["glider"]).Run() {
		if gen == 4 {
			fmt.Print(w)
			break
		}
		fmt.Println(gen, len(w.Alive))
	}
	first := func(seq iter.Seq[Cell]) (c Cell) {
		for c = range seq {
			return
		}
		return
	}
	fmt.Println(first(Cell{0, 0}.Neighbours(4, 5)), len(slices.Collect(Cell{}.Neighbours(3, 3))))
}
