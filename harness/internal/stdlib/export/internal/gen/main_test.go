package main

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/harness/internal/stdlib/export/internal/bundle"
)

const advice = "run: go generate ./harness/internal/stdlib/export ./harness/internal/stdlib/symbols"

func TestScriptsSeeTheLibraryOfTheGoVersionInGoMod(t *testing.T) {
	checkedIn, err := os.ReadFile("../../std.bin")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(string(checkedIn))
	if err != nil {
		t.Fatalf("std.bin: %v; %s", err, advice)
	}
	library := bundle.NewLibrary(b)
	for _, path := range export.Packages() {
		if !library.Has(path) {
			t.Errorf("std.bin lacks %s of allow.txt; %s", path, advice)
		}
	}
	if got, want := language(b.Release), goMod(t); got != want {
		t.Fatalf("std.bin is of %s, go.mod asks for %s; %s", b.Release, want, advice)
	}
	if b.Release != runtime.Version() {
		t.Skipf("std.bin is of %s, this is %s: only the release is compared", b.Release, runtime.Version())
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compare with")
	}
	fresh, err := generate(export.Packages())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, checkedIn) {
		t.Errorf("std.bin is stale (%d bytes, fresh %d); %s", len(checkedIn), len(fresh), advice)
	}
}

// TestDecodedTypesAreTheCompilers compares all that is decoded with what was encoded,
// whole packages and single names of fresh libraries.
func TestDecodedTypesAreTheCompilers(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compare with")
	}
	packages, err := load(export.Packages())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := bundle.Encode("go1.26", packages)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(string(encoded))
	if err != nil {
		t.Fatal(err)
	}
	library := bundle.NewLibrary(b)
	compared := 0
	for _, want := range packages {
		got, err := library.Package(want.Path(), nil)
		if err != nil {
			t.Fatal(err)
		}
		single := bundle.NewLibrary(b)
		for _, name := range want.Scope().Names() {
			if !token.IsExported(name) {
				continue
			}
			o := want.Scope().Lookup(name)
			if diff := cmp.Diff(described(o), described(got.Scope().Lookup(name))); diff != "" {
				t.Fatalf("%v (-compiler +decoded):\n%s", o, diff)
			}
			part, err := single.Package(want.Path(), []string{name})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(described(o), described(part.Scope().Lookup(name))); diff != "" || len(part.Scope().Names()) != 1 {
				t.Fatalf("%v alone, with %v (-compiler +decoded):\n%s", o, part.Scope().Names(), diff)
			}
			compared++
		}
	}
	t.Logf("%d declarations", compared)
}

// described says all of an object that a checker can ask for, but for what its
// types' own declarations say.
func described(o types.Object) []string {
	if o == nil {
		return nil
	}
	out := []string{o.String(), o.Pkg().Path() + " " + o.Pkg().Name(), fmt.Sprint(o.Parent() == o.Pkg().Scope())}
	switch o := o.(type) {
	case *types.Const:
		out = append(out, o.Val().Kind().String(), o.Val().ExactString())
	case *types.Func:
		out = append(out, constraints(o.Signature().TypeParams())...)
	case *types.TypeName:
		if alias, ok := o.Type().(*types.Alias); ok {
			return append(out, "= "+alias.Rhs().String())
		}
		named := o.Type().(*types.Named)
		out = append(out, named.Underlying().String(), fmt.Sprint(types.Comparable(named)))
		out = append(out, constraints(named.TypeParams())...)
		for m := range named.Methods() {
			sig := m.Signature()
			out = append(out, m.FullName()+" "+sig.String()+" "+sig.Recv().String())
			out = append(out, constraints(sig.RecvTypeParams())...)
		}
		set := types.NewMethodSet(types.NewPointer(named))
		if types.IsInterface(named) {
			set = types.NewMethodSet(named)
		}
		for m := range set.Methods() {
			out = append(out, fmt.Sprint(m.Obj().Id(), m.Index(), m.Indirect(), m.Type()))
		}
		if s, ok := named.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				f := s.Field(i)
				out = append(out, fmt.Sprint(f.Id(), f.Embedded(), f.Pkg().Path(), s.Tag(i)))
			}
		}
	}
	return out
}

func constraints(list *types.TypeParamList) (out []string) {
	for p := range list.TypeParams() {
		iface := p.Constraint().Underlying().(*types.Interface)
		out = append(out, fmt.Sprint(p, p.Constraint(), iface.IsImplicit(), iface.IsComparable(), iface.IsMethodSet()))
	}
	return out
}

// language turns go1.26.8 into 1.26.
func language(release string) string {
	parts := strings.SplitN(strings.TrimPrefix(release, "go"), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func goMod(t *testing.T) string {
	src, err := os.ReadFile("../../../../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "go" {
			return language(f[1])
		}
	}
	t.Fatal("go.mod has no go line")
	return ""
}
