package export

import (
	"errors"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

func TestEveryListedPackageImports(t *testing.T) {
	for _, path := range Packages() {
		p, err := Importer().Import(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.Path() != path || p.Name() != PackageName(path) || !p.Complete() || len(p.Scope().Names()) == 0 && path != "time/tzdata" {
			t.Errorf("%s: got package %v, %d names", path, p, len(p.Scope().Names()))
		}
	}
}

func TestPackagesShareTheirTypes(t *testing.T) {
	i := Importer()
	fmt, err := i.Import("fmt")
	if err != nil {
		t.Fatal(err)
	}
	io, err := i.Import("io")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Scope().Lookup("Fprintln").Type().(*types.Signature).Params().At(0).Type()
	if want := io.Scope().Lookup("Writer").Type(); !types.Identical(got, want) {
		t.Errorf("Fprintln takes %v, which is not %v", got, want)
	}
}

func TestPackagesThatAreNotThereComeWithAdvice(t *testing.T) {
	for path, want := range map[string]string{
		"net/rpc":                  "no network",
		"net/http/httptest":        "no network",
		"os/exec":                  "UseTools",
		"os/user":                  "scripts see no users",
		"runtime/debug":            "recover",
		"unsafe":                   "math.Float64bits",
		"crypto/mlkem":             "declare a tool",
		"encoding/JSON":            "did you mean encoding/json?",
		"string":                   "did you mean strings?",
		"json":                     "did you mean encoding/json?",
		"golang.org/x/exp/slices":  "standard library",
		"github.com/pkg/errors":    "standard library",
		"":                         "standard library",
		"/":                        "standard library",
		strings.Repeat("a/", 9999): "standard library",
	} {
		_, err := Importer().Import(path)
		var missing *NotAvailableError
		if !errors.As(err, &missing) {
			t.Errorf("%.40q: got error %v", path, err)
			continue
		}
		if !strings.Contains(missing.Advice, want) {
			t.Errorf("%.40q: advice %q lacks %q", path, missing.Advice, want)
		}
	}
}

func TestRefusedNamesExist(t *testing.T) {
	for key, advice := range lists().refused {
		if advice == "" {
			t.Errorf("%s has no advice", key)
		}
		path, name, ok := cutName(key)
		if !ok || name == "*" {
			continue
		}
		if !Available(path) {
			t.Errorf("%s: the package is not in allow.txt, the name need not be refused", key)
			continue
		}
		p, err := Importer().Import(path)
		if err != nil {
			t.Fatal(err)
		}
		first, method, isMethod := strings.Cut(name, ".")
		o := p.Scope().Lookup(first)
		if o == nil {
			t.Errorf("%s: the package has no such name", key)
			continue
		}
		if isMethod {
			owner := types.Type(types.NewPointer(o.Type()))
			if types.IsInterface(o.Type()) {
				owner = o.Type()
			}
			if m, _, _ := types.LookupFieldOrMethod(owner, true, p, method); m == nil {
				t.Errorf("%s: the type has no such method", key)
			}
		}
		if got, refused := Refused(path, name); !refused || got != advice {
			t.Errorf("Refused(%q, %q) = %q, %v", path, name, got, refused)
		}
	}
	for path, only := range lists().allowed {
		for _, name := range only {
			p, err := Importer().Import(path)
			if err != nil {
				t.Fatal(err)
			}
			if p.Scope().Lookup(name) == nil {
				t.Errorf("allow.txt: %s has no %s", path, name)
			}
		}
	}
}

func cutName(key string) (path, name string, ok bool) {
	slash := strings.LastIndex(key, "/") + 1
	base, name, ok := strings.Cut(key[slash:], ".")
	return key[:slash] + base, name, ok && name != "" && !strings.HasPrefix(name, "..")
}

func TestOnlyTheProcessOfPackageOs(t *testing.T) {
	for name, want := range map[string]bool{"Stdout": false, "Exit": false, "ErrNotExist": false, "Stdout.Write": false, "ReadFile": true, "Hostname": true, "File.Chdir": true} {
		advice, refused := Refused("os", name)
		if refused != want || refused && advice == "" {
			t.Errorf("os.%s: got %q, %v", name, advice, refused)
		}
	}
	if _, refused := Refused("strings", "Split"); refused {
		t.Error("strings.Split is refused")
	}
}

func TestLikeliestPackageOfANameComesFirst(t *testing.T) {
	for name, want := range map[string]string{"rand": "math/rand math/rand/v2 crypto/rand", "template": "text/template html/template", "json": "encoding/json", "git": ""} {
		if got := strings.Join(ByName(name), " "); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func FuzzAdvice(f *testing.F) {
	f.Add("net/rpc")
	f.Add("../..//")
	f.Fuzz(func(t *testing.T, path string) {
		if !Available(path) && Advice(path) == "" {
			t.Errorf("no advice for %q", path)
		}
	})
}

func TestADamagedBundleIsAnError(t *testing.T) {
	head := len("usetools export 2 ")
	for _, damaged := range []string{"", "usetools export 1 go1.26.8\n", std[:head], std[:len(std)/2], std[:len(std)-1], std + "x"} {
		if _, err := bundle.Open(damaged); err == nil {
			t.Errorf("%d bytes of std.bin are taken", len(damaged))
		}
	}
	b, err := bundle.Open(std)
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := bundle.Open(std[:len(std)/3] + strings.Repeat("\xff", len(std)-len(std)/3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.NewLibrary(b).Package("no/such", nil); err == nil {
		t.Error("a package that is not there is no error")
	}
	for _, path := range []string{"fmt", "time", "strings"} {
		if bundle.NewLibrary(swapped).Has(path) {
			_, err := bundle.NewLibrary(swapped).Package(path, nil)
			if err == nil {
				t.Errorf("%s: nonsense is taken", path)
			}
		}
	}
}

func TestAPackageHasWhatIsAskedFor(t *testing.T) {
	opened, err := bundle.Open(std)
	if err != nil {
		t.Fatal(err)
	}
	l := bundle.NewLibrary(opened)
	part, err := l.Package("fmt", []string{"Println", "Stringer"})
	if err != nil {
		t.Fatal(err)
	}
	if got := part.Scope().Names(); !slices.Equal(got, []string{"Println", "Stringer"}) {
		t.Errorf("got %v", got)
	}
	slip, err := l.Package("fmt", []string{"Println", "println"})
	if err != nil {
		t.Fatal(err)
	}
	if got := slip.Scope().Names(); len(got) < 20 || slip.Scope().Lookup("Sprintf") == nil {
		t.Errorf("with a name that is not there: got %v", got)
	}
	o := part.Scope().Lookup("Println")
	if o != slip.Scope().Lookup("Println") || o.Parent() != o.Pkg().Scope() {
		t.Error("parts do not share their objects")
	}
	if whole := Complete(o.Pkg()); whole.Path() != "fmt" || whole.Scope().Lookup("Sprintf") == nil {
		t.Errorf("whole package: got %v, %v", whole, whole.Scope().Names())
	}
}

var everyday = []string{"fmt", "strings", "sort", "strconv", "encoding/json", "time", "errors", "os"}

func BenchmarkImportEveryday(b *testing.B) { benchmarkImport(b, everyday, nil) }
func BenchmarkImportAll(b *testing.B)      { benchmarkImport(b, Packages(), nil) }
func BenchmarkImportNames(b *testing.B) {
	benchmarkImport(b, []string{"encoding/json"}, []string{"Marshal", "Unmarshal"})
}

func benchmarkImport(b *testing.B, paths, names []string) {
	b.ReportMetric(float64(len(std)), "bytes-embedded")
	for b.Loop() {
		opened, err := bundle.Open(std)
		if err != nil {
			b.Fatal(err)
		}
		cold := bundle.NewLibrary(opened)
		for _, path := range paths {
			if _, err := cold.Package(path, names); err != nil {
				b.Fatal(err)
			}
		}
	}
}
