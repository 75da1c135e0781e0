package main

import (
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"time"
)

type Job struct {
	ID   int
	Name string
}

func (j Job) String() string { return fmt.Sprintf("job %d (%s)", j.ID, j.Name) }

type Celsius float64

type Fail struct{ op string }

func (f *Fail) Error() string { return f.op }

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Printf("%s: %T %v\n", name, r, r)
		}
	}()
	f()
}

type Op func(a, b int) (Celsius, error)

func swap[T any](f *T) {
	v := reflect.ValueOf(f).Elem()
	v.Set(reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{args[1], args[0]}
	}))
}

func logged(f any) any {
	v := reflect.ValueOf(f)
	return reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		var parts []string
		for _, a := range args {
			parts = append(parts, fmt.Sprint(a))
		}
		fmt.Println("call", v.Type(), strings.Join(parts, ","))
		if v.Type().IsVariadic() {
			return v.CallSlice(args)
		}
		return v.Call(args)
	}).Interface()
}

func main() {
	// channels of the script's types
	ch := make(chan Job, 3)
	v := reflect.ValueOf(ch)
	v.Send(reflect.ValueOf(Job{1, "a"}))
	fmt.Println(v.TrySend(reflect.ValueOf(Job{2, "b"})), v.Len(), v.Cap())
	ch <- Job{3, "c"}
	fmt.Println(v.TrySend(reflect.ValueOf(Job{4, "d"})))
	x, ok := v.Recv()
	fmt.Println(x, ok, x.Interface().(Job).Name, x.Type())
	fmt.Println(<-ch)
	v.Close()
	x, ok = v.TryRecv()
	fmt.Println(x, ok)
	x, ok = v.Recv()
	fmt.Println(x, ok)
	x, ok = v.TryRecv()
	fmt.Println(x, ok, x.IsValid())
	e := reflect.ValueOf(make(chan int))
	x, ok = e.TryRecv()
	fmt.Println(x, ok, x.IsValid())
	try("closed", func() { v.Send(reflect.ValueOf(Job{})) })
	try("close again", func() { v.Close() })
	try("nil", func() { reflect.ValueOf((chan Job)(nil)).Close() })
	try("no chan", func() { reflect.ValueOf(1).Recv() })
	try("type", func() { reflect.ValueOf(make(chan Job, 1)).Send(reflect.ValueOf(1)) })
	try("type", func() { reflect.ValueOf(make(chan int, 1)).Send(reflect.ValueOf(Celsius(1))) })
	ro, so := (<-chan Job)(ch), (chan<- Celsius)(make(chan Celsius, 1))
	try("ro", func() { reflect.ValueOf(ro).Send(reflect.ValueOf(Job{})) })
	try("ro", func() { reflect.ValueOf(ro).Close() })
	try("so", func() { reflect.ValueOf(so).Recv() })
	fmt.Println(reflect.TypeOf(ro), reflect.TypeOf(so), reflect.TypeOf(ro).ChanDir(), reflect.TypeOf(so).ChanDir(), reflect.TypeOf(ch).ChanDir())
	any1 := make(chan any, 3)
	av := reflect.ValueOf(any1)
	av.Send(reflect.ValueOf(Celsius(2)))
	av.Send(reflect.ValueOf(&Fail{"f"}))
	fmt.Println(<-any1)
	x, _ = av.Recv()
	fmt.Println(x.Kind(), x.Elem().Type(), x.Interface().(error).Error())
	errs := make(chan error, 1)
	reflect.ValueOf(errs).Send(reflect.ValueOf(&Fail{"g"}))
	var fail *Fail
	fmt.Println(errors.As(<-errs, &fail), fail.op)

	// made channels
	t := reflect.ChanOf(reflect.BothDir, reflect.TypeFor[Celsius]())
	fmt.Println(t, t == reflect.TypeFor[chan Celsius](), reflect.ChanOf(reflect.RecvDir, reflect.TypeFor[int]()))
	mc := reflect.MakeChan(t, 2)
	c := mc.Interface().(chan Celsius)
	c <- 1.5
	close(c)
	for x := range c {
		fmt.Printf("%T %v\n", x, x)
	}
	try("MakeChan", func() { reflect.MakeChan(reflect.TypeOf(1), 1) })
	try("MakeChan", func() { reflect.MakeChan(t, -1) })
	try("MakeChan", func() { reflect.MakeChan(reflect.TypeOf(ro), 1) })

	// select
	var wg sync.WaitGroup
	chans := []chan Job{make(chan Job), make(chan Job), make(chan Job)}
	var cases []reflect.SelectCase
	for i, c := range chans {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer close(c)
			c <- Job{i, "x"}
		}()
	}
	var got []string
	for open := len(cases); open > 0; {
		i, x, ok := reflect.Select(cases)
		if !ok {
			cases[i].Chan = reflect.Value{}
			open--
			continue
		}
		got = append(got, fmt.Sprint(i, x))
	}
	wg.Wait()
	sort.Strings(got)
	fmt.Println(got)
	out := make(chan Celsius, 1)
	i, x, ok := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectSend, Chan: reflect.ValueOf(out), Send: reflect.ValueOf(Celsius(3))},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(make(chan int))},
	})
	fmt.Println(i, x, ok, <-out)
	i, x, ok = reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(out)}, {Dir: reflect.SelectDefault}})
	fmt.Println(i, x.IsValid(), ok)
	i, x, ok = reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(out)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(time.After(time.Millisecond))}})
	fmt.Println(i, x.Type(), ok)
	try("select", func() { reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: reflect.ValueOf(out)}}) })
	try("select", func() { reflect.Select([]reflect.SelectCase{{}}) })
	try("select", func() {
		reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend, Chan: reflect.ValueOf(out), Send: reflect.ValueOf(1)}})
	})
	try("select", func() {
		reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectDefault}, {Dir: reflect.SelectDefault}})
	})
	fmt.Printf("%T %v\n", cases, reflect.SelectRecv)

	// functions
	var sw func(int, string) (string, int)
	swap(&sw)
	fmt.Println(sw(1, "a"))
	var jc func(Job, Celsius) (Celsius, Job)
	swap(&jc)
	fmt.Println(jc(Job{1, "n"}, 2.5))
	var ie func(any, error) (error, any)
	swap(&ie)
	fmt.Println(ie(Job{2, "i"}, &Fail{"err"}))
	add := func(a, b int) (Celsius, error) {
		if b == 0 {
			return 0, &Fail{"zero"}
		}
		return Celsius(a + b), nil
	}
	f := logged(add).(func(int, int) (Celsius, error))
	fmt.Println(f(1, 2))
	fmt.Println(f(1, 0))
	op := logged(Op(add)).(Op)
	fmt.Println(op(3, 4))
	vf := logged(func(s string, jobs ...Job) string { return s + fmt.Sprint(jobs) }).(func(string, ...Job) string)
	fmt.Println(vf("v", Job{1, "x"}, Job{2, "y"}), vf("none"))
	lib := logged(strings.Repeat).(func(string, int) string)
	fmt.Println(lib("ab", 2))
	mt := reflect.TypeFor[func(Job) error]()
	mf := reflect.MakeFunc(mt, func(args []reflect.Value) []reflect.Value {
		j := args[0].Interface().(Job)
		if j.ID > 0 {
			return []reflect.Value{reflect.Zero(mt.Out(0))}
		}
		return []reflect.Value{reflect.ValueOf(fmt.Errorf("bad %v", j))}
	})
	g := mf.Interface().(func(Job) error)
	fmt.Println(g(Job{1, ""}), g(Job{}), mf.Call([]reflect.Value{reflect.ValueOf(Job{})})[0])
	try("count", func() {
		reflect.MakeFunc(mt, func([]reflect.Value) []reflect.Value { return nil }).Interface().(func(Job) error)(Job{})
	})
	try("wrong", func() {
		reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf("x")} }).Interface().(func() int)()
	})
	try("panics", func() {
		reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { panic(Celsius(4)) }).Interface().(func() int)()
	})
	try("nofunc", func() { reflect.MakeFunc(reflect.TypeOf(1), nil) })
	less := reflect.MakeFunc(reflect.TypeFor[func(i, j int) bool](), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(a[0].Int() > a[1].Int())}
	}).Interface().(func(i, j int) bool)
	fmt.Println(less(1, 2), less(2, 1))

	// the rest
	a, b := []Job{{1, "a"}, {2, "b"}}, []Job{{3, "c"}}
	fmt.Println(reflect.Copy(reflect.ValueOf(a), reflect.ValueOf(b)), a)
	bs := make([]byte, 3)
	fmt.Println(reflect.Copy(reflect.ValueOf(bs), reflect.ValueOf("xyz")), string(bs))
	try("copy", func() { reflect.Copy(reflect.ValueOf(a), reflect.ValueOf([]int{1})) })
	m := map[string]Job{"a": {}}
	reflect.ValueOf(m).Clear()
	reflect.ValueOf(a).Clear()
	fmt.Println(m, a)
	s := reflect.ValueOf(&a).Elem()
	s.Grow(100)
	fmt.Println(s.Cap() >= 102, s.Len())
	s.SetCap(5)
	fmt.Println(cap(a), s.Slice3(0, 1, 2).Cap(), reflect.ValueOf([3]int{}).Type())
	try("slice3", func() { s.Slice3(2, 1, 3) })
	try("setcap", func() { s.SetCap(1) })
}
