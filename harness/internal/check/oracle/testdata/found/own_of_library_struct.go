// Types of a script that are declared as a struct of the library with fields that are not exported.
package main

import (
	"bytes"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"sort"
	"strings"
	"sync"
	"text/template"
	"time"
)

type (
	Date  time.Time
	Big   big.Int
	Queue list.List
	Buf   bytes.Buffer
	Addr  netip.Addr
	Lock  sync.Mutex
	Rat   big.Rat
	Day   struct {
		Date
		N int
	}
	Days []Date
	Raw  time.Time
	Same Date
)

const layout = "2006-01-02"

func (d Date) MarshalJSON() ([]byte, error) { return json.Marshal(time.Time(d).Format(layout)) }
func (d *Date) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	t, err := time.Parse(layout, s)
	*d = Date(t)
	return err
}
func (d Date) String() string     { return time.Time(d).Format("02.01.06") }
func (d Date) Before(o Date) bool { return time.Time(d).Before(time.Time(o)) }
func (d Date) Add(n int) Date     { return Date(time.Time(d).AddDate(0, 0, n)) }
func (b *Big) Twice() *Big        { return (*Big)(new(big.Int).Add((*big.Int)(b), (*big.Int)(b))) }
func (b *Big) String() string     { return "#" + (*big.Int)(b).String() }
func (q *Queue) Push(xs ...any) {
	for _, x := range xs {
		(*list.List)(q).PushBack(x)
	}
}
func (q *Queue) All() (out []any) {
	for e := (*list.List)(q).Front(); e != nil; e = e.Next() {
		out = append(out, e.Value)
	}
	return out
}
func (b *Buf) Write(p []byte) (int, error) { return (*bytes.Buffer)(b).Write(bytes.ToUpper(p)) }
func (a Addr) Next() Addr                  { return Addr(netip.Addr(a).Next()) }
func (l *Lock) With(f func())              { (*sync.Mutex)(l).Lock(); defer (*sync.Mutex)(l).Unlock(); f() }

func (d Days) Len() int           { return len(d) }
func (d Days) Less(i, j int) bool { return d[i].Before(d[j]) }
func (d Days) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }

func kind(x any) string {
	switch x.(type) {
	case time.Time:
		return "time"
	case Date:
		return "date"
	case Raw:
		return "raw"
	case *Big:
		return "big"
	}
	return fmt.Sprintf("%T", x)
}

func main() {
	t := time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)
	d := Date(t)
	fmt.Println(d, &d, []Date{d}, map[Date]int{d: 1}, struct{ D Date }{d}, Day{d, 2})
	fmt.Printf("%v %+v %s %T %q\n", d, Day{d.Add(1), 1}, d, d, d)
	fmt.Println(d == Date(t), d == d.Add(2), d.Before(d.Add(1)), any(d) == any(Date(t)), any(d) == any(t), d == Date{}, time.Time(Date{}).IsZero())
	var days Days
	b, err := json.Marshal(map[string]any{"d": d, "p": &d, "l": Days{d, d.Add(1)}, "in": Day{d, 1}, "raw": Raw(t), "big": (*big.Int)((*Big)(big.NewInt(5)).Twice())})
	fmt.Println(string(b), err)
	fmt.Println(json.Unmarshal([]byte(`["2024-03-02","2024-01-01"]`), &days), days)
	sort.Sort(days)
	fmt.Println(days, json.Unmarshal([]byte(`["x"]`), &days))
	var in struct{ On *Date }
	fmt.Println(json.Unmarshal([]byte(`{"On":"2020-05-06"}`), &in), in.On)
	fmt.Println((*Big)(big.NewInt(21)).Twice(), kind(d), kind(t), kind(Raw(t)), kind(new(Big)), kind(Same(d)))
	var q Queue
	q.Push(1, d, "x")
	fmt.Println(q.All(), (*list.List)(&q).Len())
	var buf Buf
	fmt.Fprintf(&buf, "a%d %v", 1, d)
	fmt.Println((*bytes.Buffer)(&buf).String())
	a := Addr(netip.MustParseAddr("10.0.0.1"))
	m := map[Addr]string{a.Next(): "next"}
	fmt.Println(m[Addr(netip.MustParseAddr("10.0.0.2"))], netip.Addr(a), a == a.Next())
	var l Lock
	n := 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { l.With(func() { n++ }) })
	}
	wg.Wait()
	fmt.Println(n)
	fmt.Println(Raw{}, Raw(time.Unix(5, 6).UTC()), []Raw{{}}, &Raw{})
	fmt.Printf("%v %+v %d\n", Raw{}, Raw(time.Unix(5, 6).UTC()), Raw(time.Unix(1, 0).UTC()))
	fmt.Println(Rat(*big.NewRat(1, 2)), Addr(netip.MustParseAddr("1.2.3.4")) == Addr{}, *new(Big), big.Int(Big{}))
	fmt.Println(reflect.TypeOf(d), reflect.TypeOf(d).Kind(), reflect.TypeOf(d).NumField(), reflect.TypeOf(Raw{}).Field(0).Name, reflect.DeepEqual(d, Date(t)), reflect.ValueOf(Raw{}).Field(1).Int())
	template.Must(template.New("").Parse("{{.D}} {{.D.Add 3}} {{.N}}\n")).Execute(&buf, map[string]any{"D": d, "N": 1})
	fmt.Print(strings.TrimPrefix((*bytes.Buffer)(&buf).String(), "A1"))
	e := fmt.Errorf("on %v: %w", d, errors.ErrUnsupported)
	fmt.Println(e)
	ch := make(chan Date, 1)
	ch <- d
	p := &d
	*p = p.Add(366)
	fmt.Println(<-ch, d, *p)
	var x any = d
	if s, ok := x.(fmt.Stringer); ok {
		fmt.Println(s)
	}
	_, isTime := x.(time.Time)
	_, isYear := x.(interface{ Year() int })
	fmt.Println(isTime, isYear)
	f := Date.Before
	fmt.Println(f(d, d.Add(1)), func(ds ...Date) int { return len(ds) }(d, d))
}
