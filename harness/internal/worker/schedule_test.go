package worker

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// schedule is a script of goroutines that call, sleep, wait for each other and give
// up. What it prints depends on nothing but the order of answers and timers: where
// a goroutine wakes another, it goes on only when that waits again, and none begins
// at the time of another. most is how long a sleep takes, in µs.
func schedule(seed uint64, most int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	pf := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	ms := func() string { return fmt.Sprintf("%d*time.Microsecond", 1+r.IntN(most)) }
	pf(`var mu sync.Mutex
var printed []string
note := func(what ...any) {
	mu.Lock()
	defer mu.Unlock()
	printed = append(printed, fmt.Sprint(what...))
}
buy := func(what any) string {
	r, err := shop.Buy(shop.BuyParams{What: what})
	if err != nil {
		return err.Error()
	}
	return r.Text()
}
queue := make(chan string, 100)
var wg sync.WaitGroup`)
	n := 0
	var step func(depth int)
	steps := func(most, depth int) {
		for range 1 + r.IntN(most) {
			step(depth)
		}
	}
	step = func(depth int) {
		n++
		switch op := r.IntN(11); {
		case op < 3:
			pf(`note(%d, " ", buy(%d))`, n, r.IntN(4))
		case op == 3:
			pf("time.Sleep(%s)\nnote(%d, \" slept\")", ms(), n)
		case op == 4:
			pf("note(%d, \" \", time.Now().UTC())", n)
		case op == 5 && depth > 0:
			pf("{\nanswer := make(chan string, 1)\ngo func() { answer <- buy(%d) }()", n)
			pf("select {\ncase a := <-answer:\nnote(%d, \" \", a)\ncase x := <-time.After(%s):\nnote(%d, \" late \", x.UTC())\n}\n}", n, ms(), n)
		case op == 6 && depth > 0:
			pf("func() {\nctx, cancel := context.WithTimeout(context.Background(), %s)\ndefer cancel()", ms())
			pf("inner, cancel2 := context.WithCancel(ctx)\ndefer cancel2()\nanswer := make(chan string, 1)\ngo func() { answer <- buy(%d) }()", n)
			pf("select {\ncase a := <-answer:\nnote(%d, \" \", a, inner.Err())\ncase <-inner.Done():\nnote(%d, inner.Err(), context.Cause(inner))\n}\n}()", n, n)
		case op == 7 && depth > 0:
			pf("for i := range %d {\nwg.Go(func() {\ntime.Sleep(time.Duration(%d+i)*time.Microsecond)", 1+r.IntN(3), 10*n)
			steps(3, depth-1)
			pf("})\n}")
		case op == 8:
			pf("{\nt := time.NewTicker(%s)\nfor range %d {\nnote(%d, \" \", (<-t.C).UTC())\n}\nt.Stop()\n}", ms(), 1+r.IntN(3), n)
		case op == 9:
			pf("{\nt := time.AfterFunc(%s, func() { note(%d, \" fired\") })", ms(), n)
			pf("time.Sleep(%s)\nnote(%d, t.Stop())\n}", ms(), n)
		case op == 10:
			pf("queue <- \"%d\"", n)
		default:
			pf("select {\ncase q := <-queue:\nnote(%d, \" got \", q)\ncase <-time.After(%s):\nnote(%d, \" nothing\")\n}", n, ms(), n)
		}
	}
	for i := range 1 + r.IntN(4) {
		pf("wg.Go(func() {\ntime.Sleep(%d)", 4*r.IntN(250)+i+1)
		steps(5, 2)
		pf("})")
	}
	steps(4, 2)
	pf("wg.Wait()\nfmt.Println(strings.Join(printed, \"\\n\"))")
	return b.String()
}

func TestAReplayOfAnyScheduleIsTheSame(t *testing.T) {
	for seed := range uint64(*schedules) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			script := schedule(seed, 3_000_000)
			same(t, script, seed)
			if t.Failed() {
				t.Log(script)
			}
		})
	}
}
