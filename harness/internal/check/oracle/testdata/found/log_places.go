package main

import (
	"fmt"
	"log"
	"os"
	"strings"
)

type server struct {
	*log.Logger
	name string
}

func (s server) note(format string, args ...any) {
	s.Printf(s.name+": "+format, args...)
}

func id[T any](l *log.Logger, x T) T {
	l.Println("id", x)
	return x
}

func get() *log.Logger { return log.Default() }

func main() {
	log.SetOutput(os.Stdout)
	log.SetFlags(log.Lshortfile)
	log.Println("plain")
	log.Printf(
		"over %d lines",
		3,
	)
	log.
		Print("behind a dot")
	get().
		Println(
			"chain",
		)
	log.Default().Println(strings.Repeat("x",
		2))
	l := log.New(os.Stdout, "pre ", log.Lshortfile|log.Lmsgprefix)
	s := server{l, "s"}
	s.note("%d", 1)
	s.Println("embedded")
	id(l, 1)
	id(l, "s")
	func() {
		l.Print("closure")
	}()
	for i := range 2 {
		func() { l.Print(i); l.Print("same line") }()
	}
	defer func() {
		r := recover()
		log.Print("recovered ", r)
		log.SetPrefix("p: ")
		log.SetFlags(0)
		log.Print("none")
		log.SetFlags(log.Lshortfile)
		x, err := fmt.Println("x")
		log.Print(x, err)
		log.Fatalf("fatal %v",
			err)
	}()
	done := make(chan bool)
	go func() {
		log.Print("in a goroutine")
		close(done)
	}()
	<-done
	if f := log.Flags(); f&log.Lshortfile != 0 {
		log.Print("flags")
	}
	log.Panicf("panic %s", id(l, "arg"))
}
