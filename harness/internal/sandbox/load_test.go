package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"
	_ "time/tzdata" // what the worker has

	"github.com/traefik/yaegi/interp"
)

func TestALockedProcessRunsAllThatScriptsMayDo(t *testing.T) {
	cmd := command("load", nil)
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd.Stdin = in
	go func() {
		defer feed.Close()
		feed.WriteString(strings.Repeat("through a pipe\n", 10_000))
	}()
	e := play(t, cmd)
	if e.code != 0 || !strings.HasSuffix(e.stdout, "all done\n") {
		t.Fatal(e)
	}
	if !strings.HasPrefix(e.stdout, "through a pipe\n") {
		t.Errorf("stdin did not come through: %.50q", e.stdout)
	}
}

func init() {
	parts["load"] = func(json.RawMessage) error {
		// Timers, goroutines and threads there are before the lock as well.
		tick := time.NewTicker(time.Millisecond)
		for range 4 {
			go func() { runtime.LockOSThread(); select {} }()
		}
		if _, err := Apply(nil); err != nil {
			return err
		}
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return fmt.Errorf("copying: %w", err)
		}
		for name, work := range loads {
			for i := range 3 {
				<-tick.C
				if err := work(i); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		fmt.Println("all done")
		return nil
	}
}

// loads are what scripts do that may need the kernel.
var loads = map[string]func(i int) error{
	"goroutines": func(int) error {
		var wg sync.WaitGroup
		sum := make(chan int)
		for i := range 500 {
			wg.Go(func() {
				<-time.After(time.Duration(i%7) * time.Millisecond)
				runtime.Gosched()
				sum <- i
			})
		}
		go func() { wg.Wait(); close(sum) }()
		total := 0
		for n := range sum {
			total += n
		}
		if total != 500*499/2 {
			return fmt.Errorf("the sum is %d", total)
		}
		return nil
	},
	"threads": func(int) error {
		// With cgo the stack of a thread, 8 MiB, counts as memory until the
		// thread has exited, which nothing waits for.
		const threads = 8
		var ready sync.WaitGroup
		ready.Add(threads)
		release := make(chan struct{})
		defer close(release)
		for i := range threads {
			go func() {
				runtime.LockOSThread() // half of them end with their goroutine
				if i%2 == 0 {
					defer runtime.UnlockOSThread()
				}
				ready.Done()
				<-release
			}()
		}
		ready.Wait()
		return nil
	},
	"garbage": func(int) error {
		var keep [][]byte
		for i := range 20_000 {
			b := make([]byte, 1<<10+i)
			if i%50 == 0 {
				keep = append(keep, b)
			}
		}
		runtime.GC()
		debug.FreeOSMemory()
		runtime.KeepAlive(keep)
		return nil
	},
	"busy loops give way": func(int) error {
		stop := time.Now().Add(30 * time.Millisecond)
		var wg sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for n := 0; time.Now().Before(stop); n++ {
				}
			})
		}
		wg.Wait()
		return nil
	},
	"pipes": func(int) error {
		// Frames come and go on several pipes at once; these are the standard
		// ones, so this is about many writers. Each may wait in a thread of its
		// own, whose stack counts, when the reader is slow.
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() { fmt.Fprintln(os.Stderr, i) })
		}
		wg.Wait()
		return nil
	},
	"time zones": func(int) error {
		for _, name := range []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "Local"} {
			if _, err := time.LoadLocation(name); err != nil {
				return err
			}
		}
		if _, err := time.LoadLocation("Nowhere/Land"); err == nil {
			return errors.New("a zone that there is not")
		}
		_ = time.Now().Local().String()
		return nil
	},
	"JSON": func(int) error {
		var v any
		if err := json.Unmarshal([]byte(strings.Repeat("[", 500)+`{"a":1.5,"b":["ü",null]}`+strings.Repeat("]", 500)), &v); err != nil {
			return err
		}
		_, err := json.Marshal(v)
		return err
	},
	"regexp": func(int) error {
		if !regexp.MustCompile(`(a+)+b`).MatchString(strings.Repeat("a", 10_000) + "b") {
			return errors.New("no match")
		}
		return nil
	},
	"templates": func(int) error {
		return template.Must(template.New("").Parse(`{{range .}}{{.}}{{end}}`)).Execute(io.Discard, []int{1, 2})
	},
	"reflection": func(int) error {
		f := reflect.MakeFunc(reflect.TypeFor[func(int) int](), func(in []reflect.Value) []reflect.Value { return in })
		if f.Call([]reflect.Value{reflect.ValueOf(3)})[0].Int() != 3 {
			return errors.New("a made function")
		}
		return nil
	},
	"random bytes": func(int) error {
		b := make([]byte, 1<<20)
		if _, err := rand.Read(b); err != nil {
			return err
		}
		sha256.Sum256(b)
		_, err := rand.Prime(rand.Reader, 128)
		return err
	},
	"big numbers": func(int) error {
		x := new(big.Int).Exp(big.NewInt(3), big.NewInt(100_000), nil)
		_ = x.String()
		return nil
	},
	"panics": func(i int) (err error) {
		defer func() { recover() }()
		var none []int
		return fmt.Errorf("there is %d at %d", none[i], i)
	},
	"nil pointers": func(int) (err error) {
		defer func() { recover() }()
		var p *[1 << 20]int
		p[1<<19]++
		return nil
	},
	"deep stacks": func(int) error {
		var down func(n int) int
		down = func(n int) int {
			if n == 0 {
				return 0
			}
			return 1 + down(n-1)
		}
		if down(100_000) != 100_000 {
			return errors.New("a sum")
		}
		return nil
	},
	"GOMAXPROCS": func(i int) error {
		runtime.GOMAXPROCS([]int{1, 8, runtime.NumCPU()}[i])
		return nil
	},
	"files fail in an orderly way": func(int) error {
		_, err := os.ReadFile("/etc/passwd")
		if !errors.Is(err, os.ErrPermission) {
			return fmt.Errorf("reading a file: %v", err)
		}
		return nil
	},
	"the interpreter": func(int) error {
		i := interp.New(interp.Options{})
		_, err := i.Eval(yaegiScript)
		return err
	},
	"sorting much": func(int) error {
		s := make([]int, 1_000_000)
		for i := range s {
			s[i] = (i * 7919) % 1_000_003
		}
		slices.Sort(s)
		return nil
	},
}

const yaegiScript = `
func work(n int, out chan int) {
	sum := 0
	for i := 0; i < n; i++ { sum += i % 7 }
	out <- sum
}

func run() int {
	out := make(chan int)
	for i := 0; i < 300; i++ { go work(100, out) }
	total := 0
	for i := 0; i < 300; i++ { total += <-out }
	return total
}

var total = run()
`
