package lower

import (
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/internal/bridge"
	rt "github.com/usetools/usetools/harness/internal/runtime"
	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

func TestReplacedFunctionsExistOnBothSides(t *testing.T) {
	symbols := rt.New(rt.Config{}).Symbols(nil)
	seen := map[string]bool{}
	for _, r := range replacements {
		if r.why == "" || len(r.funcs) == 0 {
			t.Errorf("%v: no reason, or nothing that it is the reason of", r.funcs)
		}
		for full, name := range r.funcs {
			if seen[full] {
				t.Errorf("%s is replaced twice", full)
			}
			seen[full] = true
			by, ok := symbols[name]
			if !ok || by.Kind() != reflect.Func {
				t.Errorf("%s: rt has no function %s", full, name)
				continue
			}
			if own, ok := strings.CutPrefix(full, "usetools/"); ok {
				_, f, _ := strings.Cut(own, ".")
				if !strings.Contains(bridge.Prelude+bridge.Source, "\nfunc "+f+"(") {
					t.Errorf("%s: the harness has no such function", full)
				}
				continue
			}
			f := libraryFunc(t, full)
			if f == nil {
				t.Errorf("%s: the library has no such function", full)
				continue
			}
			sig, in := f.Signature(), f.Signature().Params().Len()
			if sig.Recv() != nil {
				in++
			}
			if r.placed || r.lined {
				in++
			}
			if got := by.Type(); got.NumIn() != in || !r.generic && (got.NumOut() != sig.Results().Len() || got.IsVariadic() != sig.Variadic()) {
				t.Errorf("%s is replaced by a %s", full, got)
			}
		}
	}
}

// libraryFunc finds a function, or a method, by its full name.
func libraryFunc(t *testing.T, full string) *types.Func {
	t.Helper()
	name, isMethod := strings.CutPrefix(full, "(")
	name = strings.TrimPrefix(name, "*")
	path, name, _ := strings.Cut(strings.Replace(name, ")", "", 1), ".")
	typ, method, _ := strings.Cut(name, ".")
	p, err := export.Importer().Import(path)
	if err != nil {
		t.Fatal(err)
	}
	o := p.Scope().Lookup(typ)
	if o != nil && isMethod {
		o, _, _ = types.LookupFieldOrMethod(types.NewPointer(o.Type()), false, p, method)
	}
	f, _ := o.(*types.Func)
	return f
}
