package harness

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestAScriptThatDiesIsToldWhere runs scripts that take their worker down with
// them: the answer is about the script, not a dump of the Go runtime.
func TestAScriptThatDiesIsToldWhere(t *testing.T) {
	h := New(&Options{Limits: Limits{Memory: 256 << 20}})
	for _, c := range []struct {
		name, script string
		want         Status
		line         int
		say          string
	}{
		{"memory in a loop", "var all [][]byte\nfor {\n\tall = append(all, make([]byte, 1<<22))\n}", MemoryLimit, 3, "256 MiB"},
		{"a string that grows", "fmt.Println(1)\ns := \"x\"\nfor {\n\ts += s\n}", MemoryLimit, 4, "256 MiB"},
		{"one huge slice", "n := 1 << 40\nfmt.Println(n)\nb := make([]byte, n)\nfmt.Println(len(b))", MemoryLimit, 3, "256 MiB"},
		{"a huge string of the library", "n := 1 << 36\nfmt.Println(1,\n\tlen(strings.Repeat(\"x\", n)))", MemoryLimit, 3, "256 MiB"},
		{"recursion", "func f(n int) int {\n\treturn f(n+1) + 1\n}\nfmt.Println(f(0))", MemoryLimit, 2, "calls itself without end"},
		{"recursion of a closure", "var f func(int) int\nf = func(n int) int {\n\treturn f(n + 1)\n}\nfmt.Println(f(1))", MemoryLimit, 3, "calls itself without end"},
		{"a deadlock", "c := make(chan int)\nfmt.Println(1)\nc <- 1", ScriptError, 3, "deadlock"},
		{"a mutex twice", "var mu sync.Mutex\nmu.Lock()\nmu.Lock()", ScriptError, 3, "deadlock"},
		{"an unlocked mutex", "var mu sync.Mutex\nfmt.Println(1)\nmu.Unlock()", ScriptError, 3, "unlock of unlocked mutex"},
		{"a map of goroutines", "m := map[int]int{}\nfor g := range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ {\n\t\t\tm[i%10] = g\n\t\t}\n\t}()\n}\nselect {}", ScriptError, 5, "guard it with a sync.Mutex"},
		{"a map written in two places", "m := map[int]int{}\nm[1] = 2\nfor g := range 8 {\n\tgo func() {\n\t\tfor i := 0; ; i++ {\n\t\t\tm[i%10] = g\n\t\t}\n\t}()\n}\nselect {}", ScriptError, 0, "on lines 2, 6"},
		{"a panic in a goroutine", "fmt.Println(1)\ngo func() {\n\tpanic(\"boom\")\n}()\nselect {}", ScriptError, 3, "panic: boom"},
		{"a nil pointer in a goroutine", "go func() {\n\tvar p *int\n\tfmt.Println(*p)\n}()\nselect {}", ScriptError, 3, "nil pointer dereference"},
		{"a loop", "n := 0\nfmt.Println(n)\nfor {\n\tn++\n}", Timeout, 3, "longer than"},
		{"a flood", "fmt.Println(1)\nfor {\n\tfmt.Println(strings.Repeat(\"x\", 1000))\n}", OutputLimit, 3, "wrote more than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &Script{Source: c.script}
			if c.want == Timeout {
				s.Limits.Timeout = 10 * time.Second // to start, to compile, and to be in the loop
			}
			res, err := h.Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == Timeout && strings.Contains(c.script, "m[i%10]") {
				t.Skip("goroutines that share a core did not meet in the map")
			}
			if res.Status != c.want || res.Error == nil || !strings.Contains(res.Error.Message, c.say) {
				t.Fatalf("got %s, want %s with %q", cut(res.Text(), 500), c.want, c.say)
			}
			if strings.Contains(res.Text(), "goroutine ") || strings.Contains(res.Text(), "runtime.") {
				t.Errorf("it shows the runtime: %s", cut(res.Text(), 500))
			}
			if res.Error.Line != c.line && runtime.GOOS == "linux" {
				t.Errorf("line %d, want %d: %s", res.Error.Line, c.line, cut(res.Text(), 500))
			}
		})
	}
}
