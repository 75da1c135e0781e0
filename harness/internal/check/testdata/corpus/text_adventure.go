// A text adventure: rooms as map of structs with func fields, commands by verb table, inventory sets, save as JSON.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Dir byte

const (
	North Dir = 'n'
	South Dir = 's'
	East  Dir = 'e'
	West  Dir = 'w'
)

func (d Dir) Opposite() Dir {
	return map[Dir]Dir{North: South, South: North, East: West, West: East}[d]
}
func (d Dir) String() string {
	return map[Dir]string{North: "north", South: "south", East: "east", West: "west"}[d]
}
func (d Dir) MarshalText() ([]byte, error) { return []byte(d.String()), nil }
func (d *Dir) UnmarshalText(b []byte) error {
	switch string(b) {
	case "north", "south", "east", "west":
		*d = Dir(b[0])
		return nil
	}
	return fmt.Errorf("no direction %q", b)
}

type Set map[string]struct{}

func (s Set) MarshalJSON() ([]byte, error) { return json.Marshal(slices.Sorted(maps.Keys(s))) }
func (s *Set) UnmarshalJSON(b []byte) error {
	var l []string
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	*s = Set{}
	for _, x := range l {
		(*s)[x] = struct{}{}
	}
	return nil
}

type Room struct {
	Name  string
	Exits map[Dir]string `json:",omitempty"`
	Items Set
	Enter func(*Game) error `json:"-"`
}

type Game struct {
	At    string
	Bag   Set
	Rooms map[string]*Room
	Turns int
	out   *strings.Builder
}

var (
	errEnd  = errors.New("the end")
	errDark = errors.New("too dark")
)

type verb func(g *Game, arg string) error

func (g *Game) say(f string, a ...any) { fmt.Fprintf(g.out, f+". ", a...) }
func (g *Game) room() *Room            { return g.Rooms[g.At] }

func move(from, to Set, what string) error {
	if _, ok := from[what]; !ok {
		return fmt.Errorf("no %s here", what)
	}
	delete(from, what)
	to[what] = struct{}{}
	return nil
}

func (g *Game) goTo(arg string) (err error) {
	var d Dir
	if err := d.UnmarshalText([]byte(arg)); err != nil {
		return err
	}
	next, ok := g.room().Exits[d]
	if !ok {
		return fmt.Errorf("you cannot go %v", d)
	}
	prev := g.At
	defer func() {
		if err != nil && !errors.Is(err, errEnd) {
			g.At = prev
		}
	}()
	g.At = next
	if enter := g.room().Enter; enter != nil {
		if err = enter(g); err != nil {
			return
		}
	}
	g.say("You are in the %s", g.room().Name)
	return
}

var verbs = map[string]verb{
	"go":   (*Game).goTo,
	"take": func(g *Game, x string) error { return move(g.room().Items, g.Bag, x) },
	"drop": func(g *Game, x string) error { return move(g.Bag, g.room().Items, x) },
	"look": func(g *Game, _ string) error {
		r := g.room()
		g.say("%s: items %v, exits %v", r.Name, slices.Sorted(maps.Keys(r.Items)), slices.Sorted(maps.Keys(r.Exits)))
		return nil
	},
}

func (g *Game) Play(script string) (reply string, err error) {
	var sb strings.Builder
	g.out = &sb
	defer func() { reply = strings.TrimSpace(sb.String()) }()
	for cmd := range strings.SplitSeq(script, ";") {
		name, arg, _ := strings.Cut(strings.TrimSpace(cmd), " ")
		v, ok := verbs[name]
		if !ok {
			return "", fmt.Errorf("what is %q?", name)
		}
		g.Turns++
		if err = v(g, arg); errors.Is(err, errEnd) {
			return
		} else if err != nil {
			g.say("(%v)", err)
			err = nil
		}
	}
	return
}

func (g *Game) Link(a string, d Dir, b string) {
	for _, l := range []struct {
		from string
		d    Dir
		to   string
	}{{a, d, b}, {b, d.Opposite(), a}} {
		r := g.Rooms[l.from]
		if r.Exits == nil {
			r.Exits = map[Dir]string{}
		}
		r.Exits[l.d] = l.to
	}
}

func main() {
	g := &Game{At: "hall", Bag: Set{}, Rooms: map[string]*Room{
		"hall":   {Name: "hall", Items: Set{"lamp": {}, "rug": {}}},
		"cellar": {Name: "cellar", Items: Set{}},
		"vault":  {Name: "vault", Items: Set{"gold": {}}},
	}}
	g.Link("hall", South, "cellar")
	g.Link("cellar", East, "vault")
	g.Rooms["cellar"].Enter = func(g *Game) error {
		if _, ok := g.Bag["lamp"]; !ok {
			return errDark
		}
		return nil
	}
	g.Rooms["hall"].Enter = func(g *Game) error {
		if _, rich := g.Bag["gold"]; rich {
			return fmt.Errorf("you escape after %d turns: %w", g.Turns, errEnd)
		}
		return nil
	}
	fmt.Println(g.Play("look; go south; go up; take sword; take lamp; go south; go east; look"))
	save, err := json.Marshal(g)
	fmt.Println(string(save), err)
	var g2 Game
	fmt.Println(json.Unmarshal(save, &g2), g2.At, g2.Bag, g2.Rooms["cellar"].Exits, g2.Rooms["hall"].Enter == nil)
	fmt.Println(g2.Play("take gold; go west; go north; look"))
	fmt.Println(g.Play("take gold; dance"))
	fmt.Println(g.Play("go west; go north; look"))
	fmt.Println(json.Unmarshal([]byte(`{"Rooms":{"x":{"Exits":{"up":"y"}}}}`), &g2))
}
