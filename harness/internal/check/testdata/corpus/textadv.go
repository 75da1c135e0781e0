package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"text/tabwriter"
)

type Direction int

const (
	North Direction = iota
	East
	South
	West
)

var dirNames = []string{"north", "east", "south", "west"}

func (d Direction) String() string      { return dirNames[d] }
func (d Direction) Opposite() Direction { return (d + 2) % 4 }

type Item interface {
	Name() string
	Use(g *Game) string
}

type thing string

func (t thing) Name() string     { return string(t) }
func (t thing) Use(*Game) string { return "Nothing happens with the " + string(t) + "." }

type Lamp struct {
	thing
	lit bool
}

func (l *Lamp) Use(g *Game) string {
	l.lit = !l.lit
	g.dark = !l.lit
	return map[bool]string{true: "The lamp glows.", false: "The lamp goes out."}[l.lit]
}

type Key struct {
	thing
	opens *Room
	used  int
}

func (k *Key) Use(g *Game) string {
	if g.at.exits[North] != nil {
		return k.thing.Use(g)
	}
	k.used++
	g.at.exits[North] = k.opens
	k.opens.exits[North.Opposite()] = g.at
	return fmt.Sprintf("A door %s opens.", North)
}

type Room struct {
	name  string
	exits [4]*Room
	items map[string]Item
}

type Game struct {
	at    *Room
	bag   map[string]Item
	dark  bool
	turns int
	cmds  map[string]func(args []string) (string, bool)
}

func link(a, b *Room, d Direction) { a.exits[d], b.exits[d.Opposite()] = b, a }

func (g *Game) look() string {
	if g.dark {
		return "It is dark."
	}
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s.", g.at.name)
	for d, r := range g.at.exits {
		if r != nil {
			fmt.Fprintf(&sb, " %v:%s", Direction(d), r.name)
		}
	}
	names := []string{}
	for n := range g.at.items {
		names = append(names, n)
	}
	sort.Strings(names)
	if len(names) > 0 {
		sb.WriteString(" You see " + strings.Join(names, " and ") + ".")
	}
	return sb.String()
}

func (g *Game) setup() {
	move := func(d Direction) func([]string) (string, bool) {
		return func([]string) (string, bool) {
			next := g.at.exits[d]
			if next == nil {
				return "No way " + d.String() + ".", false
			}
			g.at = next
			return g.look(), true
		}
	}
	g.cmds = map[string]func([]string) (string, bool){
		"look": func([]string) (string, bool) { return g.look(), true },
		"take": func(a []string) (string, bool) {
			it, ok := g.at.items[a[0]]
			if !ok {
				return "No " + a[0] + " here.", false
			}
			delete(g.at.items, it.Name())
			g.bag[it.Name()] = it
			return "Taken.", true
		},
		"use": func(a []string) (string, bool) {
			if it := g.bag[a[0]]; it != nil {
				return it.Use(g), true
			}
			return "You don't have it.", false
		},
	}
	for d := North; d <= West; d++ {
		g.cmds[d.String()] = move(d)
	}
}

func (g *Game) do(line string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprintf("What? (%v)", r)
		}
		g.turns++
	}()
	f := strings.Fields(line)
	out, ok := g.cmds[f[0]](f[1:])
	if !ok {
		out = "[!] " + out
	}
	return out
}

func main() {
	hall, cellar, vault := &Room{name: "Hall"}, &Room{name: "Cellar"}, &Room{name: "Vault"}
	link(hall, cellar, South)
	lamp := &Lamp{thing: "lamp"}
	hall.items = map[string]Item{"lamp": lamp, "rock": thing("rock")}
	cellar.items = map[string]Item{"key": &Key{thing: "key", opens: vault}}
	g := &Game{at: hall, bag: map[string]Item{}}
	g.setup()
	tw := tabwriter.NewWriter(os.Stdout, 5, 0, 1, '.', 0)
	for _, c := range strings.Split("look;take lamp;take rock;use rock;south;take key;use key;north;use key;north;west;use lamp;use lamp;look;take;fly;use sword; ", ";") {
		fmt.Fprintf(tw, "%d\t> %s\t%s\n", g.turns, c, g.do(c))
	}
	tw.Flush()
	var _ Item = (*Key)(nil)
	for _, n := range []string{"lamp", "key", "rock"} {
		switch it := g.bag[n].(type) {
		case *Lamp:
			fmt.Println("lamp lit:", it.lit, it.Name())
		case *Key:
			fmt.Println("key used:", it.used, it.opens.name)
		case thing:
			fmt.Printf("thing %q %v %T\n", it, it, it)
		}
	}
}
