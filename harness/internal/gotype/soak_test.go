package gotype

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 300*time.Millisecond, "how long made types are held under collections")

// grow calls f with n frames of 512 bytes more on the stack.
func grow(n int, f func()) {
	var pad [512]byte
	pad[n%512] = 1
	if n == 0 {
		f()
		return
	}
	grow(n-1, f)
	runtime.KeepAlive(&pad)
}

func init() { grown, traced = grow, trace }

func trace() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	text := ""
	for {
		f, more := frames.Next()
		text += f.Function + ";"
		if !more {
			return text + string(debug.Stack())
		}
	}
}

type (
	summer interface{ Sum() int }
	failer interface{ Fail() string }
	tracer interface{ Trace() string }
)

// TestSoak holds made types under collections, growing stacks, panics and traces,
// from 16 goroutines, while others are made; -soak says how long.
func TestSoak(t *testing.T) {
	end := time.Now().Add(*soak)
	var ws [3]*twins
	var made [3]reflect.Type
	for i := range ws {
		ws[i] = newTwins([]mode{asCompiled, valueOnly, pointerOnly}[i])
		made[i] = ws[i].twin(reflect.TypeFor[Soaked]())
		defer ws[i].Close()
	}
	var all sync.WaitGroup
	var shared sync.Map
	for g := range 16 {
		all.Go(func() {
			for i := 0; i == 0 || time.Now().Before(end); i++ {
				done := make(chan error, 1)
				go func() { done <- soakOnce(made[(g+i)%3], &shared, g) }() // on a new, small stack
				if err := <-done; err != nil {
					t.Error(err)
					return
				}
				switch {
				case i%20 == g:
					runtime.GC()
				case i%10 == 0: // makes types beside the others
					w := newTwins(asMemory)
					w.twin(reflect.TypeFor[Outer]())
					w.Close()
				}
			}
		})
	}
	all.Wait()
}

func soakOnce(t reflect.Type, shared *sync.Map, g int) error {
	const last = 49
	var head any
	var before reflect.Value
	for k := range last + 1 {
		n := reflect.New(t) // allocated under the real type
		e := (*Soaked)(n.UnsafePointer())
		e.name, e.Val = "n"+strconv.Itoa(k), k
		x := k
		e.Big[39] = &x
		if before.IsValid() {
			n.Elem().Field(2).Set(before)
			n.Elem().Field(4).Set(reflect.MakeMap(n.Elem().Field(4).Type()))
			n.Elem().Field(4).SetMapIndex(reflect.ValueOf("k"), before)
			if e.By["k"] != e.Next {
				return fmt.Errorf("map of a made type has lost a key")
			}
			e.Any = before.Interface()
		}
		before = n
		head = n.Interface()
	}
	if got := fmt.Sprint(head, reflect.ValueOf(head).Elem().Interface(), head.(summer).Sum()); got != "n4949 n4949 1225" {
		return fmt.Errorf("methods return %s", got)
	}
	c := reflect.ValueOf(head).MethodByName("Copy").Call(nil)[0]
	if fmt.Sprint(c) != "n4950" || c.Type() != t {
		return fmt.Errorf("Copy returns %v", c)
	}
	if b, err := json.Marshal(head); err != nil || !bytes.HasPrefix(b, []byte(`{"v":49,"Next":{"v":48`)) {
		return fmt.Errorf("json: %.80s %v", b, err)
	}
	for _, v := range []int{2, 3} {
		n := reflect.New(t)
		(*Soaked)(n.UnsafePointer()).Val = v
		func() {
			defer func() {
				if r := recover(); r != "fail 2" {
					_ = r.(runtime.Error)
				}
			}()
			n.Interface().(failer).Fail()
		}()
	}
	if tr := head.(tracer).Trace(); !strings.Contains(tr, "Soaked).Trace") || !strings.Contains(tr, "gotype.soakOnce") {
		return fmt.Errorf("trace: %s", tr)
	}
	k := last
	for n := (*Soaked)(reflect.ValueOf(head).UnsafePointer()); n != nil; n = n.Next {
		if n.Val != k || *n.Big[39] != k {
			return fmt.Errorf("memory of %d has %d and %d", k, n.Val, *n.Big[39])
		}
		k--
	}
	shared.Store(g, head)
	if o, ok := shared.Load((g + 1) % 16); ok && o.(summer).Sum() != 1225 {
		return fmt.Errorf("what another goroutine made has lost values")
	}
	return nil
}
