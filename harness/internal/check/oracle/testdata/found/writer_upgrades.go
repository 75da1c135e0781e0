package main

import (
	"fmt"
	"io"
	"strings"
)

type sink struct{ *strings.Builder }

func (s *sink) Write(p []byte) (int, error) { return 0, fmt.Errorf("not this one") }

type own struct{ log []string }

func (o *own) Write(p []byte) (int, error) { o.log = append(o.log, "Write"); return len(p), nil }
func (o *own) WriteString(s string) (int, error) {
	o.log = append(o.log, "WriteString")
	return len(s), nil
}
func (o *own) ReadFrom(r io.Reader) (int64, error) {
	o.log = append(o.log, "ReadFrom")
	b, err := io.ReadAll(r)
	return int64(len(b)), err
}

func main() {
	s := &sink{&strings.Builder{}}
	o := &own{}
	fmt.Println(io.WriteString(s, "direct"))
	fmt.Println(io.WriteString(io.MultiWriter(o, s), "both"))
	fmt.Println(io.Copy(o, io.LimitReader(strings.NewReader("abc"), 2)))
	fmt.Println(s.String(), o.log)
}
