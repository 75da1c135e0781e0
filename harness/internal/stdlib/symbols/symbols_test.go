package symbols

import (
	"os"
	"reflect"
	"testing"

	"github.com/traefik/yaegi/interp"
)

func TestScriptsReachNothingBeyondTheLists(t *testing.T) {
	for _, name := range []string{"ReadFile", "Getenv", "Open", "StartProcess", "Pipe", "Remove"} {
		if Has("os", name) {
			t.Errorf("os.%s is in the table", name)
		}
	}
	for _, name := range []string{"Caller", "LockOSThread", "SetFinalizer", "Stack"} {
		if Has("runtime", name) {
			t.Errorf("runtime.%s is in the table", name)
		}
	}
	for _, name := range []string{"Dial", "Listen", "LookupHost", "Interfaces", "DefaultResolver"} {
		if Has("net", name) {
			t.Errorf("net.%s is in the table", name)
		}
	}
	for _, path := range []string{"os/exec", "net/rpc", "syscall", "unsafe", "runtime/debug", "testing"} {
		if got := Exports(nil, path); len(got) != 0 {
			t.Errorf("%s is in the table: %v", path, got)
		}
	}
}

func TestExportsHaveTheShapeThatTheInterpreterTakes(t *testing.T) {
	i := interp.New(interp.Options{})
	if err := i.Use(Exports(nil, "math/rand/v2", "strings", "os", "io", "time")); err != nil {
		t.Fatal(err)
	}
	v, err := i.Eval(`
import ("io"; "math/rand/v2"; "os"; "strings"; "time")
func run() string {
	var w io.Writer = os.Stdout
	_ = w
	_ = rand.IntN(3)
	var d time.Duration = 3
	return strings.ToUpper("shaped") + d.String()
}
`)
	if err == nil {
		v, err = i.Eval("run()")
	}
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != "SHAPED3ns" {
		t.Errorf("got %q", v.String())
	}
}

func TestVariablesAreTheLibrarysOwn(t *testing.T) {
	v, ok := Lookup("os", "Args")
	if !ok || !v.CanSet() || v.Addr().Interface() != any(&os.Args) {
		t.Errorf("os.Args: got %v, %v", v, ok)
	}
	if v, ok := Lookup("io", "Writer"); !ok || v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Interface {
		t.Errorf("io.Writer: got %v, %v", v, ok)
	}
}

func BenchmarkExportsOfAScript(b *testing.B) {
	for b.Loop() {
		Exports(nil, "fmt", "strings", "sort", "strconv", "encoding/json", "time", "errors", "os")
	}
}

func BenchmarkExportsOfAll(b *testing.B) {
	paths := make([]string, 0, len(table))
	for i := range table {
		paths = append(paths, table[i].path)
	}
	for b.Loop() {
		Exports(nil, paths...)
	}
}
