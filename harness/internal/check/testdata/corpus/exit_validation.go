// Validates records, prints a report and exits with the number of problems.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

type Rule[T any] func(T) error

func All[T any](rs ...Rule[T]) Rule[T] {
	return func(v T) error {
		var errs []error
		for _, r := range rs {
			errs = append(errs, r(v))
		}
		return errors.Join(errs...)
	}
}

func Field[T, F any](name string, get func(T) F, rs ...Rule[F]) Rule[T] {
	return func(v T) error {
		if err := All(rs...)(get(v)); err != nil {
			return &FieldError{name, err}
		}
		return nil
	}
}

type FieldError struct {
	Field string
	Err   error
}

func (f *FieldError) Error() string {
	return f.Field + ": " + strings.ReplaceAll(f.Err.Error(), "\n", "; ")
}
func (f *FieldError) Unwrap() error { return f.Err }

var ErrRequired = errors.New("required")

func Required[T comparable](v T) error {
	var zero T
	if v == zero {
		return ErrRequired
	}
	return nil
}

func MaxLen(n int) Rule[string] {
	return func(s string) error {
		if got := utf8.RuneCountInString(s); got > n {
			return fmt.Errorf("%d > %d characters", got, n)
		}
		return nil
	}
}

func Match(re string) Rule[string] {
	r := regexp.MustCompile(re)
	return func(s string) error {
		if s != "" && !r.MatchString(s) {
			return fmt.Errorf("%q does not match %v", s, r)
		}
		return nil
	}
}

func Between[T int | float64](lo, hi T) Rule[T] {
	return func(v T) error {
		if v < lo || v > hi {
			return fmt.Errorf("%v not in [%v, %v]", v, lo, hi)
		}
		return nil
	}
}

type Host struct {
	Name  string `json:"name"`
	Mail  string `json:"mail"`
	Port  int    `json:"port"`
	Addr  netip.Addr
	Ratio float64
}

func main() {
	var hosts []Host
	err := json.Unmarshal([]byte(`[{"name":"web-1","mail":"A <a@b.c>","port":80,"Addr":"10.0.0.1","Ratio":0.5},
		{"name":"Größter Server!","mail":"nope","port":70000,"Addr":"::1"},{"port":-1,"Ratio":7}]`), &hosts)
	if err != nil {
		fmt.Println(err)
		os.Exit(99)
	}
	valid := All(
		Field("name", func(h Host) string { return h.Name }, Required[string], MaxLen(8), Match(`^[a-z0-9-]+$`)),
		Field("port", func(h Host) int { return h.Port }, Between(1, 65535)),
		Field("mail", func(h Host) string { return h.Mail }, func(s string) error { _, err := mail.ParseAddress(s); return err }),
		Field("addr", func(h Host) netip.Addr { return h.Addr }, Required[netip.Addr], func(a netip.Addr) error {
			if a.IsLoopback() {
				return errors.New("loopback")
			}
			return nil
		}),
		Field("ratio", func(h Host) float64 { return h.Ratio }, Between(0.0, 1.0)),
	)
	problems := 0
	for i, h := range hosts {
		err := valid(h)
		if err == nil {
			fmt.Printf("%d ok %v %v\n", i, h.Addr, netip.MustParsePrefix("10.0.0.0/8").Contains(h.Addr))
			continue
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			problems++
			fmt.Println(i, line)
		}
		var fe *FieldError
		fmt.Println(errors.As(err, &fe), fe.Field, errors.Is(err, ErrRequired))
	}
	fmt.Fprintln(os.Stderr, "problems:", problems)
	if problems > 0 {
		os.Exit(problems)
	}
}
