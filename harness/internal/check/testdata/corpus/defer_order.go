package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

type Resource struct {
	name string
	log  *[]string
}

func Open(name string, log *[]string) (*Resource, error) {
	if strings.HasPrefix(name, "bad") {
		return nil, fmt.Errorf("open %s: %w", name, os.ErrPermission)
	}
	*log = append(*log, "open "+name)
	return &Resource{name, log}, nil
}

func (r *Resource) Close() error {
	*r.log = append(*r.log, "close "+r.name)
	if r.name == "flaky" {
		return errors.New("close flaky failed")
	}
	return nil
}

func useAll(names ...string) (opened int, err error, log []string) {
	for _, n := range names {
		r, e := Open(n, &log)
		if e != nil {
			err = e
			return
		}
		opened++
		defer func() {
			if ce := r.Close(); ce != nil {
				err = errors.Join(err, ce)
			}
		}()
	}
	return opened, nil, log
}

func named() (x int, s string) {
	defer func() { x *= 2; s += "!" }()
	x = 1
	return x + 10, "ret"
}

func shadow() (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("outer: %w", err)
		}
	}()
	if true {
		_, err := fmt.Sscanf("x", "%d", new(int))
		if err != nil {
			return err
		}
	}
	return nil
}

func loopDefer() (out []int) {
	for i := 0; i < 3; i++ {
		defer func(n int) { out = append(out, n*10, i) }(i)
	}
	defer func() { out = append(out, -1) }()
	return []int{7}
}

func nested() (res string) {
	defer func() {
		r := recover()
		res = fmt.Sprintf("outer got %v", r)
	}()
	defer func() {
		defer func() {
			r := recover()
			fmt.Println("inner got", r)
			panic("third")
		}()
		panic("second")
	}()
	panic("first")
}

func evalArgs() {
	x := 1
	p := &x
	defer fmt.Println("deferred", x, *p, func() int { x++; return x }())
	x = 50
	fmt.Println("now", x)
}

func rethrow(f func()) (err error) {
	defer func() {
		switch r := recover(); e := r.(type) {
		case nil:
		case string:
			err = errors.New("str:" + e)
		case error:
			err = fmt.Errorf("err: %w", e)
		case fmt.Stringer:
			err = errors.New("stringer:" + e.String())
		case int, int64:
			err = fmt.Errorf("int %v %T", e, e)
		default:
			panic(r)
		}
	}()
	f()
	return
}

type st struct{ n int }

func (s st) String() string { return fmt.Sprint("st", s.n) }

type mut struct{ v []int }

func (m mut) show(label string)   { fmt.Println(label, m.v) }
func (m *mut) showP(label string) { fmt.Println(label, m.v) }

func recursive(n int, acc *[]string) {
	defer func() { *acc = append(*acc, fmt.Sprint("leave", n)) }()
	if n == 0 {
		panic(fmt.Sprintf("bottom"))
	}
	*acc = append(*acc, fmt.Sprint("enter", n))
	recursive(n-1, acc)
}

func main() {
	fmt.Println(useAll("a", "b"))
	n, err, log := useAll("a", "flaky", "bad1", "c")
	fmt.Println(n, err, log, errors.Is(err, os.ErrPermission))
	fmt.Println(named())
	fmt.Println(shadow())
	fmt.Println(loopDefer())
	fmt.Println(nested())
	evalArgs()
	for _, f := range []func(){func() { panic("s") }, func() { panic(os.ErrExist) }, func() { panic(st{4}) }, func() { panic(int64(9)) }, func() {}, func() { var a []int; a[3]++ }} {
		fmt.Println(rethrow(f))
	}
	m := mut{[]int{1}}
	func() {
		defer m.show("value")
		defer m.showP("ptr")
		m.v = append(m.v, 2)
	}()
	var acc []string
	func() {
		defer func() { acc = append(acc, fmt.Sprint("rec:", recover())) }()
		recursive(2, &acc)
	}()
	fmt.Println(acc)
	func() {
		defer func() { fmt.Println("outermost", recover()) }()
		rethrow(func() { panic([]int{1, 2}) })
	}()
	defer func() {
		defer fmt.Println("still printed")
		panic(fmt.Errorf("replaced: %v", recover()))
	}()
	panic(st{99})
}
