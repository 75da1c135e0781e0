// Package symbols is the standard library as the interpreter runs it: the functions,
// variables and types behind the names that stdlib/export lets scripts use, and nothing
// else. The binary has no other table: names outside the lists do not exist. Methods can
// still be reached by package reflect; the lock of the process protects against those.
//
// Given the import path of a package, it returns the package's symbols in the form that the
// interpreter takes. It omits constants (the front end folds them), and everything generic
// (the front end has sources of its own).
//
// The linker lays out the table: [go generate] writes composite literals of function
// values, addresses and nil pointers, which cost nothing when a worker starts. Only the
// packages that a program imports become reflect values.
package symbols

//go:generate go run ./internal/gen

import (
	"reflect"
	"sync"

	_ "time/tzdata" // a locked worker cannot read zone files
)

// A symbol is one exported name. Its value is a func, a nil pointer to a type,
// or the address of a variable.
type symbol struct {
	name     string
	value    any
	variable bool
}

type standard struct {
	path, name string
	symbols    []symbol
}

// Exports returns the symbols of the packages with these paths that a program mentions,
// keyed as in the interpreter's Use: "math/rand/v2/rand". If mentions is nil, it returns
// all symbols. Paths that are not available to scripts, or that have only constants and
// generic names, are omitted. The caller owns the inner maps.
func Exports(mentions map[string]bool, paths ...string) map[string]map[string]reflect.Value {
	out := make(map[string]map[string]reflect.Value, len(paths))
	for _, path := range paths {
		p, ok := byPath()[path]
		if !ok {
			continue
		}
		values := map[string]reflect.Value{}
		for _, s := range p.symbols {
			if mentions == nil || mentions[s.name] {
				values[s.name] = s.reflect()
			}
		}
		out[p.path+"/"+p.name] = values
	}
	return out
}

// Has reports whether the package with this path has a symbol of this name.
func Has(path, name string) bool {
	_, ok := Lookup(path, name)
	return ok
}

// Lookup returns one symbol: a func, a nil pointer to a type, or an addressable variable.
// ok is false for an unknown symbol.
func Lookup(path, name string) (reflect.Value, bool) {
	p := byPath()[path]
	if p == nil {
		return reflect.Value{}, false
	}
	for i := range p.symbols {
		if p.symbols[i].name == name {
			return p.symbols[i].reflect(), true
		}
	}
	return reflect.Value{}, false
}

var byPath = sync.OnceValue(func() map[string]*standard {
	m := make(map[string]*standard, len(table))
	for i := range table {
		m[table[i].path] = &table[i]
	}
	return m
})

func (s *symbol) reflect() reflect.Value {
	v := reflect.ValueOf(s.value)
	if s.variable {
		return v.Elem()
	}
	return v
}
