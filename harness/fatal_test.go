package harness_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
)

// TestAScriptThatDiesIsToldWhere runs scripts that take their worker down with
// them: the answer is about the script, not a dump of the Go runtime.
func TestAScriptThatDiesIsToldWhere(t *testing.T) {
	h := harness.New(&harness.Options{Limits: harness.Limits{Memory: 256 << 20}})
	for _, c := range []struct {
		name, script string
		want         outcome.Status
		line         int
		say          string
	}{
		{"memory in a loop", "var all [][]byte\nfor {\n\tall = append(all, make([]byte, 1<<22))\n}", outcome.MemoryLimit, 3,
			"256 MiB"},
		{"a string that grows", "fmt.Println(1)\ns := \"x\"\nfor {\n\ts += s\n}", outcome.MemoryLimit, 4, "256 MiB"},
		{"one huge slice", "n := 1 << 40\nfmt.Println(n)\nb := make([]byte, n)\nfmt.Println(len(b))", outcome.MemoryLimit, 3,
			"256 MiB"},
		{"a huge string of the library", "n := 1 << 36\nfmt.Println(1,\n\tlen(strings.Repeat(\"x\", n)))", outcome.MemoryLimit, 3,
			"256 MiB"},
		{"recursion", "func f(n int) int {\n\treturn f(n+1) + 1\n}\nfmt.Println(f(0))", outcome.MemoryLimit, 2,
			"the recursion is endless or too deep"},
		{"recursion of a closure", "var f func(int) int\nf = func(n int) int {\n\treturn f(n + 1)\n}\nfmt.Println(f(1))",
			outcome.MemoryLimit, 3, "the recursion is endless or too deep"},
		{"a deadlock", "c := make(chan int)\nfmt.Println(1)\nc <- 1", outcome.ScriptError, 3, "deadlock"},
		{"a mutex twice", "var mu sync.Mutex\nmu.Lock()\nmu.Lock()", outcome.ScriptError, 3, "deadlock"},
		{"a deadlock beside timers that nobody hears",
			"tick := time.NewTicker(time.Second)\ndefer tick.Stop()\nselect {\ncase <-time.After(time.Hour):\ndefault:\n}\nc " +
				":= make(chan int)\nfmt.Println(1)\nc <- 1", outcome.ScriptError, 9, "deadlock"},
		{"a deadlock beside timers that were stopped",
			"ctx, cancel := context.WithTimeout(context.Background(), time.Hour)\ncancel()\ntime.AfterFunc(time.Hour, func() " +
				"{}).Stop()\nt := time.NewTicker(time.Hour)\nt.Stop()\nfmt.Println(ctx.Err())\n<-t.C", outcome.ScriptError, 0, "deadlock"},
		{"a deadlock after timers", "ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)\ndefer " +
			"cancel()\n<-ctx.Done()\ntime.Sleep(time.Millisecond)\ntime.AfterFunc(time.Millisecond, func() {})\nfor i := " +
			"range 3 {\n\t<-time.After(time.Duration(i))\n}\nfmt.Println(1)\nselect {}", outcome.ScriptError, 0, "deadlock"},
		{"a deadlock of many", "var wg sync.WaitGroup\nfor range 2000 {\n\twg.Go(func() { select {} " +
			"})\n}\nfmt.Println(1)\nwg.Wait()", outcome.ScriptError, 0, "deadlock"},
		{"nothing to receive", "c := make(chan int)\nfmt.Println(1)\n\n<-c", outcome.ScriptError, 4, "deadlock"},
		{"no goroutine left", "runtime.Goexit()", outcome.ScriptError, 1, "no goroutines (main called runtime.Goexit) - deadlock!"},
		{"no main", "go func() {\n\ttime.Sleep(time.Millisecond)\n\tselect {}\n}()\ndefer " +
			"fmt.Println(\"deferred\")\nruntime.Goexit()", outcome.ScriptError, 0, "all goroutines are asleep"},
		{"an unlocked mutex", "var mu sync.Mutex\nfmt.Println(1)\nmu.Unlock()", outcome.ScriptError, 3, "unlock of unlocked mutex"},
		{"a map of goroutines", "m := map[int]int{}\nfor g := range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ " +
			"{\n\t\t\tm[i%10] = g\n\t\t}\n\t}()\n}\nselect {}", outcome.ScriptError, 5, "guard it with a sync.Mutex"},
		{"a map written in two places",
			"m := map[int]int{}\nm[1] = 2\nfor g := range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ {\n\t\t\tm[i%10] = " +
				"g\n\t\t}\n\t}()\n}\nselect {}", outcome.ScriptError, 0, "on lines 2, 6"},
		{"a panic in a goroutine", "fmt.Println(1)\ngo func() {\n\tpanic(\"boom\")\n}()\nselect {}", outcome.ScriptError, 3,
			"panic: boom"},
		{"a nil pointer in a goroutine", "go func() {\n\tvar p *int\n\tfmt.Println(*p)\n}()\nselect {}", outcome.ScriptError, 3,
			"nil pointer dereference"},
		{"a divisor in a goroutine", "zero := 0\ngo func() {\n\tx := 1\n\n\tx /= zero\n}()\nselect {}", outcome.ScriptError, 5,
			"panic: runtime error: integer divide by zero"},
		{"a remainder in a goroutine", "func f(a, b uint8) bool {\n\ta++\n\treturn b > 2 || a%b == 1\n}\ngo f(1, " +
			"0)\nselect {}", outcome.ScriptError, 3, "panic: runtime error: integer divide by zero"},
		{"a panic in the runtime's words", "fmt.Println(1)\npanic(\"fatal error: out of memory\")", outcome.ScriptError, 2,
			"panic: fatal error: out of memory"},
		{"an error in the runtime's words, in a goroutine",
			"go func() {\n\tpanic(errors.New(\"fatal error: all goroutines are asleep - deadlock!\"))\n}()\nselect {}",
			outcome.ScriptError, 2, "panic: fatal error: all"},
		{"a value for each turn", "for i := range 100_002 {\n\tReturn(i)\n}", outcome.OutputLimit, 2, "100000 values"},
		{"a loop", "n := 0\nfmt.Println(n)\nfor {\n\tn++\n}", outcome.Timeout, 3, "longer than"},
		{"a flood", "fmt.Println(1)\nfor {\n\tfmt.Println(strings.Repeat(\"x\", 1000))\n}", outcome.OutputLimit, 3,
			"wrote more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raceEnabled && testing.Short() && c.want == outcome.MemoryLimit {
				t.Skip("under the race detector memory is filled slowly, by one goroutine")
			}
			t.Parallel()
			tries := []time.Duration{3 * time.Minute} // under the race detector, on a busy machine, memory comes slowly
			switch {
			case c.want == outcome.Timeout:
				tries = untilThere
			case strings.Contains(c.script, "m[i%10]"):
				tries[0] = 0 // the default
			}
			var res *outcome.Result
			for _, limit := range tries {
				var err error
				if res, err = h.Run(t.Context(), &harness.Script{Source: c.script, Limits: harness.Limits{Timeout: limit}}); err != nil {
					t.Fatal(err)
				}
				if res.Error != nil && res.Error.Line == c.line {
					break
				}
			}
			if res.Status == outcome.Timeout && strings.Contains(c.script, "m[i%10]") {
				t.Skip("goroutines that share a core did not meet in the map")
			}
			if res.Status != c.want || res.Error == nil || !strings.Contains(res.Error.Message, c.say) {
				t.Fatalf("got %s, want %s with %q", text.Cut(res.Text(), 500), c.want, c.say)
			}
			if strings.Contains(res.Text(), "goroutine ") ||
				strings.Contains(strings.ReplaceAll(res.Text(), "runtime.Goexit", ""), "runtime.") {
				t.Errorf("it shows the runtime: %s", text.Cut(res.Text(), 500))
			}
			if res.Error.Line != c.line && runtime.GOOS == "linux" {
				t.Errorf("line %d, want %d: %s", res.Error.Line, c.line, text.Cut(res.Text(), 500))
			}
		})
	}
}

// TestAScriptThatWaitsIsNoDeadlock runs scripts in which for a while all
// goroutines are blocked, until a timer goes off.
func TestAScriptThatWaitsIsNoDeadlock(t *testing.T) {
	h := harness.New(nil)
	const wait = "400 * time.Millisecond"
	for name, script := range map[string]string{
		"asleep":             "done := make(chan int)\ngo func() {\n\ttime.Sleep(wait)\n\tclose(done)\n}()\n<-done",
		"a timer's function": "done := make(chan int)\ntime.AfterFunc(wait, func() { close(done) })\n<-done",
		"a timer":            "t := time.NewTimer(time.Hour)\nt.Reset(wait)\n<-t.C",
		"a stopped timer set again": "done := make(chan int)\nt := time.AfterFunc(time.Hour, func() { close(done) " +
			"})\nt.Stop()\nt.Reset(wait)\n<-done",
		"set through an interface": "done := make(chan int)\nt := time.AfterFunc(time.Nanosecond, func() { done <- 1 " +
			"})\n<-done\nvar r interface{ Reset(time.Duration) bool } = t\nr.Reset(wait + time.Second)\n<-done",
		"set by a method value": "done := make(chan int)\nt := time.AfterFunc(time.Nanosecond, func() { done <- 1 " +
			"})\n<-done\nreset := t.Reset\nreset(wait + time.Second)\n<-done",
		"an embedded timer": "type mine struct{ *time.Timer }\nm := mine{time.NewTimer(0)}\n<-m.C\nm.Reset(wait + " +
			"time.Second)\n<-m.C",
		"embedded, by interface": "type mine struct{ *time.Timer }\nm := mine{time.NewTimer(0)}\n<-m.C\nvar r " +
			"interface{ Reset(time.Duration) bool } = m\nr.Reset(wait + time.Second)\n<-m.C",
		"by a method expression": "m := time.NewTimer(0)\n<-m.C\nreset := (*time.Timer).Reset\nreset(m, " +
			"wait+time.Second)\n<-m.C",
		"a selected timer": "select {\ncase <-time.After(wait):\ncase <-make(chan int):\n}",
		"a ticker":         "for range time.Tick(wait) {\n\tbreak\n}",
		"a ticker set again": "t := time.NewTicker(time.Hour)\nt.Stop()\nt.Reset(wait)\n_, ok := " +
			"<-t.C\nfmt.Println(ok)",
		"set in a template": "t := time.NewTimer(0)\n<-t.C\nset := " +
			"template.Must(template.New(\"\").Parse(`{{.T.Reset .D}}`))\nset.Execute(io.Discard, map[string]any{\"T\": t, " +
			"\"D\": wait + time.Second})\n<-t.C",
		"ranged over in a template": "t := template.Must(template.New(\"\").Parse(`{{range " +
			".}}{{break}}{{end}}`))\nt.Execute(io.Discard, time.After(wait))",
		"a deadline": "ctx, cancel := context.WithTimeout(context.Background(), wait)\ndefer " +
			"cancel()\n<-ctx.Done()",
		"a deadline of a parent": "ctx, cancel := context.WithDeadline(context.Background(), " +
			"time.Now().Add(wait))\ndefer cancel()\ninner, stop := context.WithCancel(context.WithValue(ctx, 1, 2))\ndefer " +
			"stop()\n<-inner.Done()",
		"after a deadline": "ctx, cancel := context.WithTimeout(context.Background(), wait)\ndefer " +
			"cancel()\ndone := make(chan int)\ncontext.AfterFunc(ctx, func() { close(done) })\n<-done",
		"more timers than are kept": "done := make(chan int, 5000)\nfor i := range 3000 " +
			"{\n\ttime.AfterFunc(wait+time.Duration(i), func() { done <- 1 })\n}\nfor range 3000 {\n\t<-done\n}",
		"main has ended": "go func() " +
			"{\n\ttime.Sleep(wait)\n\tfmt.Println(\"over\")\n\tos.Exit(0)\n}()\nruntime.Goexit()",
		"library code that waits": "r, w := io.Pipe()\ngo func() {\n\ttime.Sleep(wait)\n\tfmt.Fprint(w, " +
			"\"x\")\n\tw.Close()\n}()\nb, err := io.ReadAll(r)\nfmt.Println(string(b), err)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := strings.ReplaceAll(script, "wait", wait) + "\nfmt.Println(\"over\")"
			res, err := h.Run(t.Context(), &harness.Script{Source: source})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status != outcome.OK || !strings.HasSuffix(res.Stdout, "over\n") {
				t.Errorf("got %s", text.Cut(res.Text(), 500))
			}
		})
	}
}
