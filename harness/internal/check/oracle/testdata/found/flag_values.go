package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

type List []string

func (l *List) String() string { return strings.Join(*l, ",") }
func (l *List) Set(s string) error {
	if s == "bad" {
		return fmt.Errorf("no %s", s)
	}
	*l = append(*l, s)
	return nil
}

type B bool

func (b *B) String() string     { return fmt.Sprint(bool(*b)) }
func (b *B) Set(s string) error { *b = s == "true"; return nil }
func (b *B) IsBoolFlag() bool   { return true }
func main() {
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.SetOutput(os.Stdout)
	var l List
	var b B
	fs.Var(&l, "l", "a list")
	fs.Var(&b, "b", "a bool")
	n := fs.Int("n", 3, "num")
	d := fs.Duration("d", time.Second, "dur")
	fs.Func("f", "func", func(s string) error { fmt.Println("f", s); return nil })
	err := fs.Parse([]string{"-l", "a", "-l=b", "-b", "-n", "5", "-f", "q", "rest"})
	fmt.Println(err, l, b, *n, *d, fs.Args())
	fs.VisitAll(func(f *flag.Flag) { fmt.Println(f.Name, f.DefValue, f.Value.String()) })
	fmt.Println(fs.Parse([]string{"-l", "bad"}))
	if g, ok := fs.Lookup("l").Value.(*List); ok {
		fmt.Println("got", *g)
	}

	fs.PrintDefaults()
}
