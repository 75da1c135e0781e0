package main

import (
	"context"
	"fmt"
	"time"
)

type myCtx struct{ context.Context }

type named struct {
	context.Context
	n string
}

func (n *named) String() string { return "named(" + n.n + ")" }

type ptr struct{ context.Context }

func (p *ptr) Value(k any) any { return "v" }

func main() {
	bg := context.Background()
	for _, c := range []context.Context{myCtx{bg}, &named{bg, "x"}, &ptr{bg}} {
		d, cancel := context.WithCancel(c)
		fmt.Println(d)
		fmt.Println(context.WithValue(c, "k", "v"), context.WithValue(d, 1, c))
		fmt.Println(context.WithoutCancel(c), d.Value("q"))
		_, isStringer := c.(fmt.Stringer)
		fmt.Printf("%T %T %v\n", c, d, isStringer)
		cancel()
	}
	e, cancel := context.WithDeadline(myCtx{bg}, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	defer cancel()
	fmt.Println(len(fmt.Sprint(e)) > 60, fmt.Sprint(e)[:41])
}
