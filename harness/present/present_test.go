package present_test

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

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
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
	c := &record.Call{Head: at(start), N: n, Path: path, Place: place, Tool: tool, Class: class,
		Args: record.Raw([]byte(args))}
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
	phrases := `[{"phrase":"list the shop's orders by status","verdict":"resolved","by":"phrase",` +
		`"tool":"shop.list_orders","go":"shop.ListOrders","confidence":0.97,"candidates":[]},` +
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
	r := newTape(strings.Repeat("// a line about nothing\n", 70) +
		"for i := range 1000 {\n\tclock.Tick(clock.TickParams{N: i})\n}\n" +
		strings.Repeat("// a line about nothing\n", 30) + "panic(\"enough\")\n")
	for i := range 1000 {
		m := r.call(i+1, "", "72:2", "clock.tick", record.Idempotent, fmt.Sprintf(`{"n":%d}`, i), float64(i))
		if i%300 == 299 {
			r.fail(m, float64(i)+.5, "late")
			continue
		}
		r.done(m, float64(i)+.9, `{"content":[]}`)
	}
	r.end(record.End{Status: "script_error", ExitCode: 2, Error: json.RawMessage(
		`{"kind":"panic","line":104,"column":1,"message":"panic: enough","hint":"recover it",` +
			`"trace":["main, line 104"]}`)}, 1100)
	return r
}

// lanes is a run of a few goroutines that make many calls.
func lanes() *tape {
	r := newTape("for range 3 {\n\twg.Go(func() { x.Y() })\n}\n")
	for i := range 24 {
		start := float64(i/3*100 + i%3*20)
		m := r.call(i+1, fmt.Sprintf("2:2#%d", i%3), "2:17", "x.y", record.Read,
			fmt.Sprintf(`{"a":{"b":[1,%d]}}`, i), start)
		r.done(m, start+80+float64(i), `{"content":[]}`)
	}
	r.note(record.Note{Stdout: strings.Repeat("x", 100) + "\n", Line: 2}, 700)
	for i := range 12 {
		r.note(record.Note{Stdout: fmt.Sprintln("line", i), Line: 3}, 701+float64(i))
	}
	r.end(record.End{Status: "timeout",
		Error: json.RawMessage(`{"kind":"limit","message":"it took longer than 800 ms"}`)}, 800)
	return r
}

// resumed is a run of two attempts, of which nobody knows how one call ended, with
// a script of another run in it.
func resumed(running bool) *tape {
	r := newTape("v, err := RunScript(\"inner\", nil)\nmail.Send(mail.SendParams{To: \"a\"})\n" +
		"bank.Pay(bank.PayParams{Sum: 3})\n")
	child := &record.Child{Head: at(5), N: 1, Path: "1:11", Name: "inner", Script: record.String("shop.Count()\n")}
	r.Children, r.Lines = append(r.Children, child), append(r.Lines, child)
	m := r.call(1, "1:11", "1:6", "shop.count", record.Read, `{}`, 10)
	d := r.done(m, 40, `{"content":[{"type":"text","text":"7"}]}`)
	d.Start, d.Suspect = 900, "the result says ok, and its text is an error"
	m = r.call(2, "", "2:6", "mail.send", record.Effect, `{"to":"a"}`, 50)
	d = r.done(m, 100, `null`)
	d.Kind, d.Result, d.Error = record.Uncertain, record.Data{}, "connection lost after 50 ms"
	m.Settle = &record.Settle{Head: at(50e3), N: 2, Happened: true, Who: "mara"}
	r.Lines = append(r.Lines, m.Settle)
	r.Running = running
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

func text(t *testing.T, r *record.Run, o *present.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := present.New(r).Text(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestARunIsShown(t *testing.T) {
	for _, c := range []struct {
		name string
		run  *tape
		o    present.Options
	}{
		{"shop-80", shop(), present.Options{Width: 80}},
		{"shop-120", shop(), present.Options{Width: 120, All: true, Now: after(200e3)}},
		{"shop-ascii", shop(), present.Options{Width: 80, ASCII: true}},
		{"lanes", lanes(), present.Options{Width: 80}},
		{"thousand", thousand(), present.Options{Width: 80}},
		{"resumed", resumed(false), present.Options{Width: 100}},
		{"running", resumed(true), present.Options{Width: 100, Colour: true}},
		{"dry", rehearsed(), present.Options{Width: 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Zone = time.UTC
			golden(t, c.name+".txt", text(t, c.run.Run, &c.o))
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

// evil has what a terminal obeys, what changes the direction of text, what does not
// show, and ends of lines.
const evil = "a\x1b[2J\x1b]0;t\a\u009b31m\u202ebidi\u2066\u200bz\U000e0041tag\r\nnext\ttab\x00\x7f\u2028end"

// everywhere is a run with evil in every text of its record.
func everywhere() *tape {
	r := newTape(evil + "\n" + evil)
	q, _ := json.Marshal(evil)
	object := record.Raw([]byte(fmt.Sprintf(`{%s:%s,"n":[%s]}`, q, q, q)))
	b := r.Begin
	for _, f := range []*string{&b.ID, &b.Name, &b.Session, &b.Subject, &b.Harness, &b.Go, &b.OS, &b.Arch, &b.Host} {
		*f = evil
	}
	b.Inputs = record.Values{evil: object}
	r.Tools = &record.Tools{Head: at(1), Phrases: json.RawMessage(fmt.Sprintf(`[{"phrase":%s,"verdict":%s,"by":%s},`+
		`{"phrase":%s,"verdict":"x","by":%s,"tool":%s},{"verdict":%s,"candidates":[{"id":%s}]}]`, q, q, q, q, q, q, q, q))}
	r.Lines = append(r.Lines, r.Tools)
	for n, place := range []string{"1:1", "1:1", "99:1", evil, "2:2"} {
		m := r.call(n+1, evil, place, evil, record.Class(evil), string(object.JSON), float64(n))
		d := r.done(m, float64(n)+2, string(object.JSON))
		d.Error, d.Suspect, d.Kind, d.Start = evil, evil, record.Kind(evil), 3
		m.Settle = &record.Settle{Head: at(9), N: n + 1, Who: evil, Result: object}
	}
	r.fail(r.call(7, "", "1:1", "x", record.Read, `no JSON `+evil, 8), 9, evil)
	guess := &record.Guess{Head: at(10), N: 8, Place: evil, Class: record.Class(evil), Tool: evil, Args: object,
		Result: object, From: evil}
	child := &record.Child{Head: at(11), N: 1, Path: evil, Name: evil, Script: record.String(evil), Inputs: b.Inputs}
	ask := &record.Ask{Head: at(11.5), A: evil, Tool: evil, Args: object}
	r.Calls, r.Children = append(r.Calls, &record.Made{Guess: guess}), append(r.Children, child)
	r.Lines = append(r.Lines, guess, child, ask)
	r.note(record.Note{Stdout: evil, Stderr: evil, Warning: evil, Line: 1, Path: evil}, 12)
	r.note(record.Note{Stdout: evil, Stderr: evil}, 13)
	r.Damaged, r.Later, r.Torn = errors.New(evil), errors.New(evil), 3
	failed := fmt.Sprintf(`{"kind":%s,"file":%s,"line":1,"message":%s,"hint":%s,"trace":[%s]}`, q, q, q, q, q)
	r.end(record.End{Status: evil, Value: object, Warnings: []string{evil}, Truncated: true,
		Error: json.RawMessage(failed)}, 14)
	return r
}

// tapes are all kinds of runs.
func tapes() map[string]*tape {
	return map[string]*tape{"shop": shop(), "thousand": thousand(), "lanes": lanes(), "resumed": resumed(true),
		"dry": rehearsed(), "evil": everywhere()}
}

func TestNothingInARecordReachesTheTerminal(t *testing.T) {
	for _, o := range []present.Options{{}, {All: true}, {ASCII: true, Width: 200}, {Colour: true, Now: after(1e6)}} {
		var b bytes.Buffer
		v, other := present.New(everywhere().Run), present.New(shop().Run)
		for _, err := range []error{v.Text(&b, &o), v.Follow(&b, 0, &o), present.Compare(v, other).Document(false).Terminal(&b, &o),
			present.Compare(other, v).Document(false).Terminal(&b, &o)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		got := b.String()
		if o.Colour {
			for _, code := range []string{"0", "1", "2", "31", "32", "33", "36"} {
				got = strings.ReplaceAll(got, "\x1b["+code+"m", "")
			}
		}
		if !utf8.ValidString(got) {
			t.Error("not UTF-8")
		}
		for i, r := range got {
			if r != '\n' && (!unicode.IsPrint(r) || registry.Invisible(r) || o.ASCII && r >= utf8.RuneSelf) {
				t.Fatalf("%+v: %q in %q", o, r, got[max(0, i-80):min(len(got), i+20)])
			}
		}
		for _, want := range []string{`a\x1b[2J\x1b]0;t\x07\u009b31m\u202ebidi\u2066\u200bz\U000e0041tag\r`, `\u2028end`} {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: not made visible: %s", o, want)
			}
		}
	}
}

func TestLinesAreNoWiderThanTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 81, 120, 200} {
		for name, r := range tapes() {
			for line := range strings.Lines(text(t, r.Run, &present.Options{Width: width})) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s: %d columns of %d: %s", name, n, width, line)
				}
			}
		}
	}
}

func TestCallsAtOneTimeAreInLanes(t *testing.T) {
	r := newTape("x.Y()\n")
	for i, span := range [][2]float64{{0, 10}, {2, 6}, {4, 20}, {6, 8}, {10, 12}, {21, 22}} {
		r.done(r.call(i+1, "", "1:1", "x.y", record.Read, `{}`, span[0]), span[1], `{}`)
	}
	r.end(record.End{Status: "ok"}, 30)
	l := present.NewLayout(present.New(r.Run), time.Time{}, 0)
	p := l.Sources[0].Places[0]
	var lanes []int
	for _, s := range l.Scripts[0].Rows[0].Spans {
		lanes = append(lanes, s.Lane)
	}
	if d := cmp.Diff([]int{0, 1, 2, 1, 0, 0}, lanes); d != "" || p.AtATime != 3 || p.Slowest != 16 || p.P50 != 2 {
		t.Errorf("%d at a time, slowest %v, p50 %v, lanes %s", p.AtATime, p.Slowest, p.P50, d)
	}
}

func TestTimeStandsStillBetweenAttempts(t *testing.T) {
	v := present.New(resumed(false).Run)
	if v.Paused != 60e3 || v.Ms != 250 {
		t.Errorf("paused %v ms, took %v ms", v.Paused, v.Ms)
	}
}

func TestTheWholeRecordIsJSON(t *testing.T) {
	store, err := store.Open(t.TempDir(), &store.StoreOptions{
		Unkept: func(tool string) bool { return tool == "secret.get" },
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }})
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Begin(&record.Begin{Script: record.String("x"),
		Inputs: record.Values{"n": record.Raw([]byte("{ \"a\": 1 }"))}})
	if err != nil {
		t.Fatal(err)
	}
	large := `"` + strings.Repeat("x", 100<<10) + `"`
	for _, l := range []record.Line{
		&record.Call{N: 1, Place: "1:1", Class: record.Read, Tool: "a.b", Args: record.Raw([]byte(`{"pass":"hunter2"}`))},
		&record.Done{N: 1, Kind: record.Answered, Result: record.Raw([]byte(large))},
		&record.Call{N: 2, Place: "1:2", Class: record.Read, Tool: "secret.get", Args: record.Raw([]byte(`{"a":1}`))},
		&record.Done{N: 2, Kind: record.Answered, Result: record.Raw([]byte(`{"b":1}`))},
		&record.End{Status: "ok", Value: record.Raw([]byte(`"blob:sha256:no"`))},
	} {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := store.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(present.FullRecord(r))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Status string
		Begin  struct {
			Script string
			Inputs map[string]any
		}
		Calls []struct {
			N    int
			Tool string
			Args any
			Done struct{ Result any }
		}
		End struct{ Value string }
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	c := got.Calls
	if got.Status != "ok" || got.Begin.Script != "x" || fmt.Sprint(got.Begin.Inputs) != "map[n:map[a:1]]" ||
		len(c) != 2 || c[0].N != 1 || c[0].Tool != "a.b" || fmt.Sprint(c[0].Args) != "map[pass:***]" ||
		len(fmt.Sprint(c[0].Done.Result)) != 100<<10 || got.End.Value != "blob:sha256:no" {
		t.Errorf("%.1000s", raw)
	}
	if args, _ := c[1].Args.(string); !strings.HasPrefix(args, "blob:hmac:") || !strings.HasSuffix(args, ":7") {
		t.Errorf("not kept: %v", c[1].Args)
	}
	for _, want := range []string{"(7 B, not kept)", `pass "***"`} {
		if shown := text(t, r, &present.Options{Width: 120}); !strings.Contains(shown, want) {
			t.Errorf("without %s: %s", want, shown)
		}
	}
	if d := present.Compare(present.New(r), present.New(r)); !d.Same {
		t.Errorf("a run differs from itself: %+v", d)
	}
}

func TestWhatDiffersIsSaid(t *testing.T) {
	a := shop()
	b := shop()
	b.Begin.ID = "k2m4p6q8"
	b.Begin.Script = record.String("// Moved by two\n// lines.\n" +
		strings.Replace(lateOrders, "Limit: 200", "Limit: 100", 1))
	b.Begin.Inputs["days"] = record.Raw([]byte("5"))
	for _, c := range b.Calls {
		line, column, _ := strings.Cut(c.Place, ":")
		var n int
		fmt.Sscan(line, &n)
		c.Place = fmt.Sprintf("%d:%s", n+2, column)
	}
	b.Calls[0].Args = record.Raw([]byte(`{"status":"paid","limit":100}`))
	b.Calls[2].Done.Result = record.Raw([]byte(`{"content":[],"structuredContent":{"id":1,"total":13}}`))
	b.Calls[10].Done.Failed = false
	b.Calls = b.Calls[:len(b.Calls)-1]
	b.call(40, "", "28:12", "tickets.create_ticket", record.Effect, `{"queue":"office"}`, 1200)
	b.call(41, "", "30:12", "mail.send", record.Effect, `{"to":"a"}`, 1250)
	b.Tools.Phrases = bytes.Replace(b.Tools.Phrases, []byte("shop.list_orders"), []byte("shop.search_orders"), 1)
	b.End.Value = record.Raw([]byte(`{"paid":14,"late":2,"left":[{"id":1}]}`))
	b.End.Status = "script_error"
	b.Notes[0].Stdout = "13 paid orders\n"
	d := present.Compare(present.New(a.Run), present.New(b.Run))
	if d.Same {
		t.Error("the same")
	}
	raw, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.json", string(raw)+"\n")
	var out bytes.Buffer
	if err := d.Document(false).Terminal(&out, &present.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.txt", out.String())
}

func TestARunIsTheSameAsItself(t *testing.T) {
	for name, r := range tapes() {
		if d := present.Compare(present.New(r.Run), present.New(r.Run)); !d.Same {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestWhatHappensIsFollowed(t *testing.T) {
	var b bytes.Buffer
	if err := present.New(shop().Run).Follow(&b, 30, &present.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "follow.txt", b.String())
}

func TestPrintsAreAtTheirLines(t *testing.T) {
	r := newTape("a\nb\nc\nd\n")
	note := record.Note{Stdout: "one\ntwo\none\n1 2 \nrest", Lines: [][3]int{{1, 4, 0}, {2, 4, 500}, {1, 4, 1500}, {3, 2, 2000}, {3, 2, 2000}, {4, 1, 3000}}}
	r.note(note, 10)
	r.note(record.Note{Stderr: "e", Line: 2}, 20)
	r.note(record.Note{Stderr: "rr\n", Line: 2}, 21)
	r.end(record.End{Status: "ok"}, 12)
	var got []present.Print
	for _, p := range present.New(r.Run).Sources[0].Prints {
		got = append(got, *p)
	}
	want := []present.Print{
		{Line: 0, At: 10, Text: "rest", Times: 1, PrintTimes: []float64{10}},
		{Line: 1, At: 10, Text: "one", Times: 2, PrintTimes: []float64{10, 11.5}},
		{Line: 2, At: 10.5, Text: "two", Times: 1, PrintTimes: []float64{10.5}},
		{Line: 2, At: 20, Text: "err", Stderr: true, Times: 1, PrintTimes: []float64{20}},
		{Line: 3, At: 12, Text: "1 2 ", Times: 1, PrintTimes: []float64{12}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Lines of a note may be anybody's.
func TestPrintsOfHostileLines(t *testing.T) {
	most := 1<<63 - 1
	r := newTape("a\n")
	r.note(record.Note{Stdout: "some\ntext\n", Lines: [][3]int{{-1, -5, -7}, {most, most, most}, {1, 1, 1}}}, 10)
	r.note(record.Note{Stdout: "both\n", Stderr: "of\n", Lines: [][3]int{{1, 100, 0}}}, 11)
	r.end(record.End{Status: "ok"}, 20)
	var got []string
	for _, p := range present.New(r.Run).Sources[0].Prints {
		if p.At < 0 || p.At > 20 {
			t.Errorf("%q was printed at %v", p.Text, p.At)
		}
		got = append(got, fmt.Sprint(p.Line == 1, " ", p.Text))
	}
	if d := cmp.Diff([]string{"true both", "true of", "false some", "false text"}, got); d != "" {
		t.Error(d)
	}
}

func TestUsageIsInTheRunsTime(t *testing.T) {
	r := newTape("a\n")
	r.note(record.Note{Usage: record.Usage{{900, 50, 10e6}, {400, 300, 30e6}}}, 1000)
	r.end(record.End{Status: "waiting", Usage: record.Usage{{100, 400, 20e6}}}, 1500)
	r.End = nil
	a := &record.Attempt{Head: at(61_500), Number: 2}
	r.Attempts, r.Lines = append(r.Attempts, a), append(r.Lines, a)
	most := int64(1<<63 - 1)
	r.end(record.End{Status: "ok", Usage: record.Usage{{-1, 5, 5}, {400, 100, 5e6}, {300, 99, 5e6}, {most, most, most}, {200, 200, -1}}}, 62_000)
	v := present.New(r.Run)
	want := []present.Sample{{At: 100, CPU: 0.5, Memory: 10e6}, {At: 600, CPU: 0.5, Memory: 30e6}, {At: 1400, CPU: 0.125, Memory: 20e6},
		{At: 1600, CPU: 1, Memory: 5e6}}
	if d := cmp.Diff(want, v.Usage); d != "" || v.CPU != 500 || v.Peak != 30e6 {
		t.Error(d, v.CPU, v.Peak)
	}
	if text := text(t, r.Run, &present.Options{Width: 80}); !strings.Contains(text, "used      500 ms of CPU time, at most 30.0 MB of memory") {
		t.Error(text)
	}
}

func TestAQuantileIsAValueThatCame(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		share  float64
		want   float64
	}{{nil, .5, 0}, {[]float64{7}, .95, 7}, {[]float64{1, 2}, .5, 1}, {[]float64{1, 2, 3}, .5, 2}, {[]float64{1, 2, 3, 4}, .5, 2},
		{[]float64{1, 2, 3, 4}, .95, 4}, {[]float64{1, 2, 3}, 0, 1}, {[]float64{1, 2, 3}, 1, 3}} {
		if got := present.Quantile(c.sorted, c.share); got != c.want {
			t.Errorf("%v of %v: %v, want %v", c.share, c.sorted, got, c.want)
		}
	}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	if got := present.Quantile(hundred, .95); got != 95 {
		t.Errorf(".95 of 1 to 100: %v", got)
	}
}
