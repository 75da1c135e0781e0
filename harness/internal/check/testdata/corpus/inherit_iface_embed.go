package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

type Animal interface {
	Name() string
	Sound() string
}
type Walker interface{ Walk() string }
type Pet interface {
	Animal
	Walker
	Owner() *Person
}
type Person struct {
	Name_ string
	pets  []Pet
}

func (p *Person) String() string { return p.Name_ + fmt.Sprint(len(p.pets)) }

type base struct{ name string }

func (b base) Name() string     { return b.name }
func (b *base) Rename(n string) { b.name = n }
func (base) Sound() string      { return "..." }

type Dog struct {
	base
	*Person
	tricks []string
}

func (d Dog) Sound() string            { return "Woof" }
func (d Dog) Walk() string             { return d.name + " walks with " + d.Person.Name_ }
func (d Dog) Owner() *Person           { return d.Person }
func (d Dog) Name() string             { return "Dog " + d.base.Name() }
func (d *Dog) Learn(ts ...string) *Dog { d.tricks = append(d.tricks, ts...); return d }

type Puppy struct {
	Dog
	age int
}

func (p Puppy) Sound() string { return strings.ToLower(p.Dog.Sound()) + "!" }

type Loud struct{ Animal }

func (l Loud) Sound() string { return strings.ToUpper(l.Animal.Sound()) }

type Spy struct {
	Pet
	calls map[string]int
}

func (s Spy) Walk() string { s.calls["walk"]++; return s.Pet.Walk() }
func (s Spy) Name() string { s.calls["name"]++; return s.Pet.Name() }

type Zoo map[string]Animal

func (z Zoo) Sorted() []Animal {
	var as []Animal
	for _, a := range z {
		as = append(as, a)
	}
	sort.Slice(as, func(i, j int) bool {
		return as[i].Name()+fmt.Sprintf("%T", as[i]) < as[j].Name()+fmt.Sprintf("%T", as[j])
	})
	return as
}

type ReadCounter struct {
	io.Reader
	n int64
}

func (r *ReadCounter) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	r.n += int64(n)
	return
}

type A struct{ x int }
type B struct {
	A
	y int
}
type C struct {
	*B
	x string
}

func (a A) Get() int   { return a.x }
func (a *A) Set(v int) { a.x = v }

type Setter interface{ Set(int) }
type GetSetter interface {
	Setter
	Get() int
}

type Option func(*Server) error
type Server struct {
	host string
	port int
	log  io.Writer
	mw   []func(string) string
}

func WithPort(p int) Option {
	return func(s *Server) error {
		if p <= 0 {
			return fmt.Errorf("bad port %d", p)
		}
		s.port = p
		return nil
	}
}
func WithLog(w io.Writer) Option { return func(s *Server) error { s.log = w; return nil } }
func NewServer(host string, opts ...Option) (*Server, error) {
	s := &Server{host: host, port: 80, log: io.Discard}
	for i, o := range opts {
		if err := o(s); err != nil {
			return nil, fmt.Errorf("option %d: %w", i, err)
		}
	}
	fmt.Fprintf(s.log, "server %s:%d\n", s.host, s.port)
	return s, nil
}
func (s *Server) Use(f ...func(string) string) *Server { s.mw = append(s.mw, f...); return s }
func (s Server) Handle(in string) string {
	for _, m := range s.mw {
		in = m(in)
	}
	return in
}

func describe(a Animal) string {
	s := a.Name() + " says " + a.Sound()
	if w, ok := a.(Walker); ok {
		s += "; " + w.Walk()
	}
	if p, ok := a.(interface{ Owner() *Person }); ok && p.Owner() != nil {
		s += fmt.Sprintf("; owned by %v", p.Owner())
	}
	return s
}

func main() {
	ann := &Person{Name_: "Ann"}
	rex := Dog{base{"Rex"}, ann, nil}
	rex.Learn("sit").Learn("roll", "beg")
	pup := Puppy{rex, 1}
	pup.Rename("Bit")
	pup.tricks = append(pup.tricks, "nap")
	ann.pets = append(ann.pets, rex, pup)
	spy := Spy{rex, map[string]int{}}
	zoo := Zoo{"a": rex, "b": pup, "c": Loud{pup}, "d": base{"Blob"}, "e": spy, "f": &rex}
	for _, a := range zoo.Sorted() {
		fmt.Printf("%T: %s\n", a, describe(a))
	}
	fmt.Println(spy.calls["walk"], spy.calls["name"] > 0, rex.tricks, pup.Dog.base.name, ann)
	var p Pet = spy
	_, isDog := p.(Dog)
	_, isSpy := p.(Spy)
	fmt.Println(isDog, isSpy, p.(Spy).Pet.(Dog).tricks[1])
	rc := &ReadCounter{Reader: strings.NewReader("some data here")}
	io.Copy(io.Discard, rc)
	fmt.Println(rc.n)
	c := C{&B{A{1}, 2}, "str"}
	d := c
	c.Set(10)
	d.B.Set(d.Get() + 1)
	fmt.Println(c.Get(), c.x, c.A.x, c.y, d.B.A.x)
	var gs GetSetter = c
	gs.Set(5)
	fmt.Println(gs.Get(), c.Get(), gs.(C).x)
	s, err := NewServer("h", WithLog(&strings.Builder{}), WithPort(-1))
	fmt.Println(s == nil, err)
	var sb strings.Builder
	s, err = NewServer("h", WithPort(8080), WithLog(&sb))
	s.Use(strings.TrimSpace, strings.ToUpper).Use(func(x string) string { return x + s.host })
	fmt.Printf("%q %v %q\n", s.Handle(" hi "), err, sb.String())
	fmt.Printf("%v %+v\n", base{"z"}, A{3})
	defer func() { fmt.Println("r", recover()) }()
	var l Loud
	fmt.Println(l.Sound())
}
