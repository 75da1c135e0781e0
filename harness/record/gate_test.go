package record_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// gateOf is the gate of a record of calls, each as "PATH PLACE TOOL ARGS", in the
// order in which they were made; they were answered in the order of answers, which
// are numbers from 1.
func gateOf(t *testing.T, loose bool, calls []string, answers ...int) *record.Gate {
	t.Helper()
	r := &record.Run{}
	at := time.Unix(1000, 0)
	add := func(l record.Line) {
		at = at.Add(time.Millisecond)
		record.HeadOf(l).Time = at
		r.Add(l)
	}
	for i, c := range calls {
		f := strings.Fields(c)
		path := strings.Trim(f[0], "-")
		add(&record.Call{N: i + 1, Path: path, Place: f[1], Tool: f[2], Args: record.Raw(json.RawMessage(f[3]))})
	}
	for _, n := range answers {
		add(&record.Done{N: n, Kind: record.Answered, Result: record.Raw(json.RawMessage(fmt.Sprint(n)))})
	}
	add(&record.End{Status: "ok"})
	g, err := record.NewGate(r, loose)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func question(n int, call string) *record.Question {
	f := strings.Fields(strings.TrimPrefix(call, "!"))
	return &record.Question{N: n, Path: strings.Trim(f[0], "-"), Place: f[1], Tool: f[2], Args: f[3], Alone: call[0] == '!'}
}

func TestWhichCallIsWhich(t *testing.T) {
	for _, c := range []struct {
		name    string
		loose   bool
		calls   []string // of the record
		answers []int
		// steps are calls of the script, with ! those that are alone; "." nothing
		// moves; "@N" nothing moves, and a timer is due N ms after the first line.
		steps []string
		// want is what each step comes to: "3:1", the third call gets the answer of
		// the first of the record; "-", nothing; "timer"; "diverged".
		want []string
		end  string // how the record and the script differ in the end
	}{
		{name: "rule 1: the first unused line of its path, place and arguments",
			calls: []string{"- 1:1 a.x {}", "- 1:1 a.x {}"}, answers: []int{1, 2},
			steps: []string{"!- 1:1 a.x {}", "!- 1:1 a.x {}"}, want: []string{"1:1", "2:2"}},
		{name: "rule 1: another path has its own", calls: []string{"p#1 1:1 a.x {}", "p#2 1:1 a.x {}"}, answers: []int{1, 2},
			steps: []string{"p#2 1:1 a.x {}", "p#1 1:1 a.x {}", ".", "."}, want: []string{"-", "-", "2:1", "1:2"}},
		{name: "rule 2: it is held while something moves", calls: []string{"p#1 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"p#2 1:1 a.x {}"}, want: []string{"-"},
			end: "the script called a.x at line 1, which the record does not have"},
		{name: "rule 3: an equal one of another path",
			calls: []string{"p#1 1:1 a.x {}", "p#2 1:9 a.x {}"}, answers: []int{2, 1},
			steps: []string{"p#3 1:5 a.x {}", ".", "p#4 1:5 a.x {}", "."}, want: []string{"-", "1:1", "-", "2:2"}},
		{name: "rule 3: not of another line, tool or arguments", calls: []string{"- 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"- 2:1 a.x {}", "- 1:1 a.y {}", `- 1:1 a.x {"a":1}`, "."}, want: []string{"-", "-", "-", "diverged"},
			end: "the script called a.x at line 2, which the record does not have; the record has a.x at line 1, which the script did not make"},
		{name: "rule 3: a line that somebody else takes is not free", calls: []string{"p#1 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"p#2 1:1 a.x {}", "p#1 1:1 a.x {}", ".", "."}, want: []string{"-", "-", "2:1", "diverged"},
			end: "the script called"},
		{name: "rule 4: answers in the order of the file",
			calls: []string{"p#1 1:1 a.x {}", "p#2 1:1 a.x {}", "p#3 1:1 a.x {}"}, answers: []int{3, 1, 2},
			steps: []string{"p#1 1:1 a.x {}", "p#2 1:1 a.x {}", "p#3 1:1 a.x {}", ".", ".", "."}, want: []string{"-", "-",
				"-", "3:3", "1:1", "2:2"}},
		{name: "rule 4: an answer waits for the timer before it", calls: []string{"- 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"- 1:1 a.x {}", "@1", "@3"}, want: []string{"-", "timer", "1:1"}},
		{name: "rule 4: a call without an answer waits", calls: []string{"p#1 1:1 a.x {}", "- 2:1 a.x {}"}, answers: []int{2},
			steps: []string{"p#1 1:1 a.x {}", "- 2:1 a.x {}", ".", "."}, want: []string{"-", "-", "2:2", "-"}},
		{name: "rule 5: stuck", calls: []string{"- 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"- 9:1 a.z {}", "."}, want: []string{"-", "diverged"}, end: "the script called a.z at line 9"},
		{name: "rule 5: ended before a call", calls: []string{"- 1:1 a.x {}", "- 2:1 a.x {}"}, answers: []int{1, 2},
			steps: []string{"!- 1:1 a.x {}"}, want: []string{"1:1"},
			end: "the record has a.x at line 2, which the script did not make"},
		{name: "rule 5: not while a timer may help", calls: []string{"- 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"- 9:1 a.z {}", "@50", "@100000"}, want: []string{"-", "timer", "diverged"},
			end: "the script called a.z"},
		{name: "another script: by tool and arguments",
			loose: true, calls: []string{"p#1 1:1 a.x {}", "- 2:1 a.x {}"}, answers: []int{1, 2},
			steps: []string{"!- 7:1 a.x {}", "!q#9 8:1 a.x {}"}, want: []string{"1:1", "2:2"}},
		{name: "another script: a call more", loose: true, calls: []string{"- 1:1 a.x {}"}, answers: []int{1},
			steps: []string{"!- 7:1 a.x {}", "!- 7:1 a.x {}", "."}, want: []string{"1:1", "-", "diverged"},
			end: "the script called a.x at line 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gateOf(t, c.loose, c.calls, c.answers...)
			said := func(r record.Reply, ok bool) string {
				if !ok {
					return "-"
				}
				return fmt.Sprintf("%d:%d", r.N, r.Made.Line().N)
			}
			var got []string
			n := 0
			for _, s := range c.steps {
				var next time.Time
				switch {
				case s[0] == '@':
					var after int
					fmt.Sscan(s[1:], &after)
					next = time.Unix(1000, 0).Add(time.Duration(after)*time.Millisecond + time.Microsecond)
				case s != ".":
					n++
					got = append(got, said(g.Ask(question(n, s))))
					continue
				}
				n := g.Idle(next)
				switch {
				case n.Diverged != nil:
					got = append(got, "diverged")
				case n.Advance:
					got = append(got, "timer")
				case n.Live:
					got = append(got, "live")
				case n.Reply != nil:
					got = append(got, said(*n.Reply, true))
				default:
					got = append(got, "-")
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
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

func TestACallThatIsGivenUpIsNotAnswered(t *testing.T) {
	g := gateOf(t, false, []string{"- 1:1 a.x {}"}, 1)
	g.Ask(question(1, "- 1:1 a.x {}"))
	g.Abandon(1)
	if n := g.Idle(time.Time{}); n != (record.Next{}) {
		t.Error(n)
	}
	if d := g.End(); d != nil {
		t.Error(d)
	}
}

// A model is a program of goroutines that call, take jobs from a queue and hold a
// mutex, of which a scheduler takes any that can go on.
type model struct {
	routines []*routine
	queue    []int // jobs
	holder   *routine
}

// routine is a goroutine of a model.
type routine struct {
	path string
	code []step
	at   int
	job  int
	got  []string // its answers
	call *record.Question
}

type step struct {
	do   string // call, job, lock, unlock, again
	line int
	args string
}

// newModel is the model of a seed.
func newModel(seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 3))
	m := &model{}
	for i := range r.IntN(20) {
		m.queue = append(m.queue, i%(1+r.IntN(20)))
	}
	kinds := 1 + r.IntN(3) // goroutines that do the same have the same lines
	for k := range kinds {
		var code []step
		for i := range 1 + r.IntN(6) {
			call := step{"call", 100*k + i, fmt.Sprint(r.IntN(3))}
			if r.IntN(3) == 0 {
				code = append(code, step{do: "lock"}, call, step{do: "unlock"})
			} else {
				code = append(code, call)
			}
		}
		if k == 0 && r.IntN(2) == 0 { // the workers of a pool are alike
			code = append(code, step{do: "job"}, step{"call", 100*k + 50, "job"}, step{do: "again"})
		}
		for n := range 1 + r.IntN(5) {
			m.routines = append(m.routines, &routine{path: fmt.Sprintf("%d:1#%d", k+1, n+1), code: code})
		}
	}
	return m
}

// step lets a goroutine go on, and reports whether it could. A call is put to ask.
func (m *model) step(g *routine, ask func(*routine, step)) bool {
	if g.at == len(g.code) || g.call != nil {
		return false
	}
	s := g.code[g.at]
	switch s.do {
	case "call":
		if s.args == "job" {
			s.args = fmt.Sprint("job", g.job)
		}
		g.at++
		ask(g, s)
		return true
	case "lock":
		if m.holder != nil && m.holder != g {
			return false
		}
		m.holder = g
	case "unlock":
		m.holder = nil
	case "job":
		if len(m.queue) == 0 {
			g.at = len(g.code)
			return true
		}
		g.job, m.queue = m.queue[0], m.queue[1:]
	case "again":
		g.at = slices.IndexFunc(g.code, func(s step) bool { return s.do == "job" })
		return true
	}
	g.at++
	return true
}

// run schedules a model at random until nothing moves; then answer lets something go
// on, or reports that nothing does.
func (m *model) run(r *rand.Rand, ask func(*routine, step), answer func() bool) {
	for {
		order := r.Perm(len(m.routines))
		moved := false
		for _, i := range order {
			if m.step(m.routines[i], ask) {
				moved = true
				break
			}
		}
		if !moved && !answer() {
			return
		}
	}
}

func (m *model) done() bool {
	return !slices.ContainsFunc(m.routines, func(g *routine) bool { return g.call != nil || g.at < len(g.code) })
}

// recordModel runs a model in a random order, and returns the record of that. Calls
// are answered at any time.
func recordModel(m *model, seed uint64) *record.Run {
	random := rand.New(rand.NewPCG(seed, 4))
	run := &record.Run{}
	at, n := time.Unix(1000, 0), 0
	add := func(l record.Line) {
		at = at.Add(time.Millisecond)
		record.HeadOf(l).Time = at
		run.Add(l)
	}
	var open []*routine
	answer := func() bool {
		if len(open) == 0 {
			return false
		}
		i := random.IntN(len(open))
		g := open[i]
		open = slices.Delete(open, i, i+1)
		add(&record.Done{N: g.call.N, Kind: record.Answered, Result: record.Raw(json.RawMessage(fmt.Sprint(g.call.N)))})
		g.got = append(g.got, fmt.Sprint(g.call.Args, "=", g.call.N))
		g.call = nil
		return true
	}
	m.run(random, func(g *routine, s step) {
		n++
		g.call = &record.Question{N: n, Path: g.path, Place: fmt.Sprint(s.line, ":1"), Tool: "a.x", Args: s.args}
		add(&record.Call{N: n, Path: g.path, Place: g.call.Place, Tool: "a.x", Args: record.Raw(json.RawMessage(s.args))})
		open = append(open, g)
		for random.IntN(2) == 0 && answer() {
		}
	}, answer)
	add(&record.End{Status: "ok"})
	return run
}

// TestModelsReplayInAnySchedule records models, and replays them in other orders: no
// replay diverges, all calls are used, and where no goroutine takes jobs each gets
// the answers that it got. The jobs, of which any goroutine may take any, get theirs.
func TestModelsReplayInAnySchedule(t *testing.T) {
	for seed := range uint64(500) {
		first := newModel(seed)
		run := recordModel(first, seed)
		if !first.done() {
			t.Fatalf("seed %d: the model is stuck", seed)
		}
		for schedule := range uint64(10) {
			m := newModel(seed)
			gate, err := record.NewGate(run, false)
			if err != nil {
				t.Fatal(err)
			}
			asked := map[int]*routine{}
			give := func(r record.Reply) {
				g := asked[r.N]
				g.got = append(g.got, fmt.Sprint(g.call.Args, "=", r.Made.Line().N))
				g.call = nil
			}
			var diverged *record.Divergence
			n := 0
			m.run(rand.New(rand.NewPCG(seed, 100+schedule)), func(g *routine, s step) {
				n++
				g.call = &record.Question{N: n, Path: g.path, Place: fmt.Sprint(s.line, ":1"), Tool: "a.x", Args: s.args}
				asked[n] = g
				if r, ok := gate.Ask(g.call); ok {
					give(r)
				}
			}, func() bool {
				next := gate.Idle(time.Time{})
				if diverged = next.Diverged; next.Reply != nil {
					give(*next.Reply)
				}
				return next.Reply != nil
			})
			if diverged == nil {
				diverged = gate.End()
			}
			if diverged != nil {
				t.Fatalf("seed %d, schedule %d: %v", seed, schedule, diverged)
			}
			var was, is []string
			for i, g := range m.routines {
				jobs := slices.ContainsFunc(g.code, func(s step) bool { return s.do == "job" })
				if want := first.routines[i].got; !jobs && !slices.Equal(g.got, want) {
					t.Fatalf("seed %d, schedule %d: %s got %v, in the record %v", seed, schedule, g.path, g.got, want)
				}
				was, is = append(was, first.routines[i].got...), append(is, g.got...)
			}
			slices.Sort(was)
			slices.Sort(is)
			if !slices.Equal(was, is) {
				t.Fatalf("seed %d, schedule %d: answers are %v, in the record %v", seed, schedule, is, was)
			}
		}
	}
}

// TestARunThatWentOnIsReplayedAsOne has what its attempts passed over: a read that
// only the first asked, a call that did not happen, one that was made again.
func TestARunThatWentOnIsReplayedAsOne(t *testing.T) {
	again := func() *record.Call { c := call(4, record.Idempotent, "- 4:1 a.z {}"); c.Attempt = 2; return c }
	r := runOf(&record.Begin{}, call(1, record.Effect, "- 1:1 a.x {}"), done(1), call(2, record.Read, "- 9:1 a.r {}"), call(5, record.Read,
		"- 8:1 a.r {}"), done(5),
		call(3, record.Effect, "- 2:1 a.y {}"), call(4, record.Idempotent, "- 4:1 a.z {}"), &record.End{Status: "uncertain"}, &record.Settle{N: 3},
		&record.Attempt{Number: 2}, again(), &record.Call{N: 6, Attempt: 2, Class: record.Effect, Place: "2:1", Tool: "a.y",
			Args: record.Raw([]byte("{}"))}, done(4), done(6),
		&record.End{Status: "ok"})
	g, err := record.NewGate(r, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct{ call, want string }{{"!- 1:1 a.x {}", "1"}, {"!- 4:1 a.z {}", "4"}, {"!- 2:1 a.y {}",
		"6"}} {
		a, ok := g.Ask(question(i+1, c.call))
		if !ok || fmt.Sprint(a.Made.N) != c.want {
			t.Errorf("%s: %+v, %v", c.call, a.Made, ok)
		}
	}
	if d := g.End(); d != nil {
		t.Error(d)
	}
	g.Ask(question(9, "- 9:1 a.r {}"))
	if d := g.End(); d == nil || d.Unasked != nil {
		t.Errorf("a call that the end of the record went without: %v", d)
	}
}
