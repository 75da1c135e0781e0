package main

import (
	"errors"
	"fmt"
	"reflect"
)

type S3 struct{ F1 []string }

func (x S3) String() string { return fmt.Sprint("<S3 ", x.F1, ">") }

type E string

func (e E) Error() string { return "é" + string(e) }

type In struct {
	S S3
	E error
	e E
}

func main() {
	s := S3{[]string{"häß"}}
	for _, f := range []string{"%+q", "%+v", "%+s", "%+x", "%+ x", "%+#q", "%#q", "%+10q|", "%-+20q|", "%+X", "%+d", "%+#v"} {
		fmt.Printf(f+"\n", s)
		fmt.Printf(f+"\n", []S3{s})
		fmt.Printf(f+"\n", E("ü"))
		fmt.Printf(f+"\n", In{s, E("x"), "ö"})
		fmt.Printf(f+"\n", map[E]S3{"a": s})
		fmt.Printf(f+"\n", errors.New("ß"))
		fmt.Printf(f+"\n", reflect.ValueOf(s))
		fmt.Printf(f+"\n", []any{s, E("q")})
	}
}
