package show_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry"
)

var update = flag.Bool("update", false, "write the wanted texts")

var began = time.Date(2026, 11, 23, 9, 41, 7, 0, time.UTC)

func after(ms float64) time.Time { return began.Add(time.Duration(ms * float64(time.Millisecond))) }

func at(ms float64) record.Head { return record.Head{Time: after(ms)} }

// tape is a run that is being built.
type tape struct{ *record.Run }

func newTape(script string) *tape {
	b := &record.Begin{Head: at(0), V: 1, ID: "7f3k0q2m", Script: record.String(script), Harness: "v1.2.0", Go: "go1.26.8",
		OS: "linux", Arch: "amd64", CPUs: 2}
	return &tape{&record.Run{Begin: b, Lines: []record.Line{b}}}
}

func (r *tape) call(n int, path, place, tool string, class record.Class, args string, start float64) *record.Made {
	c := &record.Call{Head: at(start), N: n, Path: path, Place: place, Tool: tool, Class: class, Args: record.Raw([]byte(args))}
	m := &record.Made{Call: c}
	r.Calls, r.Lines = append(r.Calls, m), append(r.Lines, c)
	return m
}

func (r *tape) done(m *record.Made, end float64, result string) *record.Done {
	m.Done = &record.Done{Head: at(end), N: m.Call.N, Kind: record.Answered, Result: record.Raw([]byte(result)),
		Ms: float64(after(end).Sub(m.Call.Time)) / float64(time.Millisecond), Bytes: len(result)}
	r.Lines = append(r.Lines, m.Done)
	return m.Done
}

func (r *tape) fail(m *record.Made, end float64, why string) {
	d := r.done(m, end, fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":true}`, why))
	d.Failed = true
}

func (r *tape) note(n record.Note, ms float64) {
	n.Time = after(ms)
	r.Notes, r.Lines = append(r.Notes, &n), append(r.Lines, &n)
}

func (r *tape) end(e record.End, ms float64) {
	e.Time, e.Ms, e.Calls = after(ms), ms, len(r.Calls)
	r.End, r.Lines = &e, append(r.Lines, &e)
}

const lateOrders = `UseTools("list the shop's orders by status", "get one order with all that belongs to it",
	"open a ticket", "post a message to a channel")

paid, err := shop.ListOrders(shop.ListOrdersParams{Status: "paid", Limit: 200})
if err != nil {
	panic(err)
}
fmt.Println(len(paid.Orders), "paid orders")

var wg sync.WaitGroup
slots := make(chan struct{}, 5)
for _, o := range paid.Orders {
	wg.Go(func() {
		slots <- struct{}{}
		defer func() { <-slots }()
		order, err := shop.GetOrder(shop.GetOrderParams{ID: o.ID})
		if err != nil {
			fmt.Println("left out:", err)
			return
		}
		late = append(late, order)
	})
}
wg.Wait()
for _, o := range late {
	t, err := tickets.CreateTicket(tickets.CreateTicketParams{Queue: "warehouse", Order: o.ID, Title: "waits"})
	if err != nil {
		panic(err)
	}
	fmt.Println("opened", t.Queue)
}
Return(map[string]any{"paid": 14, "late": 3})
`

// shop is a run with sequences, goroutines, a failure and effects.
func shop() *tape {
	r := newTape(lateOrders)
	r.Begin.Name, r.Begin.Subject, r.Begin.Session = "late_orders", "support", "s-41c"
	r.Begin.Inputs = record.Values{"days": record.Raw([]byte("4"))}
	phrases := `[{"phrase":"list the shop's orders by status","verdict":"resolved","by":"phrase","tool":"shop.list_orders",` +
		`"go":"shop.ListOrders","confidence":0.97,"candidates":[]},` +
		`{"phrase":"get one order with all that belongs to it","verdict":"resolved","by":"memory","tool":"shop.get_order",` +
		`"go":"shop.GetOrder","confidence":1,"candidates":[]},` +
		`{"phrase":"post a message to a channel","verdict":"not_found","confidence":0.1,` +
		`"candidates":[{"id":"chat.post_message","score":0.2},{"id":"mail.send","score":0.1}]},` +
		`{"phrase":"","verdict":"resolved","by":"added","tool":"tickets.create_ticket","confidence":1,"candidates":[]}]`
	r.Tools = &record.Tools{Head: at(2), Phrases: json.RawMessage(phrases), Tools: []record.Tool{
		{ID: "shop.list_orders", Hash: "sha256:1"}, {ID: "shop.get_order", Hash: "sha256:2"},
		{ID: "tickets.create_ticket", Hash: "sha256:3"}}}
	r.Lines = append(r.Lines, r.Tools)
	m := r.call(1, "", "4:14", "shop.list_orders", record.Read, `{"status":"paid","limit":200}`, 3)
	r.done(m, 217, `{"structuredContent":{"orders":[1,2,3]},"content":[]}`)
	r.note(record.Note{Stdout: "14 paid orders\n", Line: 8}, 219)
	took := []float64{111, 101, 132, 116, 98, 71, 95, 89, 122, 301, 148, 81, 63, 77}
	free := []float64{220, 220, 220, 220, 220} // when each of five is done
	n := 1
	for i, t := range took {
		slot := 0
		for k := range free {
			if free[k] < free[slot] {
				slot = k
			}
		}
		n++
		m := r.call(n, fmt.Sprintf("13:2#%d", i), "16:15", "shop.get_order", record.Read,
			fmt.Sprintf(`{"id":%d,"full":true}`, 10371+i), free[slot])
		free[slot] += t
		if i == 9 {
			r.fail(m, free[slot], "order 10380 is locked by an import since 09:40:55")
			r.note(record.Note{Stdout: "left out: order 10380 is locked", Line: 18}, free[slot])
			r.note(record.Note{Stdout: " by an import since 09:40:55\n", Line: 18}, free[slot])
			continue
		}
		r.done(m, free[slot], `{"structuredContent":{"id":1,"total":12.5},"content":[]}`)
	}
	start := 900.0
	for i := range 3 {
		n++
		m := r.call(n, "", "26:12", "tickets.create_ticket", record.Effect,
			fmt.Sprintf(`{"queue":"warehouse","order":%d,"title":"waits"}`, 10371+i), start)
		start += 110
		r.done(m, start, `{"structuredContent":{"key":"WH-2214","queue":"warehouse"},"content":[]}`)
		r.note(record.Note{Stdout: "opened warehouse\n", Line: 30}, start)
	}
	r.end(record.End{Status: "ok", Value: record.Raw([]byte(`{"paid":14,"late":3}`)),
		Warnings: []string{"the phrase \"post a message to a channel\" is used by nothing"}}, 1370)
	return r
}

// thousand is a run with more calls than are shown one by one.
func thousand() *tape {
	r := newTape(strings.Repeat("// a line about nothing\n", 70) + "for i := range 1000 {\n\tclock.Tick(clock.TickParams{N: i})\n}\n" +
		strings.Repeat("// a line about nothing\n", 30) + "panic(\"enough\")\n")
	for i := range 1000 {
		m := r.call(i+1, "", "72:2", "clock.tick", record.Again, fmt.Sprintf(`{"n":%d}`, i), float64(i))
		if i%300 == 299 {
			r.fail(m, float64(i)+.5, "late")
			continue
		}
		r.done(m, float64(i)+.9, `{"content":[]}`)
	}
	r.end(record.End{Status: "script_error", ExitCode: 2, Error: json.RawMessage(
		`{"kind":"panic","line":104,"column":1,"message":"panic: enough","hint":"recover it","trace":["main, line 104"]}`)}, 1100)
	return r
}

// resumed is a run of two attempts, of which nobody knows how one call ended, with
// a script of another run in it.
func resumed() *tape {
	r := newTape("v, err := RunScript(\"inner\", nil)\nmail.Send(mail.SendParams{To: \"a\"})\nbank.Pay(bank.PayParams{Sum: 3})\n")
	child := &record.Child{Head: at(5), N: 1, Path: "1:11", Name: "inner", Script: record.String("shop.Count()\n")}
	r.Children, r.Lines = append(r.Children, child), append(r.Lines, child)
	m := r.call(1, "1:11", "1:6", "shop.count", record.Read, `{}`, 10)
	d := r.done(m, 40, `{"content":[{"type":"text","text":"7"}]}`)
	d.Start, d.Suspect = 900, "the result says ok, and its text is an error"
	m = r.call(2, "", "2:6", "mail.send", record.Effect, `{"to":"a"}`, 50)
	d = r.done(m, 100, `null`)
	d.Kind, d.Result, d.Error = record.Uncertain, record.Data{}, "connection lost after 50 ms"
	m.Settle = &record.Settle{Head: at(60e3), N: 2, Happened: true, Who: "mara"}
	again := &record.Attempt{Head: at(60e3 + 100), Number: 2}
	r.Attempts, r.Lines = append(r.Attempts, again), append(r.Lines, again)
	r.call(3, "", "3:6", "bank.pay", record.Effect, `{"sum":3}`, 60e3+150)
	r.note(record.Note{Stderr: "to stderr\n"}, 60e3+160)
	r.note(record.Note{Warning: "slow"}, 60e3+250)
	return r
}

// rehearsed is a dry run.
func rehearsed() *tape {
	r := newTape("mail.Send(mail.SendParams{To: \"a\"})\n")
	r.Begin.Dry = true
	r.Calls = append(r.Calls, &record.Made{Guess: &record.Guess{Head: at(3), N: 1, Place: "1:6", Class: record.Effect,
		Tool: "mail.send", Args: record.Raw([]byte(`{"to":"a"}`)), Result: record.Raw([]byte(`{"content":[]}`)), From: "k2"}})
	r.Lines = append(r.Lines, r.Calls[0].Guess)
	r.end(record.End{Status: "ok"}, 4)
	return r
}

func text(t *testing.T, r *record.Run, status string, o *show.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := show.New(r, status).Text(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestARunIsShown(t *testing.T) {
	for _, c := range []struct {
		name   string
		run    *tape
		status string
		o      show.Options
	}{
		{"shop-80", shop(), "", show.Options{Width: 80}},
		{"shop-120", shop(), "", show.Options{Width: 120, All: true, Now: after(200e3)}},
		{"shop-ascii", shop(), "", show.Options{Width: 80, ASCII: true}},
		{"thousand", thousand(), "", show.Options{Width: 80}},
		{"resumed", resumed(), "died", show.Options{Width: 100}},
		{"running", resumed(), "running", show.Options{Width: 100, Colour: true}},
		{"dry", rehearsed(), "", show.Options{Width: 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Zone = time.UTC
			golden(t, c.name+".txt", text(t, c.run.Run, c.status, &c.o))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); d != "" {
		t.Errorf("%s (-update writes it): %s", name, d)
	}
}

var _ = errors.New
var _ = unicode.IsPrint
var _ = utf8.RuneError
var _ = registry.Invisible
