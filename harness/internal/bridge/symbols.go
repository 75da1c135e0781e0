package bridge

import "reflect"

// Symbols returns the bindings of the packages in the interpreter (interp.Exports). Package
// runtime binds the functions that inspect values of the script or need the place of the call:
// the rest of the prelude, Do, Call, Decode and Encode.
func Symbols() map[string]map[string]reflect.Value {
	prelude := map[string]reflect.Value{"UseTools": reflect.ValueOf(UseTools)}
	return map[string]map[string]reflect.Value{"usetools/prelude/prelude": prelude, "usetools/host/host": {
		"Result":            reflect.ValueOf((*Result)(nil)),
		"ToolNotFoundError": reflect.ValueOf((*ToolNotFoundError)(nil)),
		"ToolError":         reflect.ValueOf((*ToolError)(nil)),
		"UncertainError":    reflect.ValueOf((*UncertainError)(nil)),
		"Image":             reflect.ValueOf((*Image)(nil)),
		"Text":              reflect.ValueOf(Text),
		"Fields":            reflect.ValueOf(Fields),
		"Value":             reflect.ValueOf(Value),
		"Raw":               reflect.ValueOf(Raw),
		"Images":            reflect.ValueOf(Images),
	}}
}
