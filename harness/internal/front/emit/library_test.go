package emit

import (
	"go/types"
	"slices"
	"testing"

	"github.com/usetools/usetools/harness/internal/front/export"
)

// onlyTheirs says that no type of a script has the method.
func onlyTheirs(m *types.Func) bool { return !m.Exported() || m.Name() == "RuntimeError" }

func TestEveryInterfaceOfTheLibraryHasAnAdapter(t *testing.T) {
	for _, path := range export.Packages() {
		p, err := export.Importer().Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			o, isType := p.Scope().Lookup(name).(*types.TypeName)
			if _, refused := export.Refused(path, name); !isType || !o.Exported() || refused {
				continue
			}
			i, isInterface := o.Type().Underlying().(*types.Interface)
			if n, isNamed := types.Unalias(o.Type()).(*types.Named); !isInterface || i.NumMethods() == 0 || isNamed && n.TypeParams().Len() > 0 {
				continue
			}
			full := types.TypeString(types.Unalias(o.Type()), nil)
			if slices.ContainsFunc(slices.Collect(i.Methods()), onlyTheirs) {
				continue
			}
			if adapters[full] == "" {
				t.Errorf("%s has no adapter: a script's own type is refused where the library takes it", full)
			}
			for m := range i.Methods() {
				if !slices.Contains(knownMethods, m.Name()) {
					t.Errorf("%s: knownMethods lacks %s", full, m.Name())
				}
			}
		}
	}
}
