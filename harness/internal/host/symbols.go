package host

import "reflect"

// Symbols binds the packages into the interpreter (interp.Exports). The rest of
// the prelude is bound by package rt.
func Symbols() map[string]map[string]reflect.Value {
	prelude := map[string]reflect.Value{"UseTools": reflect.ValueOf(UseTools)}
	return map[string]map[string]reflect.Value{"usetools/prelude/prelude": prelude, "usetools/host/host": {
		"Result":            reflect.ValueOf((*Result)(nil)),
		"ToolNotFoundError": reflect.ValueOf((*ToolNotFoundError)(nil)),
		"ToolError":         reflect.ValueOf((*ToolError)(nil)),
		"Image":             reflect.ValueOf((*Image)(nil)),
		"Call":              reflect.ValueOf(Call),
		"Text":              reflect.ValueOf(Text),
		"Fields":            reflect.ValueOf(Fields),
		"Wrapped":           reflect.ValueOf(Wrapped),
		"Mend":              reflect.ValueOf(Mend),
		"JSON":              reflect.ValueOf(JSON),
		"Value":             reflect.ValueOf(Value),
		"Raw":               reflect.ValueOf(Raw),
		"Images":            reflect.ValueOf(Images),
		"BadArgs":           reflect.ValueOf(BadArgs),
		"Warn":              reflect.ValueOf(Warn),
	}}
}
