package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

type TaskID string
type Task struct {
	ID    TaskID
	Needs []TaskID
	Cost  time.Duration
	Run   func(ctx *Ctx) error
}
type Ctx struct {
	Out  map[TaskID]any
	Log  []string
	Self TaskID
}

func (c *Ctx) Logf(format string, args ...any) {
	c.Log = append(c.Log, string(c.Self)+": "+fmt.Sprintf(format, args...))
}
func need[T any](c *Ctx, id TaskID) (T, error) {
	v, ok := c.Out[id].(T)
	if !ok {
		var zero T
		return zero, fmt.Errorf("%s wants %T from %s, got %T", c.Self, zero, id, c.Out[id])
	}
	return v, nil
}

type CycleError []TaskID

func (c CycleError) Error() string {
	parts := make([]string, len(c))
	for i, t := range c {
		parts[i] = string(t)
	}
	return "cycle: " + strings.Join(parts, " → ")
}

var errSkipped = errors.New("skipped")

func order(tasks map[TaskID]Task) ([]TaskID, error) {
	const (
		white = iota
		grey
		black
	)
	color := map[TaskID]int{}
	var out, stack []TaskID
	var visit func(TaskID) error
	visit = func(id TaskID) error {
		t, ok := tasks[id]
		if !ok {
			return fmt.Errorf("unknown task %q needed by %q", id, stack[len(stack)-1])
		}
		switch color[id] {
		case black:
			return nil
		case grey:
			return append(CycleError(slices.Clone(stack[slices.Index(stack, id):])), id)
		}
		color[id] = grey
		stack = append(stack, id)
		defer func() { stack = stack[:len(stack)-1] }()
		for _, n := range slices.Sorted(slices.Values(t.Needs)) {
			if err := visit(n); err != nil {
				return err
			}
		}
		color[id] = black
		out = append(out, id)
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(tasks)) {
		if err := visit(id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func runAll(tasks map[TaskID]Task) (*Ctx, map[TaskID]error) {
	ctx := &Ctx{Out: map[TaskID]any{}}
	res := map[TaskID]error{}
	ids, err := order(tasks)
	if err != nil {
		return ctx, map[TaskID]error{"*": err}
	}
next:
	for _, id := range ids {
		t := tasks[id]
		for _, n := range t.Needs {
			if res[n] != nil {
				res[id] = fmt.Errorf("%w: %s failed", errSkipped, n)
				continue next
			}
		}
		ctx.Self = id
		res[id] = func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic in %s: %v", id, r)
				}
			}()
			return t.Run(ctx)
		}()
	}
	return ctx, res
}

func main() {
	tasks := map[TaskID]Task{}
	def := func(id TaskID, cost time.Duration, run func(*Ctx) error, needs ...TaskID) {
		tasks[id] = Task{id, needs, cost, run}
	}
	set := func(v any) func(*Ctx) error {
		return func(c *Ctx) error { c.Out[c.Self] = v; return nil }
	}
	def("fetch", 2*time.Second, set([]int{3, 1, 2}))
	def("config", 10*time.Millisecond, set(map[string]int{"limit": 2}))
	def("sort", time.Second, func(c *Ctx) error {
		xs, err := need[[]int](c, "fetch")
		if err != nil {
			return err
		}
		cfg, err := need[map[string]int](c, "config")
		if err != nil {
			return err
		}
		c.Out[c.Self] = slices.Sorted(slices.Values(xs))[:cfg["limit"]]
		c.Logf("sorted %d, kept %v", len(xs), c.Out[c.Self])
		return nil
	}, "fetch", "config")
	def("bad", time.Minute, func(c *Ctx) error { _, err := need[string](c, "config"); return err }, "config")
	def("boom", 0, func(c *Ctx) error {
		xs, _ := need[[]int](c, "sort")
		c.Logf("about to fail")
		fmt.Println(xs[len(xs)])
		return nil
	}, "sort")
	def("report", 0, set("never"), "boom", "sort")
	ids, err := order(tasks)
	fmt.Println(ids, err)
	ctx, res := runAll(tasks)
	for _, id := range ids {
		fmt.Printf("%-8s %-8v %v skipped=%t\n", id, tasks[id].Cost, res[id], errors.Is(res[id], errSkipped))
	}
	fmt.Println(strings.Join(ctx.Log, "\n"))
	t := tasks["config"]
	t.Needs = append(t.Needs, "report")
	tasks["config"] = t
	_, err = order(tasks)
	var ce CycleError
	fmt.Println(errors.As(err, &ce), len(ce), err)
	delete(tasks, "boom")
	t.Needs = nil
	tasks["config"] = t
	_, res = runAll(tasks)
	fmt.Println(res)
}
