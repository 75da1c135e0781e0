package main

import (
	"encoding/gob"
	"fmt"
	"io"
)

type Message struct {
	Kind string
	Seq  int
	Body any
}

type Ping struct{ N int }
type Pong struct {
	N    int
	Note *string
}

func main() {
	gob.Register(Ping{})
	gob.Register(Pong{})
	gob.RegisterName("custom/str", MyStr(""))
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		dec := gob.NewDecoder(r)
		for {
			var m Message
			if err := dec.Decode(&m); err != nil {
				if err == io.EOF {
					fmt.Println("end")
				} else {
					fmt.Println("error", err)
				}
				return
			}
			switch b := m.Body.(type) {
			case Ping:
				fmt.Println("ping", b.N, m.Seq)
			case Pong:
				fmt.Println("pong", b.N, *b.Note)
			case MyStr:
				fmt.Println("str", b, b.Len())
			case nil:
				fmt.Println("nil body", m.Kind)
			default:
				fmt.Printf("%T %v\n", b, b)
			}
		}
	}()
	enc := gob.NewEncoder(w)
	note := "hi"
	for i, m := range []Message{{"ping", 1, Ping{1}}, {"pong", 2, Pong{2, &note}}, {"s", 3, MyStr("abc")}, {"n", 4, nil}, {"i", 5, int64(7)}, {"ping", 6, Ping{6}}} {
		if err := enc.Encode(m); err != nil {
			fmt.Println(i, err)
		}
	}
	w.Close()
	<-done
}

type MyStr string

func (s MyStr) Len() int { return len(s) }
