package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type TaskID string

type Task struct {
	ID    TaskID
	Deps  []TaskID
	Cost  int
	Run   func(ctx *Ctx) error
	state state
}

type state uint8

const (
	pending state = iota
	running
	done
	failed
	skipped
)

var stateNames = [...]string{"pending", "running", "done", "failed", "skipped"}

func (s state) String() string { return stateNames[s] }

type Ctx struct {
	vals map[string]any
	log  []string
}

func (c *Ctx) Logf(format string, args ...any) { c.log = append(c.log, fmt.Sprintf(format, args...)) }

func Val[T any](c *Ctx, key string) (T, error) {
	v, ok := c.vals[key]
	if !ok {
		return *new(T), fmt.Errorf("no value %q", key)
	}
	t, ok := v.(T)
	if !ok {
		return t, fmt.Errorf("value %q is %T, not %T", key, v, t)
	}
	return t, nil
}

type CycleError []TaskID

func (c CycleError) Error() string {
	var parts []string
	for _, id := range c {
		parts = append(parts, string(id))
	}
	return "cycle: " + strings.Join(parts, " → ")
}

type Plan struct {
	tasks map[TaskID]*Task
	order []*Task
}

func NewPlan(ts ...*Task) (*Plan, error) {
	p := &Plan{tasks: map[TaskID]*Task{}}
	for _, t := range ts {
		if _, dup := p.tasks[t.ID]; dup {
			return nil, fmt.Errorf("duplicate task %s", t.ID)
		}
		p.tasks[t.ID] = t
	}
	const (
		white = iota
		grey
		black
	)
	color := map[TaskID]int{}
	var stack []TaskID
	var visit func(id TaskID) error
	visit = func(id TaskID) error {
		t, ok := p.tasks[id]
		if !ok {
			return fmt.Errorf("unknown task %s", id)
		}
		switch color[id] {
		case grey:
			return append(CycleError(slices.Clone(stack[slices.Index(stack, id):])), id)
		case black:
			return nil
		}
		color[id] = grey
		stack = append(stack, id)
		defer func() { stack = stack[:len(stack)-1]; color[id] = black }()
		for _, d := range t.Deps {
			if err := visit(d); err != nil {
				return err
			}
		}
		p.order = append(p.order, t)
		return nil
	}
	for _, t := range ts {
		if err := visit(t.ID); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) Execute(ctx *Ctx) (err error) {
	for _, t := range p.order {
		blocked := slices.ContainsFunc(t.Deps, func(d TaskID) bool { return p.tasks[d].state != done })
		if blocked {
			t.state = skipped
			continue
		}
		t.state = running
		if e := t.exec(ctx); e != nil {
			t.state = failed
			err = errors.Join(err, fmt.Errorf("%s: %w", t.ID, e))
			continue
		}
		t.state = done
	}
	return
}

func (t *Task) exec(ctx *Ctx) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("panic: %w", r)
		default:
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if t.Run == nil {
		return nil
	}
	return t.Run(ctx)
}

func main() {
	_, err := NewPlan(&Task{ID: "a", Deps: []TaskID{"b"}}, &Task{ID: "b", Deps: []TaskID{"c"}}, &Task{ID: "c", Deps: []TaskID{"b"}})
	var ce CycleError
	fmt.Println(err, errors.As(err, &ce), len(ce))
	_, err = NewPlan(&Task{ID: "a", Deps: []TaskID{"zz"}})
	fmt.Println(err)
	ctx := &Ctx{vals: map[string]any{"n": 21}}
	p, err := NewPlan(
		&Task{ID: "report", Deps: []TaskID{"double", "names"}, Run: func(c *Ctx) error {
			n, err := Val[int](c, "doubled")
			if err != nil {
				return err
			}
			c.Logf("report %d %v", n, c.vals["names"])
			return nil
		}},
		&Task{ID: "double", Cost: 3, Run: func(c *Ctx) error {
			n, err := Val[int](c, "n")
			c.vals["doubled"] = n * 2
			return err
		}},
		&Task{ID: "names", Run: func(c *Ctx) error { c.vals["names"] = [2]string{"x", "y"}; return nil }},
		&Task{ID: "crash", Run: func(c *Ctx) error {
			var m map[string]int
			m["x"]++
			return nil
		}},
		&Task{ID: "after", Deps: []TaskID{"crash"}},
		&Task{ID: "conv", Run: func(c *Ctx) error { _, err := Val[[]string](c, "names"); return err }},
		&Task{ID: "assert", Run: func(c *Ctx) error { c.Logf("%v", c.vals["n"].(string)); return nil }},
		&Task{ID: "custom", Run: func(c *Ctx) error { panic(CycleError{"p", "q"}) }},
	)
	if err != nil {
		panic(err)
	}
	err = p.Execute(ctx)
	fmt.Println(err)
	slices.SortFunc(p.order, func(a, b *Task) int { return cmp.Or(cmp.Compare(a.state, b.state), cmp.Compare(a.ID, b.ID)) })
	for _, t := range p.order {
		fmt.Printf("%-8s %v\n", t.ID, t.state)
	}
	fmt.Println(ctx.log, errors.As(err, &ce), ce)
}
