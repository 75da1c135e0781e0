package runtime

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

// jsonFields lists the JSON fields of a struct with Go's rules for embedding: the least
// nested field of a name wins, then the tagged one, otherwise none.
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
	list := dominant(collectFields(t))
	if named {
		m.mu.Lock()
		m.named[n] = &fieldTable{list}
		m.mu.Unlock()
	}
	return list
}

// collectFields lists the fields of a struct and of those that it embeds, level by level as
// encoding/json does: each type is visited once, where it is least nested. If it occurs
// there more than once, its fields are listed twice, so that none is dominant.
func collectFields(t types.Type) []jsonField {
	type level struct {
		typ    types.Type
		path   []int
		around []string
	}
	var all []jsonField
	visited := map[types.Type]bool{}
	next, count := []level{{typ: types.Unalias(t)}}, map[types.Type]int{}
	for len(next) > 0 {
		now, times := next, count
		next, count = nil, map[types.Type]int{}
		for _, l := range now {
			if visited[l.typ] {
				continue
			}
			visited[l.typ] = true
			s := l.typ.Underlying().(*types.Struct)
			for i := range s.NumFields() {
				j, embedded := jsonFieldOf(s, i)
				if embedded != nil {
					if count[embedded]++; count[embedded] == 1 {
						next = append(next, level{embedded, append(slices.Clone(l.path), i), append(slices.Clone(l.around), s.Field(i).Name())})
					}
					continue
				}
				if j == nil {
					continue
				}
				j.index, j.around = append(slices.Clone(l.path), i), l.around
				all = append(all, *j)
				if times[l.typ] > 1 {
					all = append(all, *j)
				}
			}
		}
	}
	return all
}

// jsonFieldOf returns field i of a struct, without its path, or the struct type that it
// embeds. Both are nil if JSON ignores the field.
func jsonFieldOf(s *types.Struct, i int) (j *jsonField, embedded types.Type) {
	f := s.Field(i)
	tag := reflect.StructTag(s.Tag(i)).Get("json")
	if tag == "-" {
		return nil, nil
	}
	name, options, _ := strings.Cut(tag, ",")
	if !validName(name) {
		name = ""
	}
	if f.Embedded() {
		inner := types.Unalias(f.Type())
		if ptr, isPtr := inner.(*types.Pointer); isPtr {
			inner = types.Unalias(ptr.Elem())
		}
		_, isStruct := inner.Underlying().(*types.Struct)
		if isStruct && name == "" {
			return nil, inner
		}
	}
	if !f.Exported() {
		return nil, nil
	}
	j = &jsonField{name: name, typ: f.Type(), tagged: name != ""}
	if name == "" {
		j.name = f.Name()
	}
	for o := range strings.SplitSeq(options, ",") {
		switch o {
		case "omitempty":
			j.omitEmpty = true
		case "omitzero":
			j.omitZero = true
		case "string":
			j.quoted = quotable(f.Type())
		}
	}
	return j, nil
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

// quotable reports whether the option "string" applies to the type.
func quotable(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat|types.IsString) != 0
}

// dominant keeps, of the fields with one name, the one that Go would choose, in order of
// their places in the struct.
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

func findField(fields []jsonField, key string) *jsonField {
	for i := range fields {
		if fields[i].name == key {
			return &fields[i]
		}
	}
	for i := range fields {
		if strings.EqualFold(fields[i].name, key) {
			return &fields[i]
		}
	}
	return nil
}
