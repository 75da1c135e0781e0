package rt

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
)

// The handlers of log/slog look at dynamic types by themselves. So what they are
// to write of script values is written here, by what they call for every
// attribute, and handed to them as text.

func (m *Machine) slogNewJSONHandler(w io.Writer, o *slog.HandlerOptions) *slog.JSONHandler {
	return slog.NewJSONHandler(w, m.slogOptions(o, m.slogJSON))
}

func (m *Machine) slogNewTextHandler(w io.Writer, o *slog.HandlerOptions) *slog.TextHandler {
	return slog.NewTextHandler(w, m.slogOptions(o, slogText))
}

// slogOptions are o with values written by write, where it does.
func (m *Machine) slogOptions(o *slog.HandlerOptions, write func(x any) (slog.Value, bool)) *slog.HandlerOptions {
	var out slog.HandlerOptions
	if o != nil {
		out = *o
	}
	replace := out.ReplaceAttr
	out.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if replace != nil {
			a = replace(groups, a)
			a.Value = a.Value.Resolve()
		}
		if a.Value.Kind() == slog.KindAny {
			if v, ok := m.slogGuard(a.Value.Any(), write); ok {
				a.Value = v
			}
		}
		return a
	}
	return &out
}

// slogGuard writes x, or what slog writes of a panic on the way.
func (m *Machine) slogGuard(x any, write func(x any) (slog.Value, bool)) (v slog.Value, ok bool) {
	done := false
	defer func() {
		if done || m.exited.Load() {
			return
		}
		r := recover()
		if r == nil {
			return
		}
		text := fmt.Sprintf("!PANIC: %v", m.ended(r))
		if p := reflect.ValueOf(erased(x)); p.Kind() == reflect.Pointer && p.IsNil() {
			text = "<nil>"
		}
		v, ok = slog.StringValue(text), true
	}()
	v, ok = write(x)
	done = true
	return v, ok
}

// slogJSON writes what holds script values.
func (m *Machine) slogJSON(x any) (slog.Value, bool) {
	x = canonical(x)
	b, isBox := unbox(x)
	if err, ok := x.(error); ok {
		if !isBox {
			return slog.Value{}, false
		}
		if !(adapter{b}).can("MarshalJSON", "() ([]uint8, error)") {
			return slog.StringValue(err.Error()), true
		}
	}
	if !isBox && (x == nil || reflect.ValueOf(x).NumMethod() > 0 || !holdsAny(reflect.TypeOf(x))) {
		return slog.Value{}, false
	}
	text, err := m.encode(x, false)
	if err != nil {
		return slog.StringValue("!ERROR:" + err.Error()), true
	}
	return slog.AnyValue(json.RawMessage(text)), true
}

// slogText writes script values that write themselves, which may be nil pointers,
// and those of bytes, which slog shows as a text in quotes.
func slogText(x any) (slog.Value, bool) {
	b, ok := unbox(x)
	if !ok {
		return slog.Value{}, false
	}
	if a := (adapter{b}); a.can("MarshalText", "() ([]uint8, error)") {
		r := a.must("MarshalText")
		if err := asError(r[1]); err != nil {
			return slog.StringValue("!ERROR:" + err.Error()), true
		}
		return slog.StringValue(string(r[0].Bytes())), true
	}
	if b.T.kind != kindValue {
		return slog.Value{}, false
	}
	if v := reflect.ValueOf(b.V); v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return slog.AnyValue(v.Bytes()), true
	}
	return slog.Value{}, false
}
