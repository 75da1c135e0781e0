package rt

import (
	"go/types"
	"reflect"
)

// Channels and made functions by reflection. A channel of a script's type is
// one of the erased form, so that reflect's own operations serve; what goes in
// and comes out is of the script's type again.

// channel checks that the value is a channel that may be used.
func (r ReflectValue) channel(op string) {
	r.of(op, reflect.Chan)
	r.exported("reflect.Value." + op)
}

func (r ReflectValue) exported(context string) {
	if r.hidden {
		reflectPanic("reflect: " + context + " using value obtained using unexported field")
	}
}

// direction is that of a channel.
func (r ReflectValue) direction() reflect.ChanDir {
	if r.t == nil {
		return r.v.Type().ChanDir()
	}
	return chanDir(r.t.Underlying().(*types.Chan).Dir())
}

func chanDir(d types.ChanDir) reflect.ChanDir {
	switch d {
	case types.SendOnly:
		return reflect.SendDir
	case types.RecvOnly:
		return reflect.RecvDir
	}
	return reflect.BothDir
}

// received is what came out of the channel r.
func (r ReflectValue) received(v reflect.Value) ReflectValue {
	if r.t == nil {
		return ReflectValue{m: r.m, v: v}
	}
	return r.m.reflectValue(r.t.Underlying().(*types.Chan).Elem(), v, false)
}

// selects runs a select that counts for the script's timers.
func (m *Machine) selects(cases ...reflect.SelectCase) (int, reflect.Value, bool) {
	if m == nil || m.cfg.Timers == nil {
		return reflect.Select(cases)
	}
	defer m.cfg.Timers.selecting(cases)()
	return reflect.Select(cases)
}

// Recv is as in package reflect, and so are the methods below.
func (r ReflectValue) Recv() (ReflectValue, bool) {
	r.receivable("Recv")
	if m := r.m; m != nil && m.cfg.Timers != nil {
		v, ok := m.cfg.Timers.receivedFrom(r.v)
		return r.received(v), ok
	}
	v, ok := r.v.Recv()
	return r.received(v), ok
}

func (r ReflectValue) receivable(op string) {
	r.channel(op)
	if r.direction()&reflect.RecvDir == 0 {
		reflectPanic("reflect: recv on send-only channel")
	}
}

func (r ReflectValue) TryRecv() (ReflectValue, bool) {
	r.receivable("TryRecv")
	v, ok := r.v.TryRecv()
	if !v.IsValid() {
		return ReflectValue{}, false
	}
	return r.received(v), ok
}

func (r ReflectValue) Send(x ReflectValue) { r.v.Send(r.sent("Send", x)) }

func (r ReflectValue) TrySend(x ReflectValue) bool { return r.v.TrySend(r.sent("TrySend", x)) }

// sent is x as an element of the channel r.
func (r ReflectValue) sent(op string, x ReflectValue) reflect.Value {
	r.channel(op)
	if r.direction()&reflect.SendDir == 0 {
		reflectPanic("reflect: send on recv-only channel")
	}
	return x.as(r.Type().Elem(), "reflect.Value.Send")
}

func (r ReflectValue) Close() {
	r.channel("Close")
	if r.direction()&reflect.SendDir == 0 {
		reflectPanic("reflect: close of receive-only channel")
	}
	r.v.Close()
}

// ChanDir is as in package reflect.
func (t reflectType) ChanDir() reflect.ChanDir {
	u, ok := t.under().(*types.Chan)
	if !ok {
		reflectPanic("reflect: ChanDir of non-chan type " + t.String())
	}
	return chanDir(u.Dir())
}

// ReflectChanOf is reflect.ChanOf.
func ReflectChanOf(dir reflect.ChanDir, t reflect.Type) reflect.Type {
	s, ok := t.(reflectType)
	if !ok {
		return reflect.ChanOf(dir, t)
	}
	if s.Size() >= 1<<16 {
		reflectPanic("reflect.ChanOf: element size too large")
	}
	d := types.SendRecv
	switch dir {
	case reflect.SendDir:
		d = types.SendOnly
	case reflect.RecvDir:
		d = types.RecvOnly
	case reflect.BothDir:
	default:
		reflectPanic("reflect.ChanOf: invalid dir")
	}
	return s.t.m.reflectTypeOf(types.NewChan(d, s.t.typ))
}

// reflectMakeChan is reflect.MakeChan.
func (m *Machine) reflectMakeChan(t reflect.Type, n int) ReflectValue {
	switch {
	case t.Kind() != reflect.Chan:
		reflectPanic("reflect.MakeChan of non-chan type")
	case n < 0:
		reflectPanic("reflect.MakeChan: negative buffer size")
	case t.ChanDir() != reflect.BothDir:
		reflectPanic("reflect.MakeChan: unidirectional channel type")
	}
	return m.known(reflectValueAs(t, reflect.MakeChan(erasedType(t), n)))
}

// known is a value with the machine that it is of.
func (m *Machine) known(r ReflectValue) ReflectValue {
	r.m = m
	return r
}

// ReflectSelectCase is reflect.SelectCase for scripts.
type ReflectSelectCase struct {
	Dir        reflect.SelectDir
	Chan, Send ReflectValue
}

// reflectSelect is reflect.Select.
func (m *Machine) reflectSelect(list []ReflectSelectCase) (int, ReflectValue, bool) {
	if len(list) > 65536 {
		reflectPanic("reflect.Select: too many cases (max 65536)")
	}
	cases := make([]reflect.SelectCase, len(list))
	hasDefault := false
	for i, c := range list {
		cases[i].Dir = c.Dir
		switch c.Dir {
		case reflect.SelectDefault:
			switch {
			case hasDefault:
				reflectPanic("reflect.Select: multiple default cases")
			case c.Chan.v.IsValid():
				reflectPanic("reflect.Select: default case has Chan value")
			case c.Send.v.IsValid():
				reflectPanic("reflect.Select: default case has Send value")
			}
			hasDefault = true
			continue
		case reflect.SelectRecv:
			if c.Send.v.IsValid() {
				reflectPanic("reflect.Select: RecvDir case has Send value")
			}
		case reflect.SelectSend:
		default:
			reflectPanic("reflect.Select: invalid Dir")
		}
		if !c.Chan.v.IsValid() {
			continue
		}
		if c.Chan.Kind() != reflect.Chan {
			reflectPanic(&reflect.ValueError{Method: "unknown method", Kind: c.Chan.Kind()})
		}
		c.Chan.exported("reflect.Select")
		cases[i].Chan = c.Chan.v
		switch dir := c.Chan.direction(); {
		case c.Dir == reflect.SelectRecv && dir&reflect.RecvDir == 0:
			reflectPanic("reflect.Select: RecvDir case using send-only channel")
		case c.Dir == reflect.SelectRecv:
		case dir&reflect.SendDir == 0:
			reflectPanic("reflect.Select: SendDir case using recv-only channel")
		case !c.Send.v.IsValid():
			reflectPanic("reflect.Select: SendDir case missing Send value")
		default:
			cases[i].Send = c.Send.as(c.Chan.Type().Elem(), "reflect.Select")
		}
	}
	i, v, ok := m.selects(cases...)
	if list[i].Dir != reflect.SelectRecv {
		return i, ReflectValue{}, false
	}
	return i, list[i].Chan.received(v), ok
}

// reflectMakeFunc is reflect.MakeFunc.
func (m *Machine) reflectMakeFunc(t reflect.Type, f func([]ReflectValue) []ReflectValue) ReflectValue {
	if t.Kind() != reflect.Func {
		reflectPanic("reflect: call of MakeFunc with non-Func type")
	}
	v := reflect.MakeFunc(erasedType(t), func(args []reflect.Value) []reflect.Value {
		in := make([]ReflectValue, len(args))
		for i, a := range args {
			in[i] = m.known(ReflectValue{v: a})
			if s, ok := t.In(i).(reflectType); ok {
				in[i] = s.t.m.reflectValue(s.t.typ, a, false)
			}
		}
		out := f(in)
		if len(out) != t.NumOut() {
			reflectPanic("reflect: wrong return count from function created by MakeFunc")
		}
		results := make([]reflect.Value, len(out))
		for i, x := range out {
			if !x.v.IsValid() {
				reflectPanic("reflect: function created by MakeFunc using closure returned zero Value")
			}
			if x.hidden {
				reflectPanic("reflect: function created by MakeFunc using closure returned value obtained from unexported field")
			}
			results[i] = x.as(t.Out(i), "reflect.MakeFunc")
		}
		return results
	})
	return m.known(reflectValueAs(t, v))
}

// ReflectMakeChan, ReflectMakeFunc and ReflectSelect are what the table of
// symbols has; lowered programs call those of their machine.
func ReflectMakeChan(t reflect.Type, n int) ReflectValue {
	return (*Machine)(nil).reflectMakeChan(t, n)
}

func ReflectMakeFunc(t reflect.Type, f func([]ReflectValue) []ReflectValue) ReflectValue {
	return (*Machine)(nil).reflectMakeFunc(t, f)
}

func ReflectSelect(list []ReflectSelectCase) (int, ReflectValue, bool) {
	return (*Machine)(nil).reflectSelect(list)
}

// ReflectCopy is reflect.Copy.
func ReflectCopy(dst, src ReflectValue) int {
	if k := dst.Kind(); k != reflect.Array && k != reflect.Slice {
		reflectPanic(&reflect.ValueError{Method: "reflect.Copy", Kind: k})
	}
	if dst.Kind() == reflect.Array {
		dst.settable("Copy")
	}
	dst.exported("reflect.Copy")
	elem := dst.Type().Elem()
	if k := src.Kind(); k == reflect.String && elem.Kind() == reflect.Uint8 {
		src.exported("reflect.Copy")
		return reflect.Copy(dst.v, src.v)
	} else if k != reflect.Array && k != reflect.Slice {
		reflectPanic(&reflect.ValueError{Method: "reflect.Copy", Kind: k})
	}
	src.exported("reflect.Copy")
	if from := src.Type().Elem(); from != elem {
		reflectPanic("reflect.Copy: " + elem.String() + " != " + from.String())
	}
	return reflect.Copy(dst.v, src.v)
}

// Clear is as in package reflect, and so are the methods below.
func (r ReflectValue) Clear() {
	r.of("Clear", reflect.Slice, reflect.Map)
	r.v.Clear()
}

func (r ReflectValue) Grow(n int) {
	r.settable("Grow")
	r.of("Grow", reflect.Slice)
	switch {
	case n < 0:
		reflectPanic("reflect.Value.Grow: negative len")
	case r.v.Len()+n < 0:
		reflectPanic("reflect.Value.Grow: slice overflow")
	}
	r.v.Grow(n)
}

func (r ReflectValue) SetCap(n int) {
	r.settable("SetCap")
	r.of("SetCap", reflect.Slice)
	if n < r.v.Len() || n > r.v.Cap() {
		reflectPanic("reflect: slice capacity out of range in SetCap")
	}
	r.v.SetCap(n)
}

func (r ReflectValue) SetComplex(x complex128) {
	r.settable("SetComplex")
	r.of("SetComplex", reflect.Complex64, reflect.Complex128)
	r.v.SetComplex(x)
}

func (r ReflectValue) OverflowComplex(x complex128) bool {
	r.of("OverflowComplex", reflect.Complex64, reflect.Complex128)
	return r.v.OverflowComplex(x)
}
