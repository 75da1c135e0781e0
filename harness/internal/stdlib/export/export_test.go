package export

import (
	"errors"
	"go/types"
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

func FuzzOpenBundle(f *testing.F) {
	f.Add(bundle.Encode(bundle.Bundle{Release: "go1.26", Data: map[string][]byte{"fmt": []byte("x")}}))
	f.Add([]byte("usetools export 1 go1.26\n\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, err := bundle.Open(src)
		if err == nil {
			if _, err := bundle.Open(bundle.Encode(b)); err != nil {
				t.Errorf("encoding again: %v", err)
			}
		}
	})
}

var everyday = []string{"fmt", "strings", "sort", "strconv", "encoding/json", "time", "errors", "os"}

func BenchmarkImportEveryday(b *testing.B) { benchmarkImport(b, everyday) }
func BenchmarkImportAll(b *testing.B)      { benchmarkImport(b, Packages()) }

func benchmarkImport(b *testing.B, paths []string) {
	b.ReportMetric(float64(len(std)), "bytes-embedded")
	for b.Loop() {
		cold := &importer{packages: map[string]*types.Package{}}
		for _, path := range paths {
			if _, err := cold.Import(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}
