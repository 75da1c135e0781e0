package runtime

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Symbols returns the symbols of package runtime that a program mentions, by the names that
// lowered programs use. If mentions is nil, it returns all. Making all takes longer than
// most scripts run.
func (m *Machine) Symbols(mentions map[string]bool) map[string]reflect.Value {
	table := map[string]any{
		"Line": func() *int { // all programs begin with it
			m.cfg.Timers.begin(mentions)
			return m.line
		},
		"Nop": func() {},

		"Box": m.box, "BoxFunc": m.boxFunc, "Raw": raw, "Number": m.number, "Erased": m.erased, "Channel": channel,
		"IsNil": func(x any) bool { return x == nil }, "Equal": equal, "Key": checkKey,
		"IsType": m.isType, "TypeCase": m.typeCase, "Implements": m.implements, "Register": m.register, "RegisterGuarded": m.registerGuarded, "CallMethod": m.callMethod, "NotAvailable": notAvailable,
		"ErrorsAs": errors.As,

		"BadAssert": m.badAssert, "BadIndex": m.badIndex, "BadSlice": m.badSlice, "BadSlice3": m.badSlice3, "BadWideIndex": m.badWideIndex, "BadArray": m.badArray, "BadMake": badMake, "BadShift": badShift, "BadDivisor": badDivisor,
		"BadNil": badNil, "BadYield": badYield, "BadRange": badRange, "BadMap": badMap, "BadWrapped": badWrapped,
		"Panic": m.raise, "NewDefers": m.newDefers, "Push": push, "PushCall": pushCall, "Run": run, "Through": m.through, "Unlock": m.unlock, "UnlockRW": m.unlockRW, "RUnlock": m.runlock,
		"Recover": recoverPanic, "RecoverHere": m.recoverHere, "Go": m.start, "GoCall": m.startCall,
		"Select": m.cfg.Timers.selectCase, "Sending": sending, "Receiving": receiving,

		"StringKeys": m.stringKeys, "IntKeys": m.intKeys, "Keys": m.keys, "MapKeys": m.mapKeys, "SyncMapRange": m.syncMapRange, "Entries": m.entries, "NextEntry": nextEntry,
		"Runes": runes, "Clear": func(x any) { reflect.ValueOf(x).Clear() },
		"Min64": func(a, b float64) float64 { return min(a, b) }, "Max64": func(a, b float64) float64 { return max(a, b) },
		"Min32": func(a, b float32) float32 { return min(a, b) }, "Max32": func(a, b float32) float32 { return max(a, b) },
		"BuiltinPrint":   func(line int, a ...any) { m.builtinPrint(line, false, a) },
		"BuiltinPrintln": func(line int, a ...any) { m.builtinPrint(line, true, a) },

		"Print": m.print, "Println": m.println, "Printf": m.printf, "Fprint": m.fprint, "Fprintln": m.fprintln, "Fprintf": m.fprintf,
		"WriteString": m.writeString, "FileWrite": m.fileWrite, "FileWriteString": m.fileWriteString, "Exit": m.exit,
		"JSONUnmarshal": m.jsonUnmarshal, "JSONDecode": m.jsonDecode, "FlagParse": m.flagParse, "FlagSetParse": m.flagSetParse,
		"Do": m.do, "Call": m.call, "Decode": m.decodeResult, "Encode": json.Marshal,
		"Return": m.setValue, "Input": m.input, "Stored": m.stored, "RunScript": m.runScript,
		"TypeAssert":     func(v reflect.Value) any { x, _ := reflect.TypeAssert[any](v); return x },
		"ReflectTypeFor": func(tid int) reflect.Type { return m.types[tid].goType() },

		"WaitGroupGo": m.waitGroupGo, "ContextAfterFunc": m.contextAfterFunc,
		"AfterFunc": func(place string, d time.Duration, f func()) *time.Timer {
			return m.cfg.Timers.afterFunc(d, m.inGoroutine(place, f))
		},
		"NumGoroutine": m.cfg.Timers.Goroutines, "NumCPU": m.numCPU, "GOMAXPROCS": m.setProcs,
		"HKDFExtract": hkdfExtract, "HKDFExpand": hkdfExpand, "HKDFKey": hkdfKey, "PBKDF2Key": pbkdf2Key,
		"Sort": sortOrdered, "SortFunc": sortFunc, "SortStableFunc": sortStableFunc,
	}
	maps.Copy(table, m.cfg.Timers.symbols())
	m.logSymbols(table)
	m.nativeSymbols(table)
	m.randomSymbols(table)
	symbols := map[string]reflect.Value{"Defers": reflect.ValueOf((*Defers)(nil)), "Case": reflect.ValueOf((*Case)(nil)),
		"OrderBig": typeOfValue(binary.BigEndian), "OrderLittle": typeOfValue(binary.LittleEndian), "OrderNative": typeOfValue(binary.NativeEndian)}
	for name, f := range table {
		if mentions == nil || mentions[name] {
			symbols[name] = reflect.ValueOf(f)
		}
	}
	return symbols
}

// typeOfValue returns the symbol of the type of a value.
func typeOfValue(x any) reflect.Value { return reflect.Zero(reflect.PointerTo(reflect.TypeOf(x))) }

// runes decodes a string: it returns its runes and the offset of each.
func runes(s string) ([]rune, []int) {
	rs := make([]rune, 0, len(s))
	at := make([]int, 0, len(s))
	for i, r := range s {
		rs = append(rs, r)
		at = append(at, i)
	}
	return rs, at
}

func badMap() { panic(plainError("assignment to entry in nil map")) }

func badWrapped(pkg, typ, method string) {
	panic(plainError("value method " + pkg + "." + typ + "." + method + " called using nil *" + typ + " pointer"))
}

// startCall starts a goroutine with a call of a script function.
func (m *Machine) startCall(place string, f any, args ...any) {
	fn := reflect.ValueOf(f)
	m.start(place, func() { callWith(fn, args) })
}

// start runs a goroutine of the script.
func (m *Machine) start(place string, f func()) {
	s := m.strands.here().child(place)
	m.cfg.Timers.started.Add(1)
	go m.goroutine(s, f, m.caught)
}

// goroutine runs a goroutine that was counted as started. A panic that ends it ends the
// script; caught converts the recovered value.
func (m *Machine) goroutine(s *strand, f func(), caught func(any) *Panic) {
	m.strands.enter(s)
	defer func() {
		m.strands.leave()
		m.cfg.Timers.started.Add(-1)
	}()
	done := false
	defer func() {
		if done || m.exited.Load() {
			return
		}
		if r := recover(); r != nil {
			m.cfg.Fatal(caught(r), m.Trail())
		}
	}()
	f()
	done = true
}

// inGoroutine wraps f for a library that calls it in a goroutine of its own, any number of
// times.
func (m *Machine) inGoroutine(place string, f func()) func() {
	s := m.strands.here().child(place)
	var times atomic.Int64
	return func() {
		m.cfg.Timers.started.Add(1)
		m.goroutine(s.nthCall(times.Add(1)), f, m.caught)
	}
}

// waitGroupGo is (*sync.WaitGroup).Go, which recovers a panic and raises it again.
func (m *Machine) waitGroupGo(place string, wg *sync.WaitGroup, f func()) {
	s := m.strands.here().child(place)
	wg.Add(1)
	m.cfg.Timers.started.Add(1)
	go func() {
		panicked := false
		defer func() {
			if !panicked && !m.exited.Load() { // otherwise the script ends
				wg.Done()
			}
		}()
		m.goroutine(s, f, func(r any) *Panic {
			panicked = true
			p := *m.caught(r)
			p.recovered = true
			return &Panic{Value: p.Value, Line: p.Line, Earlier: &p}
		})
	}()
}

// contextAfterFunc is context.AfterFunc.
func (m *Machine) contextAfterFunc(place string, ctx context.Context, f func()) func() bool {
	return context.AfterFunc(ctx, m.inGoroutine(place, f))
}

// setProcs is runtime.GOMAXPROCS for a script that shares the process with the harness: it
// returns the value that the script has set.
func (m *Machine) setProcs(n int) int {
	before := m.procs.Load()
	if n > 0 {
		before = m.procs.Swap(int64(n))
	}
	switch {
	case before > 0:
		return int(before)
	case m.cfg.Timers.replay != nil:
		return m.cfg.Timers.replay.cpus
	}
	return runtime.GOMAXPROCS(0)
}

// numCPU is runtime.NumCPU.
func (m *Machine) numCPU() int {
	if m.cfg.Timers.replay != nil {
		return m.cfg.Timers.replay.cpus
	}
	return runtime.NumCPU()
}
