package rt

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// A jsonField is a field of a struct as encoding/json sees it.
type jsonField struct {
	name      string
	index     []int    // path through embedded structs
	around    []string // their names
	typ       types.Type
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool // the option "string"
}

type fieldTable struct{ list []jsonField }

// jsonFields lists the JSON fields of a struct with Go's rules for embedding:
// the least nested wins, then the tagged one, else none.
func (m *Machine) jsonFields(t types.Type, s *types.Struct) []jsonField {
	n, named := types.Unalias(t).(*types.Named)
	if named {
		m.mu.RLock()
		table := m.named[n]
		m.mu.RUnlock()
		if table != nil {
			return table.list
		}
	}
	var all []jsonField
	collectFields(s, nil, nil, map[*types.Struct]int{}, &all)
	list := dominant(all)
	if named {
		m.mu.Lock()
		m.named[n] = &fieldTable{list}
		m.mu.Unlock()
	}
	return list
}

func collectFields(s *types.Struct, path []int, around []string, open map[*types.Struct]int, all *[]jsonField) {
	if open[s] > 0 {
		return
	}
	open[s]++
	defer func() { open[s]-- }()
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := reflect.StructTag(s.Tag(i)).Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = ""
		}
		index := append(slices.Clone(path), i)
		if f.Embedded() {
			inner := types.Unalias(f.Type())
			ptr, isPtr := inner.(*types.Pointer)
			if isPtr {
				inner = ptr.Elem()
			}
			es, isStruct := inner.Underlying().(*types.Struct)
			if !f.Exported() && !isStruct {
				continue
			}
			if name == "" && isStruct {
				collectFields(es, index, append(slices.Clone(around), f.Name()), open, all)
				continue
			}
			if !f.Exported() {
				continue
			}
		} else if !f.Exported() {
			continue
		}
		j := jsonField{name: name, index: index, around: around, typ: f.Type(), tagged: name != ""}
		if name == "" {
			j.name = f.Name()
		}
		for _, o := range strings.Split(options, ",") {
			switch o {
			case "omitempty":
				j.omitEmpty = true
			case "omitzero":
				j.omitZero = true
			case "string":
				j.quoted = quotable(f.Type())
			}
		}
		*all = append(*all, j)
	}
}

func validName(s string) bool {
	for _, c := range s {
		if strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 {
			continue
		}
		return false
	}
	return true
}

// quotable: the option "string" applies to the type.
func quotable(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

// dominant keeps, of the fields with one name, the one that Go would, in order
// of their places in the struct.
func dominant(all []jsonField) []jsonField {
	var out []jsonField
	for i, f := range all {
		keep := true
		for k, g := range all {
			if i == k || g.name != f.name {
				continue
			}
			if len(g.index) < len(f.index) || len(g.index) == len(f.index) && (g.tagged || !f.tagged) {
				keep = false
			}
		}
		if keep {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b jsonField) int { return slices.Compare(a.index, b.index) })
	return out
}

// get finds the field in a struct; nil pointers on the way are filled with
// alloc, else the field is not there.
func (f *jsonField) get(v reflect.Value, alloc bool) (reflect.Value, bool) {
	for i, k := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !alloc {
					return v, false
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(k)
	}
	return v, true
}
