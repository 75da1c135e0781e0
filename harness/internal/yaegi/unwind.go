package yaegi

import (
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// cutAncestors makes panics cheap. For each function that a panic passes, the interpreter
// searches for a node of the program that it never finds: it walks the subtree of the
// parent of the function's first node, then of the grandparent, up to the whole program. So
// a panic takes time in proportion to the script's size. cutAncestors replaces the parent of
// that node by a copy that has no parent itself. It returns the number of functions, or 0
// if the interpreter's nodes have another layout; panics are then slow.
//
// Call it only for a program whose functions are generated: generation reads the parents.
func cutAncestors(p *interp.Program) int {
	root := reflect.ValueOf(p).Elem().FieldByName("root")
	if root.Kind() != reflect.Pointer || root.Type().Elem().Kind() != reflect.Struct {
		return 0
	}
	node := root.Type().Elem()
	child, ok1 := node.FieldByName("child")
	around, ok2 := node.FieldByName("anc")
	start, ok3 := node.FieldByName("start")
	if !ok1 || !ok2 || !ok3 || child.Type != reflect.SliceOf(root.Type()) || around.Type != root.Type() || start.Type != root.Type() {
		return 0
	}
	children := func(n unsafe.Pointer) *[]unsafe.Pointer { return (*[]unsafe.Pointer)(unsafe.Add(n, child.Offset)) }
	field := func(n unsafe.Pointer, f reflect.StructField) *unsafe.Pointer {
		return (*unsafe.Pointer)(unsafe.Add(n, f.Offset))
	}

	functions := 0
	for todo := []unsafe.Pointer{root.UnsafePointer()}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == nil {
			continue
		}
		in := *children(n)
		todo = append(todo, in...)
		if len(in) != 4 || in[3] == nil { // a function's children are its receiver, name, type and body
			continue
		}
		first := *field(in[3], start)
		if first == nil {
			continue
		}
		outer := field(first, around)
		if *outer == nil {
			continue
		}
		c := reflect.New(node)
		c.Elem().Set(reflect.NewAt(node, *outer).Elem())
		lone := c.UnsafePointer()
		*field(lone, around) = nil
		if *outer == in[3] { // the whole body, whose children are not needed
			*children(lone) = nil
		}
		*outer = lone
		functions++
	}
	return functions
}
