package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// runOf is a record of lines, a second each; its clock stands 10 s after the last.
func runOf(lines ...record.Line) *record.Run {
	r := &record.Run{}
	at := time.Unix(1000, 0)
	for _, l := range lines {
		at = at.Add(time.Second)
		if record.HeadOf(l).Time.IsZero() {
			record.HeadOf(l).Time = at
		}
		at = record.HeadOf(l).Time
		r.Add(l)
	}
	record.SetRunClock(r, func() time.Time { return at.Add(10 * time.Second) })
	return r
}

// call is a call "PATH PLACE TOOL ARGS" with a number and class.
func call(n int, class record.Class, s string) *record.Call {
	f := strings.Fields(s)
	return &record.Call{N: n, Class: class, Path: strings.Trim(f[0], "-"), Place: f[1], Tool: f[2],
		Args: record.Raw(json.RawMessage(f[3]))}
}

func done(n int) *record.Done {
	return &record.Done{N: n, Kind: record.Answered, Result: record.Raw(json.RawMessage(fmt.Sprint(n)))}
}

// at sets the time of a line, in seconds after the run's beginning.
func at(seconds int, l record.Line) record.Line {
	record.HeadOf(l).Time = time.Unix(1000, 0).Add(time.Duration(seconds) * time.Second)
	return l
}

func TestWhatARunThatGoesOnIsAnswered(t *testing.T) {
	const x, y, z = "- 1:1 a.x {}", "- 2:1 a.y {}", "- 3:1 b.z {}"
	ended, again := &record.End{Status: "uncertain"}, &record.Attempt{Number: 2}
	for _, c := range []struct {
		name  string
		lines []record.Line
		// steps are as in TestWhichCallIsWhich; "@N": a timer is due N s after the
		// run's beginning; "?N": which call of the record call N of the script goes
		// on with.
		steps []string
		want  []string
		fails string // Resume
		end   string
	}{
		{name: "nothing was sent",
			lines: []record.Line{ended, again}, steps: []string{x, ".", "?1"}, want: []string{"-", "live", "none"}},
		{name: "a timer when nothing was sent", lines: []record.Line{ended, again}, steps: []string{"@5"}, want: []string{"live"}},
		{name: "all that was sent is asked", lines: []record.Line{call(1, record.Effect, x), done(1), ended, again},
			steps: []string{"!" + x, y, "."}, want: []string{"1:1", "-", "live"}},
		{name: "not before that", lines: []record.Line{call(1, record.Effect, x), done(1), call(2, record.Effect, y), done(2), ended, again},
			steps: []string{"!" + x, z, "."}, want: []string{"1:1", "-", "diverged"},
			end: "the script called b.z at line 3, which the record does not have; the record has a.y at line 2"},
		{name: "ended before that", lines: []record.Line{call(1, record.Effect, x), done(1), call(2, record.Effect, y), done(2), ended, again},
			steps: []string{"!" + x}, want: []string{"1:1"}, end: "the record has a.y at line 2, which the script did not make"},
		{name: "answers that are left to give come first",
			lines: []record.Line{call(1, record.Effect, x), call(2, record.Read, y), done(1), done(2), ended, again},
			steps: []string{x, y, z, ".", ".", "."}, want: []string{"-", "-", "-", "1:1", "2:2", "live"}},
		{name: "reads may be left over", lines: []record.Line{call(1, record.Read, x), done(1), call(2, record.Effect, y), done(2), ended, again},
			steps: []string{"!" + y, z, "."}, want: []string{"1:2", "-", "live"}},
		{name: "a read that was not answered is a new one",
			lines: []record.Line{call(1, record.Effect, x), call(2, record.Read, y), done(1), ended, again},
			steps: []string{x, y, ".", ".", "?2"}, want: []string{"-", "-", "1:1", "live", "none"}},
		{name: "a read whose answer came too late is a new one",
			lines: []record.Line{call(1, record.Read, x), &record.Done{N: 1, Kind: record.Answered, Error: "canceled", Cut: true}, ended, again},
			steps: []string{"!" + x, "."}, want: []string{"-", "live"}},
		{name: "an effect's answer that came after the worker's end is given",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.Answered, Cut: true}, ended, again},
			steps: []string{x, "."}, want: []string{"-", "1:1"}},
		{name: "an answer that could not be read",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.Unread, Error: "too large"}, ended, again},
			steps: []string{"!" + x}, want: []string{"1:1"}},
		{name: "what was not sent is told again, and need not be asked",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.NotSent, Error: "refused"}, ended, again},
			steps: []string{"!" + x, y, "."}, want: []string{"1:1", "-", "live"}},
		{name: "what was not sent may be left",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.NotSent, Error: "refused"}, ended, again},
			steps: []string{y, "."}, want: []string{"-", "live"}},
		{name: "what was not sent since the run ended is a new one",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.NotSent, Error: "canceled", Cut: true}, ended, again},
			steps: []string{"!" + x, "."}, want: []string{"-", "live"}},
		{name: "a person's no is told again",
			lines: []record.Line{&record.Ask{A: "1", Until: time.Unix(9999, 0)}, &record.Answer{A: "1"}, &record.Call{N: 1, Ask: "1", Class: record.Effect,
				Place: "1:1", Tool: "a.x", Args: record.Raw([]byte("{}"))},
				&record.Done{N: 1, Kind: record.NotSent, Error: "denied by ann"}, ended, again}, steps: []string{"!" + x}, want: []string{"1:1"}},
		{name: "what the script was told of stays",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.Uncertain, Error: "nobody knows"}, ended, again},
			steps: []string{"!" + x, y, "."}, want: []string{"1:1", "-", "live"}},
		{name: "a call of which nobody knows", lines: []record.Line{call(1, record.Effect, x), done(1), call(2, record.Effect, y), ended, again},
			fails: "the outcome of call 2 is unknown: a.y() at line 2"},
		{name: "a call whose connection was lost",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.Uncertain, Message: "EOF"}, ended, again},
			fails: "the outcome of call 1 is unknown"},
		{name: "the process died", lines: []record.Line{call(1, record.Effect, x), again}, fails: "the outcome of call 1 is unknown"},
		{name: "settled: it happened",
			lines: []record.Line{call(1, record.Effect, x), ended, &record.Settle{N: 1, Happened: true, Result: record.Raw([]byte("7"))}, again},
			steps: []string{x, ".", y, "."}, want: []string{"-", "1:1=7", "-", "live"}},
		{name: "settled: it happened, and nobody knows what it answered",
			lines: []record.Line{call(1, record.Effect, x), ended, &record.Settle{N: 1, Happened: true}, again},
			fails: "call 1 (a.x) happened, but its result is unknown"},
		{name: "settled: it did not happen", lines: []record.Line{call(1, record.Effect, x), ended, &record.Settle{N: 1}, again},
			steps: []string{x, ".", "?1"}, want: []string{"-", "live", "none"}},
		{name: "its server waits for our answer", lines: []record.Line{call(1, record.Effect, x), &record.Round{N: 1, State: "s"}, ended, again},
			steps: []string{y, ".", x, ".", "?1", "?2"}, want: []string{"-", "diverged", "-", "live", "none", "1"}},
		{name: "its server waited for our answer for too long",
			lines: []record.Line{call(1, record.Effect, x), &record.Round{N: 1}, at(5, &record.Ask{A: "1", N: 1, Until: time.Unix(1006, 0)}), ended,
				again},
			fails: "the outcome of call 1 is unknown"},
		{name: "our answer was on its way",
			lines: []record.Line{call(1, record.Effect, x), &record.Round{N: 1}, ended, again, &record.Round{N: 1, Sent: true}, &record.Attempt{Number: 3}},
			fails: "the outcome of call 1 is unknown"},
		{name: "again: it is made again", lines: []record.Line{call(1, record.Idempotent, x), ended, again},
			steps: []string{x, ".", "?1"}, want: []string{"-", "live", "1"}},
		{name: "again: it must be asked", lines: []record.Line{call(1, record.Idempotent, x), ended, again},
			steps: []string{y, "."}, want: []string{"-", "diverged"}, end: "the script called a.y"},
		{name: "again: 5 minutes", lines: []record.Line{call(1, record.Idempotent, x), at(300, &record.Note{}), ended, again},
			fails: "the outcome of call 1 is unknown"},
		{name: "again: not after another call of its server",
			lines: []record.Line{call(1, record.Idempotent, x), call(2, record.Effect, y), done(2), ended, again},
			fails: "the outcome of call 1 is unknown"},
		{name: "again: after a call of another server, or one before, or a read",
			lines: []record.Line{call(4, record.Effect, y), done(4), call(1, record.Idempotent, x), call(2, record.Effect, z), done(2),
				call(3, record.Read, y), done(3), ended, again}, steps: []string{y, z, x, ".", ".", ".", "?3"}, want: []string{"-", "-",
				"-", "1:4", "2:2", "live", "1"}},
		{name: "again: after a call that was not sent",
			lines: []record.Line{call(1, record.Idempotent, x), call(2, record.Effect, y), &record.Done{N: 2, Kind: record.NotSent, Error: "refused"}, ended, again},
			steps: []string{x, "."}, want: []string{"-", "live"}},
		{name: "again: once", lines: []record.Line{call(1, record.Idempotent, x), ended, again, call(1, record.Idempotent, x), ended, &record.Attempt{Number: 3}},
			fails: "the outcome of call 1 is unknown"},
		{name: "again: it was answered the second time",
			lines: []record.Line{call(1, record.Idempotent, x), ended, again, call(1, record.Idempotent, x), done(1), ended, &record.Attempt{Number: 3}},
			steps: []string{"!" + x}, want: []string{"1:1"}},
		{name: "a timer before the record's end", lines: []record.Line{call(1, record.Read, x), at(100, done(1)), ended, again},
			steps: []string{"@50", "@101"}, want: []string{"timer", "live"}},
		{name: "a timer while a call is not asked", lines: []record.Line{call(1, record.Effect, x), at(100, done(1)), ended, again},
			steps: []string{"@50", "@101", "@200"}, want: []string{"timer", "timer", "diverged"}, end: "the record has a.x"},
		{name: "an answer waits for the timer before it", lines: []record.Line{call(1, record.Effect, x), at(100, done(1)), ended, again},
			steps: []string{x, "@50", "@150"}, want: []string{"-", "timer", "1:1"}},
		{name: "rule 3: an equal one of another path",
			lines: []record.Line{call(1, record.Effect, "p#1 1:1 a.x {}"), done(1), ended, again},
			steps: []string{"p#2 1:1 a.x {}", ".", "p#1 1:1 a.x {}", "."}, want: []string{"-", "1:1", "-", "live"}},
		{name: "a dry run: made-up answers are none",
			lines: []record.Line{call(1, record.Read, x), done(1), &record.Guess{N: 2, Class: record.Effect, Place: "2:1", Tool: "a.y",
				Args: record.Raw([]byte("{}"))},
				call(3, record.Read, z), done(3), &record.End{Status: "ok"}, &record.Attempt{Number: 2, Live: true}},
			steps: []string{"!" + x, y, z, ".", "?2", "?3"}, want: []string{"1:1", "-", "-", "live", "none", "none"}},
		{name: "a dry run that is live was ended",
			lines: []record.Line{&record.Guess{N: 1, Class: record.Effect, Place: "2:1", Tool: "a.y", Args: record.Raw([]byte("{}"))}, call(2, record.Read, x),
				done(2), &record.End{Status: "ok"},
				&record.Attempt{Number: 2, Live: true}, call(3, record.Effect, y), done(3), call(4, record.Read, x), done(4), &record.Attempt{Number: 3}},
			steps: []string{"!" + y, "!" + x, z, "."}, want: []string{"1:3", "2:4", "-", "live"}},
		{name: "stuck without a call",
			lines: []record.Line{call(1, record.Effect, x), done(1), ended, again}, steps: []string{"."}, want: []string{"diverged"},
			end: "the record has a.x"},
		{name: "an answer that was redacted",
			lines: []record.Line{call(1, record.Effect, x), &record.Done{N: 1, Kind: record.Answered, Result: record.Data{SHA256: "x", Redacted: true}}, ended,
				again},
			fails: "the record has no complete answer of call 1"},
		{name: "a read's answer that was redacted",
			lines: []record.Line{call(1, record.Read, x), &record.Done{N: 1, Kind: record.Answered, Result: record.Data{SHA256: "x", Redacted: true}}, ended,
				again},
			steps: []string{x, "."}, want: []string{"-", "1:1"}}, // the harness asks again, and compares
		{name: "lines that cannot be",
			lines: []record.Line{call(1, record.Effect, x), done(1), &record.Settle{N: 1}, ended, again},
			fails: `call 1: a call that is done cannot have "settle not"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun := []record.Line{&record.Begin{}}
			for _, l := range c.lines { // the same in several cases
				switch l := l.(type) {
				case *record.End:
					e := *l
					begun = append(begun, &e)
				case *record.Attempt:
					a := *l
					begun = append(begun, &a)
				default:
					begun = append(begun, l)
				}
			}
			g, err := record.Resume(runOf(begun...), nil)
			if (c.fails == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), c.fails) {
				t.Fatalf("%v, want %q", err, c.fails)
			}
			if err != nil {
				return
			}
			said := func(r *record.Reply) string {
				s := fmt.Sprintf("%d:%d", r.N, r.Made.N)
				if r.Made.Settle != nil {
					s += "=" + string(r.Made.Result().JSON)
				}
				return s
			}
			var got []string
			n := 0
			for _, s := range c.steps {
				var next time.Time
				var number int
				switch {
				case s[0] == '?':
					fmt.Sscan(s[1:], &number)
					m := g.Continues(number)
					if m == nil {
						got = append(got, "none")
						continue
					}
					got = append(got, fmt.Sprint(m.N))
					continue
				case s[0] == '@':
					fmt.Sscan(s[1:], &number)
					next = time.Unix(1000, 0).Add(time.Duration(number)*time.Second + time.Millisecond)
				case s != ".":
					n++
					if r, ok := g.Ask(question(n, s)); ok {
						got = append(got, said(&r))
					} else {
						got = append(got, "-")
					}
					continue
				}
				switch n := g.Idle(next); {
				case n.Diverged != nil:
					got = append(got, "diverged")
				case n.Advance:
					got = append(got, "timer")
				case n.Live:
					got = append(got, "live")
				case n.Reply != nil:
					got = append(got, said(n.Reply))
				default:
					got = append(got, "-")
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if slices.Contains(got, "live") {
				return
			}
			end := ""
			if d := g.End(); d != nil {
				end = d.Error()
			}
			if (c.end == "") != (end == "") || !strings.HasPrefix(strings.ReplaceAll(end, "()", ""), c.end) {
				t.Errorf("in the end %q, want %q", end, c.end)
			}
		})
	}
}

func TestTheServerOfAToolIsTheCallersToSay(t *testing.T) {
	lines := []record.Line{&record.Begin{}, call(1, record.Idempotent, "- 1:1 my.server.x {}"), call(2, record.Effect, "- 2:1 my.other.y {}"), done(2)}
	if _, err := record.Resume(runOf(lines...), nil); !errors.As(err, new(*record.UnknownError)) {
		t.Errorf("my: %v", err)
	}
	server := func(tool string) string { return tool[:strings.LastIndex(tool, ".")] }
	if _, err := record.Resume(runOf(lines...), server); err != nil {
		t.Error(err)
	}
}

func TestWhatWasAskedIsFoundAgain(t *testing.T) {
	ask := func(a, path, args string) *record.Ask {
		return &record.Ask{A: a, Path: path, Place: "1:1", Tool: "a.x", Args: record.Raw([]byte(args)), Until: time.Unix(2000, 0)}
	}
	yes := func(a string, until int64) *record.Answer {
		return &record.Answer{A: a, Yes: true, Until: time.Unix(until, 0)}
	}
	r := runOf(&record.Begin{},
		ask("1", "p#1", "{}"), ask("2", "p#2", "{}"), ask("3", "p#3", "{}"), ask("4", "p#4", "{}"), ask("5", "", `{"a":1}`),
		&record.Ask{A: "6", N: 9, Place: "1:1", Tool: "a.x", Args: record.Raw([]byte("{}")), Until: time.Unix(2000, 0)},
		yes("1", 2000), yes("2", 2000), &record.Answer{A: "4"}, yes("5", 1001),
		&record.Call{N: 1, Path: "p#1", Place: "1:1", Tool: "a.x", Args: record.Raw([]byte("{}")), Ask: "1"}, done(1),
		&record.End{Status: "waiting"}, &record.Attempt{Number: 2})
	g, err := record.Resume(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, place, tool, args, want string }{
		{"p#2", "9:1", "a.x", "{}", ""},
		{"p#2", "1:1", "a.y", "{}", ""},
		{"p#2", "1:1", "a.x", "[]", ""},
		{"", "1:1", "a.x", `{"a":1}`, ""}, // its yes has expired
		{"p#3", "1:1", "a.x", "{}", "3 asked"},
		{"p#7", "1:9", "a.x", "{}", "2 granted"}, // the job of another goroutine
		{"p#2", "1:1", "a.x", "{}", "4 denied"},
		{"p#4", "1:1", "a.x", "{}", ""},
	} {
		got := ""
		if a := g.AskFor(c.path, c.place, c.tool, c.args); a != nil {
			got = fmt.Sprintf("%s %s", a.A, a.State(r.Now()))
		}
		if got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func TestAnExpiredYesToADryRunIsAskedAnew(t *testing.T) {
	for _, until := range []int64{1001, 2000} {
		b := &record.Begin{Dry: true}
		r := runOf(b, &record.Guess{N: 1, Tool: "a.x", Args: record.Raw([]byte("{}"))},
			&record.Ask{A: record.Ledger, Until: time.Unix(2000, 0)}, &record.Answer{A: record.Ledger, Yes: true, Until: time.Unix(until, 0)},
			&record.End{Status: "ok"}, &record.Attempt{Number: 2, Live: true})
		g, err := record.Resume(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := g.AskFor("", "1:1", "a.x", "{}"); (a != nil) != (until == 2000) {
			t.Errorf("good until %d, and found: %v", until, a)
		}
		if a := g.AskFor("", "1:1", "a.x", "{}"); a != nil {
			t.Error("it is good for another call than the one of the dry run")
		}
	}
}

// TestAYesForWhatWasNotSentIsGoodForIt has a call that was given up with its run
// before it was sent.
func TestAYesForWhatWasNotSentIsGoodForIt(t *testing.T) {
	used := func(cut bool) *record.Run {
		return runOf(&record.Begin{}, &record.Ask{A: "1", Place: "1:1", Tool: "a.x", Args: record.Raw([]byte("{}")), Until: time.Unix(2000, 0)},
			&record.Answer{A: "1", Yes: true, Until: time.Unix(2000, 0)}, &record.Call{N: 1, Class: record.Effect, Ask: "1", Place: "1:1",
				Tool: "a.x", Args: record.Raw([]byte("{}"))},
			&record.Done{N: 1, Kind: record.NotSent, Error: "canceled", Cut: cut})
	}
	if a := used(true).Asks[0]; a.Used != nil {
		t.Error("the script did not get that it was not sent, and its yes is used up")
	}
	if a := used(false).Asks[0]; a.Used == nil {
		t.Error("the script got that it was not sent, and its yes is not used up")
	}
}

// TestModelsGoOnInAnySchedule records models whose process dies at any line, settles
// what nobody knows, and goes on in another order, up to three times: no attempt is
// live before all that was sent is asked, and what was sent in the end is what one
// execution sends. An attempt diverges where a goroutine has a mutex that another had
// then, and is tried again.
func TestModelsGoOnInAnySchedule(t *testing.T) {
	lives, diverged, stuck := 0, 0, 0
	for seed := range uint64(300) {
		whole := recordModel(newModel(seed), seed)
		want := sentCalls(whole)
		random := rand.New(rand.NewPCG(seed, 6))
		run := runOf(died(&record.Run{Lines: append([]record.Line{&record.Begin{}}, whole.Lines...)}, random)...)
		tries := 0
		for deaths := 0; ; {
			lines, live, err := goOn(run, newModel(seed), random)
			if errors.As(err, new(*record.Divergence)) && !live {
				diverged++
				if tries++; tries == 20 {
					stuck++
					break
				}
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if live {
				lives++
			}
			if run = runOf(lines...); deaths == 2 || random.IntN(2) == 0 {
				break
			}
			run, tries = runOf(died(run, random)...), 0
			deaths++
		}
		if tries == 20 {
			continue
		}
		if got := sentCalls(run); !slices.Equal(got, want) {
			t.Fatalf("seed %d: sent were\n%q\none execution sends\n%q", seed, got, want)
		}
	}
	if lives < 200 || stuck > 15 {
		t.Errorf("%d attempts were live, %d diverged, %d runs did not go on", lives, diverged, stuck)
	}
	t.Logf("%d attempts were live, %d diverged, %d runs did not go on", lives, diverged, stuck)
}

// sentCalls are the calls that were sent, as far as the record says.
func sentCalls(r *record.Run) []string {
	var out []string
	for _, m := range r.Calls {
		if m.Settle == nil || m.Settle.Happened {
			out = append(out, m.Place+" "+string(m.Args.JSON))
		}
	}
	slices.Sort(out)
	return out
}

// died are the lines of a run whose process died at a random one of the last
// attempt, with what a person says of the calls that were under way.
func died(r *record.Run, random *rand.Rand) []record.Line {
	first := 1
	for i, l := range r.Lines {
		if _, ok := l.(*record.Attempt); ok {
			first = i + 1
		}
	}
	var lines []record.Line
	for _, l := range r.Lines[:first+random.IntN(len(r.Lines)-first+1)] {
		switch l := l.(type) {
		case *record.Call:
			l.Class = record.Effect
		case *record.End:
			continue
		}
		record.HeadOf(l).Time = time.Time{}
		lines = append(lines, l)
	}
	for _, m := range runOf(lines...).Unknown() {
		st := &record.Settle{N: m.N, Happened: random.IntN(2) == 0, Result: record.Raw(json.RawMessage(fmt.Sprint(m.N)))}
		lines = append(lines, st)
	}
	for _, l := range lines {
		record.HeadOf(l).Time = time.Time{}
	}
	return lines
}

// goOn goes on with a run to its end, and returns its lines with those of this
// attempt.
func goOn(r *record.Run, m *model, random *rand.Rand) (lines []record.Line, live bool, err error) {
	lines = append(slices.Clone(r.Lines), &record.Attempt{Number: len(r.Attempts) + 2})
	gate, err := record.Resume(runOf(lines...), nil)
	if err != nil {
		return nil, false, err
	}
	last := 0 // number of a call
	for _, c := range r.Calls {
		last = max(last, c.N)
	}
	var waits []*routine
	answer := func(g *routine, n int) {
		g.got = append(g.got, fmt.Sprint(n))
		g.call = nil
		waits = slices.DeleteFunc(waits, func(o *routine) bool { return o == g })
	}
	send := func(g *routine) {
		last++
		lines = append(lines, &record.Call{N: last, Class: record.Effect, Path: g.call.Path, Place: g.call.Place, Tool: g.call.Tool,
			Args: record.Raw(json.RawMessage(g.call.Args))})
		g.call.Alone = false
		g.call.N = last
	}
	asked := 0
	m.run(random, func(g *routine, s step) {
		asked++
		g.call = &record.Question{N: asked, Path: g.path, Place: fmt.Sprint(s.line, ":1"), Tool: "a.x", Args: s.args}
		if waits = append(waits, g); live {
			send(g)
		} else if _, ok := gate.Ask(g.call); ok {
			err = errors.New("nothing was alone")
		}
	}, func() bool {
		if live {
			if len(waits) == 0 {
				return false
			}
			g := waits[random.IntN(len(waits))]
			lines = append(lines, done(g.call.N))
			answer(g, g.call.N)
			return true
		}
		next := gate.Idle(time.Time{})
		switch {
		case next.Diverged != nil && (next.Diverged.Asked != nil || next.Diverged.Unasked != nil):
			err = next.Diverged
		case next.Reply != nil:
			i := slices.IndexFunc(waits, func(g *routine) bool { return g.call.N == next.Reply.N })
			answer(waits[i], next.Reply.Made.N)
			return true
		case next.Live:
			if live = true; record.Unasked(gate) > 0 {
				err = errors.New("it is live, and not all that was sent was asked")
			}
			for _, g := range waits {
				send(g)
			}
			return true
		}
		return false
	})
	if err == nil && !m.done() {
		err = errors.New("the model is stuck")
	}
	for _, l := range lines {
		record.HeadOf(l).Time = time.Time{}
	}
	return lines, live, err
}
