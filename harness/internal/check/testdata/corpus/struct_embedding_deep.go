// Embedding chains: promotion through pointers, shadowing, method sets, interface satisfaction, JSON of embedded generics.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
)

type ID int

func (i ID) Key() string { return fmt.Sprintf("id:%d", int(i)) }
func (i *ID) Bump() *ID  { *i++; return i }

type Audit struct {
	ID
	Log []string
}

func (a *Audit) Note(format string, args ...any) { a.Log = append(a.Log, fmt.Sprintf(format, args...)) }
func (a Audit) Len() int                         { return len(a.Log) }
func (a Audit) Kind() string                     { return "audit" }

type Base struct {
	*Audit
	Name string
}

func (b Base) Kind() string { return "base/" + b.Audit.Kind() }

type Locked struct {
	sync.Mutex
	Base
}

func (l *Locked) With(f func(*Base) error) error {
	l.Lock()
	defer l.Unlock()
	return f(&l.Base)
}

type Doc struct {
	*Locked
	Body  string
	inner struct{ Base }
}

func (d *Doc) Kind() string { return "doc/" + d.Base.Kind() }

type Keyed interface{ Key() string }
type Noter interface {
	Keyed
	Note(string, ...any)
	Len() int
}
type Kinder interface{ Kind() string }

type Page[T any] struct {
	Meta
	Items []T `json:"items"`
}
type Meta struct {
	Total int    `json:"total"`
	Next  string `json:"next,omitempty"`
}

func (m Meta) Done() bool { return m.Next == "" }

type Users struct {
	Page[User]
	Source string `json:"source"`
}
type User struct {
	Person
	Role string `json:"role"`
}
type Person struct {
	First, Last string
}

func (p Person) String() string { return p.First + " " + p.Last }
func (u User) Less(o User) bool { return u.Last < o.Last }

type byLast struct{ us []User }

func (b byLast) Len() int           { return len(b.us) }
func (b byLast) Less(i, j int) bool { return b.us[i].Less(b.us[j]) }
func (b byLast) Swap(i, j int)      { b.us[i], b.us[j] = b.us[j], b.us[i] }

type tracked struct {
	sort.Interface
	swaps, cmps int
}

func (t *tracked) Swap(i, j int)      { t.swaps++; t.Interface.Swap(i, j) }
func (t *tracked) Less(i, j int) bool { t.cmps++; return t.Interface.Less(i, j) }

type X struct{ V int }
type Y struct{ V int }
type Z struct {
	X
	Y
	W int
}

func (X) Who() string { return "x" }
func (Y) Why() string { return "y" }

func main() {
	d := &Doc{Locked: &Locked{Base: Base{&Audit{ID: 7}, "n"}}, Body: "b"}
	d.Note("created %s", d.Name)
	d.Bump().Bump()
	d.Base.Audit.ID.Bump()
	fmt.Println(d.Key(), d.ID, d.Len(), d.Log, d.Kind(), d.Locked.Kind(), d.Audit.Kind())
	var n Noter = d
	n.Note("via iface")
	var k Kinder = d.Base
	fmt.Println(n.Key(), n.Len(), k.Kind(), Kinder(d.Locked).Kind())
	err := d.With(func(b *Base) error {
		b.Name = strings.ToUpper(b.Name)
		b.Note("locked %v", d.TryLock())
		return errors.New("inside")
	})
	fmt.Println(err, d.Name, d.Log[2], d.TryLock())
	copyBase := d.Base
	copyBase.Name = "copy"
	copyBase.Note("shared")
	fmt.Println(d.Name, d.Len(), copyBase.Len())
	d.inner.Audit = &Audit{}
	d.inner.Note("x")
	fmt.Println(d.inner.Len(), d.inner.Kind())
	func() {
		defer func() { fmt.Println("nil chain:", recover()) }()
		var e Doc
		fmt.Println(e.Body == "")
		fmt.Println(e.Kind())
	}()
	var us Users
	err = json.Unmarshal([]byte(`{"total":3,"items":[{"First":"Ann","Last":"Lee","role":"r"},{"first":"Bo","last":"Ash"},{"First":"Cy","Last":"Kay"}],"source":"api","next":"p2"}`), &us)
	fmt.Println(err, us.Total, us.Done(), us.Items[0], us.Items[1].First, us.Source)
	t := &tracked{Interface: byLast{us.Items}}
	sort.Sort(t)
	us.Next = ""
	b, err := json.Marshal(us)
	fmt.Println(string(b), err, us.Done(), t.swaps > 0, t.cmps > 0)
	fmt.Printf("%v %+v\n", us.Items, us.Page.Meta)
	z := Z{X{1}, Y{2}, 3}
	z.X.V += 10
	fmt.Println(z.X.V, z.Y.V, z.Who(), z.Why(), z)
	b, _ = json.Marshal(z)
	fmt.Println(string(b))
	f, g := z.Who, (*Doc).Key
	fmt.Println(f(), g(d), Base.Key(d.Base), (*ID).Bump(&d.ID) == &d.Base.Audit.ID)
	var p struct {
		Person
		*Meta
		int
	}
	p.First, p.int = "only", 5
	b, err = json.Marshal(p)
	fmt.Println(string(b), err, p.Person, p.int)
}
