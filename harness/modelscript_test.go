package harness_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/worker"
)

// model is a script, drawn at random, and what happens around it.
type model struct {
	ops        []op
	effects    int
	chancy     bool // it goes by what no record fixes
	sequential bool // it has one goroutine
	uncertain  bool // it names UncertainError
	fates      int  // percent of the calls with which something happens
	workerDies int  // percent of the executions whose worker dies
}

// strict reports whether a run of it comes to the same value whatever happens.
func (m *model) strict() bool { return !m.chancy && !m.uncertain }

// tools are the Go names of the tools that it may call.
func (m *model) tools() []string {
	out := []string{"Look"}
	var walk func([]op)
	walk = func(ops []op) {
		for _, o := range ops {
			if name := strings.ToUpper(o.tool[:1]) + o.tool[1:]; !slices.Contains(out, name) {
				out = append(out, name)
			}
			walk(o.ops)
		}
	}
	walk(m.ops)
	return out
}

// op is a step of a script.
type op struct {
	kind string
	id   int // its place
	tool string
	n, m int
	d    time.Duration
	ops  []op
}

// drawing makes models.
type drawing struct {
	*rand.Rand
	model *model
	left  int // effects that it may still have
	ids   int
}

func drawModel(rng *rand.Rand) *model {
	d := &drawing{Rand: rng, model: &model{sequential: rng.IntN(4) == 0, chancy: rng.IntN(4) == 0,
		uncertain: rng.IntN(6) == 0}}
	d.left = 1 + rng.IntN(20)
	if rng.IntN(2) == 0 {
		d.left = 1 + rng.IntN(6)
	}
	if rng.IntN(2) == 0 {
		d.model.fates = 1 + rng.IntN(15)
	}
	if rng.IntN(5) == 0 {
		d.model.workerDies = 50
	}
	effects := d.left
	for d.left > 0 {
		d.model.ops = append(d.model.ops, d.ops(1, 1, false)...)
	}
	d.model.effects = effects
	return d.model
}

// ops are some steps that are done so many times.
func (d *drawing) ops(depth, times int, pool bool) []op {
	var out []op
	for range 1 + d.IntN(3) {
		if o, ok := d.op(depth, times, pool); ok {
			out = append(out, o)
		}
	}
	return out
}

func (d *drawing) op(depth, times int, pool bool) (op, bool) {
	d.ids++
	o := op{id: d.ids, tool: []string{"buy", "buy", "pay", "set"}[d.IntN(4)]}
	effect := func(kind string, n int) (op, bool) {
		if d.left < n*times {
			d.left = 0
			if times > 1 {
				return o, false
			}
			n = 1
		}
		d.left -= n * times
		o.kind, o.n = kind, n
		return o, true
	}
	kinds := []string{"effect", "effect", "effect", "read", "read", "sleep", "print"}
	if !d.model.sequential && depth < 3 {
		kinds = append(kinds, "group", "pool", "equal")
	}
	if depth < 3 {
		kinds = append(kinds, "loop")
	}
	if !pool {
		kinds = append(kinds, "clock", "random")
	}
	if d.model.chancy {
		kinds = append(kinds, "coin", "coin", "race", "late")
	}
	switch kind := kinds[d.IntN(len(kinds))]; kind {
	case "effect", "clock", "random", "coin", "race", "late":
		o.d = time.Duration(d.IntN(3000)) * time.Millisecond
		if kind == "late" && d.model.sequential {
			kind = "coin"
		}
		return effect(kind, 1)
	case "equal":
		return effect(kind, 2+d.IntN(3))
	case "sleep":
		o.kind, o.d = kind, time.Duration(d.IntN(3000))*time.Millisecond
	case "read", "print":
		o.kind = kind
	case "loop", "group":
		o.kind, o.n = kind, 2+d.IntN(3)
		o.ops = d.ops(depth+1, times*o.n, pool)
	case "pool":
		o.kind, o.n, o.m = kind, 2+d.IntN(2), 2+d.IntN(5)
		o.ops = d.ops(depth+1, times*o.m, true)
	}
	return o, true
}

// run is the script.
func (m *model) run(r *routine) {
	st := &modelState{m: m, got: map[string]int{}}
	st.all(r, m.ops, "")
	r.give(st.got)
}

// modelState is what a script knows.
type modelState struct {
	m     *model
	got   map[string]int // by what became of calls
	count int            // of a race
}

func (st *modelState) all(r *routine, ops []op, suffix string) {
	for _, o := range ops {
		st.do(r, &o, suffix)
	}
}

func (st *modelState) do(r *routine, o *op, suffix string) {
	item := fmt.Sprint(o.id, suffix)
	switch o.kind {
	case "effect":
		st.call(r, o, o.tool, item, item)
	case "read":
		st.call(r, o, "look", item, item)
	case "clock":
		st.call(r, o, o.tool, fmt.Sprint(item, "@", r.now().UnixNano()), item)
	case "random":
		st.call(r, o, o.tool, fmt.Sprint(item, "?", r.random(1000)), item)
	case "sleep":
		r.sleep(o.d)
	case "print":
		r.println("at", item)
	case "loop":
		for i := range o.n {
			st.all(r, o.ops, fmt.Sprint(suffix, ".", i))
		}
	case "group":
		r.together(o.place(), o.n, func(r *routine, i int) { st.all(r, o.ops, fmt.Sprint(suffix, ".", i)) })
	case "equal":
		r.together(o.place(), o.n, func(r *routine, i int) { st.call(r, o, o.tool, item, item) })
	case "pool":
		r.pool(o.place(), o.n, o.m, func(r *routine, i int) { st.all(r, o.ops, fmt.Sprint(suffix, ".", i)) })
	case "coin":
		if r.coin() {
			item += "heads"
		}
		st.call(r, o, o.tool, item, item)
	case "race":
		st.count++
		st.call(r, o, o.tool, fmt.Sprint(item, "r", st.count), item)
	case "late":
		if _, _, late := r.callOr(o.place(), "shop."+o.tool, argsOfModel(item), o.d); late {
			st.got["late "+item]++
			st.call(r, o, "look", item, item)
		}
	}
}

func (o *op) place() string { return fmt.Sprintf("%d:1", o.id) }

func argsOfModel(item string) string { return fmt.Sprintf(`{"item":%q}`, item) }

// call makes a call, again where it failed.
func (st *modelState) call(r *routine, o *op, tool, item, name string) {
	for range 12 {
		raw, err := r.call(o.place(), "shop."+tool, argsOfModel(item))
		var known *worker.CallError
		switch {
		case err == nil:
			if _, refused := receiptOf(raw); refused {
				continue
			}
			st.got[tool+" "+name]++
			return
		case errors.As(err, &known) && known.Code == bridge.CodeUncertain:
			st.got["unknown "+name]++
			if o.id%2 == 0 {
				return
			}
		case strings.Contains(err.Error(), "rejected"), strings.Contains(err.Error(), "approval"):
			st.got["no "+name]++
			return
		}
	}
	r.panic(name, " failed too often")
}
