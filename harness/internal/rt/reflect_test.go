package rt

import (
	"bytes"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestReflectionFindsNoRefusedMethods goes to methods that scripts may not call
// by way of their names.
func TestReflectionFindsNoRefusedMethods(t *testing.T) {
	m := New(Config{Refused: func(path, name string) bool { return path == "os" && name == "File.Fd" }})
	int1 := reflect.ValueOf(1)
	for _, c := range []struct {
		x        any
		method   string
		refused  bool
		external bool // its name as a method of the type is tried too
	}{
		{os.Stdout, "Fd", true, true},
		{os.Stdout, "Name", false, true},
		{bytes.NewBufferString("x"), "Len", false, true},
		{int1, "Kind", true, true},
		{&int1, "Kind", true, true},
		{ReflectValueOf(1), "Kind", true, false},
		{reflect.TypeFor[int](), "Kind", true, true},
		{m.reflectTypeOf(types.Typ[types.Int]), "Kind", true, true},
	} {
		t.Run(fmt.Sprintf("%T.%s", c.x, c.method), func(t *testing.T) {
			v := m.known(ReflectValue{v: reflect.ValueOf(c.x)})
			calls := []func(){func() { v.MethodByName(c.method).Call(nil) }}
			if f, ok := m.typeMethodByName(v.v.Type(), c.method); ok && c.external {
				calls = append(calls, func() { f.Func.Call([]ReflectValue{v}) })
			}
			for i, call := range calls {
				text := ""
				func() {
					defer func() {
						if p, ok := recover().(*Panic); ok {
							text = p.Text()
						}
					}()
					call()
				}()
				if got := strings.Contains(text, "not available to scripts"); got != c.refused {
					t.Errorf("way %d: panic %q, want refused: %t", i, text, c.refused)
				}
			}
		})
	}
}
