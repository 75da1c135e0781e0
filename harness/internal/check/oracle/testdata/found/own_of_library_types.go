// Types that a script declares as types of the library, and pointers to them.
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/mail"
	"net/textproto"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

type (
	Headers  http.Header
	MimeHdr  textproto.MIMEHeader
	Addr     mail.Address
	Attrs    []slog.Attr
	Level    slog.Level
	Mode     fs.FileMode
	Month    time.Month
	Nums     sort.IntSlice
	Counter  atomic.Int64
	Group    sync.WaitGroup
	Once     sync.Once
	Funcs    template.FuncMap
	Path     fs.PathError
	Delim    json.Delim
	Raw      json.RawMessage
	HTML     template.HTML
	FlagErr  flag.ErrorHandling
	CsvErr   csv.ParseError
	Cause    context.CancelCauseFunc
	Walk     fs.WalkDirFunc
	Sum      func() hash.Hash
	Src      rand.Source
	Reader   io.Reader
	ReadSeek interface {
		Reader
		io.Seeker
	}
	Err error
)

func (h Headers) Get(k string) string { return "own:" + http.Header(h).Get(k) }
func (h Headers) Each(f func(k string, v []string)) {
	ks := make([]string, 0, len(h))
	for k := range h {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		f(k, h[k])
	}
}
func (a Addr) String() string      { m := mail.Address(a); return "<" + m.String() + ">" }
func (a *Addr) Ptr() *mail.Address { return (*mail.Address)(a) }
func (l Level) String() string     { return strings.ToLower(slog.Level(l).String()) }
func (l Level) Level() slog.Level  { return slog.Level(l) }
func (m Mode) Dir() bool           { return fs.FileMode(m).IsDir() }
func (m Month) Next() Month        { return m%12 + 1 }
func (n Nums) Less(i, j int) bool  { return n[i] > n[j] }
func (n Nums) Len() int            { return len(n) }
func (n Nums) Swap(i, j int)       { n[i], n[j] = n[j], n[i] }
func (c *Counter) Inc() int64      { return (*atomic.Int64)(c).Add(1) }
func (g *Group) Run(fs ...func()) {
	w := (*sync.WaitGroup)(g)
	for _, f := range fs {
		w.Go(f)
	}
	w.Wait()
}
func (o *Once) Do(f func()) bool {
	ran := false
	(*sync.Once)(o).Do(func() { ran = true; f() })
	return ran
}
func (p *Path) Error() string { return "own " + p.Op + " " + p.Path }
func (p *Path) Unwrap() error { return p.Err }
func (r Raw) Len() int        { return len(r) }
func (s Sum) Hex(x string) string {
	h := s()
	io.WriteString(h, x)
	return fmt.Sprintf("%x", h.Sum(nil))
}
func (c CsvErr) Error() string { return fmt.Sprint("line ", c.Line) }

type fake struct{ *strings.Reader }

func main() {
	h := Headers{}
	http.Header(h).Set("x-a", "1")
	http.Header(h).Add("X-A", "2")
	fmt.Println(h.Get("x-a"), h, len(h), http.Header(h).Values("X-a"))
	h.Each(func(k string, v []string) { fmt.Print(k, v, ";") })
	m := MimeHdr{"K": {"v"}}
	fmt.Println(textproto.MIMEHeader(m).Get("k"), m)
	a := Addr{Name: "N", Address: "a@b"}
	a.Ptr().Name = "M"
	fmt.Println(a, &a, a.Name, []Addr{a}, *a.Ptr())
	fmt.Printf("%v %+v %s %T\n", a, a, a.Ptr(), a.Ptr())
	fmt.Println(Level(slog.LevelWarn), Level(2), slog.LevelError, Attrs{slog.Int("a", 1), slog.Any("l", Level(0))})
	lg := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: Level(slog.LevelWarn), ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			a.Value = slog.TimeValue(time.Unix(0, 0).UTC())
		}
		return a
	}}))
	lg.Info("no")
	lg.Warn("yes", "lvl", Level(4), "addr", a, "hdr", h, "mode", Mode(0o644), "raw", Raw(`{"a":1}`))
	fmt.Println(Mode(fs.ModeDir|0o755).Dir(), Mode(0o755), fs.FileMode(Mode(0o755)), Month(12).Next(), time.Month(Month(12).Next()))
	n := Nums{3, 1, 2}
	sort.Sort(n)
	fmt.Println(n, sort.IntSlice(n).Len(), sort.IsSorted(n), sort.IsSorted(sort.IntSlice(n)))
	var c Counter
	var g Group
	g.Run(func() { c.Inc() }, func() { c.Inc() })
	fmt.Println((*atomic.Int64)(&c).Load(), c.Inc())
	var o Once
	fmt.Println(o.Do(func() {}), o.Do(func() {}))
	var err error = &Path{Op: "open", Path: "p", Err: fs.ErrNotExist}
	var fp *fs.PathError
	var op *Path
	fmt.Println(err, errors.Is(err, fs.ErrNotExist), errors.As(err, &fp), errors.As(err, &op), (*fs.PathError)(op))
	b, e := json.Marshal(map[string]any{"raw": Raw(`{"a":1}`), "rm": json.RawMessage(Raw(`[1]`)), "addr": a, "month": Month(3), "html": HTML("<b>"), "hdr": h, "mode": Mode(7), "lvl": Level(4)})
	fmt.Println(string(b), e, Raw(b).Len())
	fmt.Println(template.Must(template.New("").Funcs(template.FuncMap(Funcs{"own": func(h HTML) HTML { return h + "!" }, "lib": func(h HTML) template.HTML { return template.HTML(h) }})).Parse("{{own .}} {{lib .}} {{.}}\n")).Execute(os.Stdout, HTML("<i>")))
	fmt.Println(Sum(func() hash.Hash { return fnv.New32a() }).Hex("x"), Delim('{'), json.Delim(Delim('[')), FlagErr(1))
	var rs ReadSeek = fake{strings.NewReader("abc")}
	var r Reader = rs
	buf := make([]byte, 2)
	k, _ := r.Read(buf)
	rs.Seek(0, io.SeekStart)
	all, _ := io.ReadAll(rs)
	fmt.Println(k, string(all))
	var src Src = rand.NewPCG(1, 2)
	fmt.Println(rand.New(src).IntN(100))
	var er Err = CsvErr{Line: 3}
	var ce CsvErr
	fmt.Println(er, errors.As(er, &ce), ce.Line, csv.ParseError(ce).Line)
	ctx, cancel := context.WithCancelCause(context.Background())
	Cause(cancel)(er)
	fmt.Println(context.Cause(ctx), ctx.Err())
	var walk Walk = func(p string, d fs.DirEntry, err error) error { return fmt.Errorf("%s: %w", p, fs.SkipAll) }
	fmt.Println(walk("x", nil, nil), fs.WalkDirFunc(walk)("y", nil, nil))
	tw := tabwriter.NewWriter(os.Stdout, 0, 1, 1, '.', 0)
	fmt.Fprintf(tw, "%v\t%v\n", Level(0), Month(2))
	tw.Flush()
	type local time.Duration
	type pair struct {
		local
		Month
	}
	p := pair{local(time.Second), 3}
	fmt.Println(p, p.Next(), time.Duration(p.local))
	fmt.Printf("%v %+v %T %d\n", p, p, p, p)
	switch x := any(Month(3)).(type) {
	case time.Month:
		fmt.Println("time", x)
	case Month:
		fmt.Println("own", x)
	}
}
