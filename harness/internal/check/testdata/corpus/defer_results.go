// Defers that read and modify results, run order in loops, with closures, methods and recovered re-panics.
package main

import (
	"errors"
	"fmt"
	"strings"
)

type resource struct {
	name string
	log  *[]string
}

func open(name string, log *[]string) (*resource, error) {
	if strings.HasPrefix(name, "bad") {
		return nil, fmt.Errorf("open %s", name)
	}
	*log = append(*log, "open "+name)
	return &resource{name, log}, nil
}

func (r *resource) Close() error {
	*r.log = append(*r.log, "close "+r.name)
	if strings.HasSuffix(r.name, "!") {
		return errors.New("close failed: " + r.name)
	}
	return nil
}

func copyAll(log *[]string, names ...string) (n int, err error) {
	for _, name := range names {
		r, err2 := open(name, log)
		if err2 != nil {
			return n, err2
		}
		defer func() {
			if cerr := r.Close(); cerr != nil {
				err = errors.Join(err, cerr)
				n = -n
			}
		}()
		n += len(name)
	}
	return
}

func count() (i int) {
	for i = range 3 {
		defer func() { i += 10 }()
		defer func(j int) { i += j }(i)
	}
	return i * 100
}

type acc struct{ sum int }

func (a acc) addVal(n int)  { fmt.Print("val", a.sum+n, " ") }
func (a *acc) addPtr(n int) { a.sum += n }
func (a *acc) done()        { fmt.Println("done", a.sum) }

func methods() acc {
	a := acc{1}
	defer a.done()
	defer a.addVal(5)
	defer a.addPtr(100)
	a.sum = 10
	return a
}

func nested() (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprintf("%s then outer(%v)", s, r)
		}
	}()
	defer func() {
		defer func() {
			if r := recover(); r != nil {
				s += fmt.Sprintf("inner(%v)", r)
				panic("third")
			}
		}()
		if r := recover(); r != nil {
			panic(fmt.Sprint("second after ", r))
		}
	}()
	panic("first")
}

func loop() (out []int) {
	for i := range 5 {
		func() {
			defer func() {
				if recover() != nil {
					out = append(out, -i)
				}
			}()
			if i%2 == 1 {
				panic(i)
			}
			out = append(out, i)
		}()
	}
	return
}

func early(n int) (res map[string]int, err error) {
	res = map[string]int{}
	defer func() { res["deferred"] = n }()
	if n > 1 {
		return map[string]int{"big": n}, nil
	}
	if n < 0 {
		return nil, errors.New("negative")
	}
	res["small"] = n
	return res, nil
}

func mustEarly(n int) (s string) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprint("recovered: ", r)
		}
	}()
	m, err := early(n)
	return fmt.Sprint(m, err)
}

func unnamed() int {
	x := 1
	defer func() { x = 50 }()
	return x + 1
}

func main() {
	var log []string
	for _, names := range [][]string{{"a", "bb"}, {"a!", "bb!", "c"}, {"a", "bad", "c"}, {"q!", "bad!"}} {
		log = log[:0]
		n, err := copyAll(&log, names...)
		fmt.Printf("%d %q %v\n", n, err, log)
	}
	fmt.Println(count(), unnamed())
	fmt.Println(methods())
	fmt.Println(nested())
	fmt.Println(loop())
	fmt.Println(mustEarly(5), mustEarly(1), mustEarly(-1))
	func() {
		defer fmt.Println("deferred print", len(log), strings.Join(log, ","))
		log = append(log, "later")
	}()
	for i := 0; i < 3; i++ {
		defer func() { fmt.Print("main", i, " ") }()
	}
}
