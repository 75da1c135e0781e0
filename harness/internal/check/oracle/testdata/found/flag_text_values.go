package main

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"
)

type txt struct{ a, b string }

func (t txt) MarshalText() ([]byte, error)  { return []byte(t.a + "/" + t.b), nil }
func (t *txt) UnmarshalText(b []byte) error { t.a, t.b, _ = strings.Cut(string(b), "/"); return nil }

type other struct{ txt }

func try(f func()) { defer func() { fmt.Println("rec:", recover()) }(); f() }
func main() {
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	fs.SetOutput(os.Stdout)
	var z txt
	fs.TextVar(&z, "z", txt{}, "zero")
	var w txt
	fs.TextVar(&w, "w", &txt{"1", "2"}, "ptr")
	var bi big.Int
	fs.TextVar(&bi, "bi", big.NewInt(7), "big")
	var tm time.Time
	fs.TextVar(&tm, "tm", time.Unix(0, 0).UTC(), "tm")
	try(func() { var q txt; fs.TextVar(&q, "bad", other{}, "u") })
	try(func() { var q txt; fs.TextVar(&q, "bad", big.NewInt(1), "u") })
	fs.PrintDefaults()
	fmt.Println(fs.Parse([]string{"-z", "q/r", "-bi", "99"}), z, w, &bi, tm.Unix())
	fs.VisitAll(func(f *flag.Flag) { g := f.Value.(flag.Getter).Get(); fmt.Printf("%s %T %v\n", f.Name, g, f.Value) })
	fmt.Println(fs.Lookup("z").Value.(flag.Getter).Get().(*txt).a)
}
