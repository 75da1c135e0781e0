package runtime

import (
	"encoding/json"
	"go/types"
	"reflect"
	"strings"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/wrappers/wire"
)

// do calls a tool for its generated function, which was named at place. p is the erased
// struct of arguments, or nil; r points to that of the result, whose type is number tid.
// The last field of the result keeps the whole answer. plan and shape were written by
// package wrappers.
func (m *Machine) do(place, tool, plan string, p, r any, tid int, shape string) error {
	object, err := wire.Arguments(plan, reflect.ValueOf(p))
	var args []byte
	if err == nil {
		args, err = json.Marshal(object)
	}
	if err != nil {
		return bridge.BadArgs(tool, err)
	}
	res, err := bridge.Call(m.from(place), tool, args)
	if res != nil {
		res.Name = funcName(m.types[tid].typ, tool)
	}
	v := reflect.ValueOf(r).Elem()
	resultField := v.Field(v.NumField() - 1)
	resultField.Set(reflect.ValueOf(res))
	if err != nil || shape == "" {
		return err
	}
	mark, shape := shape[0], shape[1:]
	var data []byte
	switch mark {
	case '=', 's':
		data = bridge.Wrapped(tool, res, mark == 's')
	default:
		data = bridge.Fields(tool, res)
	}
	target := m.target(m.types[tid].typ, v)
	if mark == '.' {
		target = m.target(m.types[tid].typ.Underlying().(*types.Struct).Field(0).Type(), v.Field(0))
	}
	if data == nil || m.jsonUnmarshal(data, target) == nil {
		return nil
	}
	v.SetZero()
	resultField.Set(reflect.ValueOf(res))
	if data = bridge.Mend(tool, data, shape); data != nil {
		if err := m.jsonUnmarshal(data, target); err != nil {
			bridge.Warn(tool + ": decoding the result: " + err.Error())
		}
	}
	return nil
}

// call is host.Call.
func (m *Machine) call(place, tool string, args []byte) (*bridge.Result, error) {
	return bridge.Call(m.from(place), tool, args)
}

// target returns the address of v, of type t, as the type into which JSON is decoded.
func (m *Machine) target(t types.Type, v reflect.Value) any {
	r, err := m.maker.Type(t)
	if err != nil {
		panic(plainError(err.Error()))
	}
	return reflect.NewAt(r, v.Addr().UnsafePointer()).Interface()
}

// funcName returns the function that returns a t. Package wrappers names t after it: if t is
// harbour.BerthPlanResult, funcName returns harbour.BerthPlan. If t has no such name, it
// returns the tool's ID.
func funcName(t types.Type, tool string) string {
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil {
		if i := strings.LastIndex(n.Obj().Name(), "Result"); i > 0 {
			return n.Obj().Pkg().Name() + "." + n.Obj().Name()[:i]
		}
	}
	return tool
}
