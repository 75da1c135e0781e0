package rt

import (
	"context"
	"encoding/binary"
	"maps"
	"reflect"
	"runtime"
	"sort"
	"sync"
	"time"
)

// Symbols are the names of package rt as lowered programs know them, as far as a
// program mentions them (nil: all): to make all takes longer than most scripts run.
func (m *Machine) Symbols(mentions map[string]bool) map[string]reflect.Value {
	table := map[string]any{
		"Line": func() *int { return m.line },
		"Nop":  func() {},

		"Box": m.box, "Raw": raw, "Number": m.number, "Erased": erased, "FromLibrary": canonical,
		"Channel": channel,
		"IsNil":   func(x any) bool { return x == nil }, "Equal": equal, "EqualRaw": m.equalRaw, "Key": func(x any) any { return checkKey(x, false, 0) }, "KeyIn": func(x any, n int) any { return checkKey(x, true, n) },
		"IsType": m.isType, "TypeCase": m.typeCase, "Implements": m.implements, "Register": m.Register, "RegisterInTemplates": m.registerInTemplates, "CallMethod": m.callLibrary, "NotAvailable": notAvailable,
		"ErrorsIs":  errorsIs,
		"WithValue": withValue,
		"MapStore":  mapStore, "MapLoad": mapLoad, "MapLoadOrStore": mapLoadOrStore, "MapLoadAndDelete": mapLoadAndDelete, "MapDelete": mapDelete,
		"MapSwap": mapSwap, "MapCompareAndSwap": mapCompareAndSwap, "MapCompareAndDelete": mapCompareAndDelete,
		"BinaryRead": m.binaryRead, "BinaryWrite": m.binaryWrite, "BinarySize": m.binarySize,
		"BinaryAppend": m.binaryAppend, "BinaryEncode": m.binaryEncode, "BinaryDecode": m.binaryDecode,
		"ValueStore": valueStore, "ValueSwap": valueSwap, "ValueCompareAndSwap": valueCompareAndSwap,
		"FindErrorAs": m.findErrorAs,
		"FindError":   func(err error, tid int) any { x, _ := m.findError(err, tid); return x },

		"BadAssert": m.badAssert, "BadIndex": m.badIndex, "BadSlice": m.badSlice, "BadSlice3": m.badSlice3, "BadWideIndex": m.badWideIndex, "BadArray": m.badArray, "BadMake": badMake, "BadShift": badShift, "BadDivisor": badDivisor,
		"BadNil": badNil, "BadYield": badYield, "BadRange": badRange, "BadMap": badMap, "BadWrapped": badWrapped, "CheckPointer": checkPointer, "BadTarget": badTarget, "BadTargetType": badTargetType,
		"Panic": m.raise, "NewDefers": m.newDefers, "Push": push, "PushCall": pushCall, "Run": run, "Unwind": m.unwind, "Through": m.through, "Unlock": m.unlock, "UnlockRW": m.unlockRW, "RUnlock": m.runlock,
		"Recover": take, "RecoverHere": m.takeHere, "Go": m.start, "GoCall": m.startCall,
		"Select": m.cfg.Timers.selectCase, "Sending": sending, "Receiving": receiving,

		"Entries": func(x any) *reflect.MapIter { return reflect.ValueOf(x).MapRange() }, "NextEntry": nextEntry,
		"Runes": runes, "Clear": func(x any) { reflect.ValueOf(x).Clear() },
		"Min64": func(a, b float64) float64 { return min(a, b) }, "Max64": func(a, b float64) float64 { return max(a, b) },
		"Min32": func(a, b float32) float32 { return min(a, b) }, "Max32": func(a, b float32) float32 { return max(a, b) },
		"BuiltinPrint": func(a ...any) { m.builtinPrint(false, a) }, "BuiltinPrintln": func(a ...any) { m.builtinPrint(true, a) },

		"Print": m.print, "Println": m.println, "Printf": m.printf, "Sprint": sprint, "Sprintln": sprintln, "Sprintf": sprintf,
		"Fprint": fprint, "Fprintln": fprintln, "Fprintf": fprintf, "Append": appendPrint, "Appendln": appendPrintln, "Appendf": appendPrintf,
		"Sscan": sscan, "Sscanln": sscanln, "Sscanf": sscanf, "Fscan": fscan, "Fscanln": fscanln, "Fscanf": fscanf, "Scan": scan, "Scanln": scanln, "Scanf": scanf,
		"Errorf": errorf, "Exit": m.exit, "Goexit": runtime.Goexit,
		"Do": m.do, "Decode": m.decodeResult,
		"Return": m.setValue, "Input": m.input, "Stored": m.stored, "RunScript": m.runScript,

		"JSONMarshal": m.jsonMarshal, "JSONMarshalIndent": m.jsonMarshalIndent, "JSONUnmarshal": m.jsonUnmarshal,
		"JSONNewEncoder": jsonNewEncoder, "JSONNewDecoder": jsonNewDecoder, "JSONSetIndent": jsonSetIndent,
		"JSONSetEscapeHTML": m.jsonSetEscapeHTML, "JSONEncode": m.jsonEncode, "JSONDecode": m.jsonDecode,
		"JSONUseNumber": m.jsonUseNumber, "JSONDisallowUnknownFields": m.jsonDisallowUnknownFields,
		"TemplateExecute": m.templateExecute, "TemplateExecuteTemplate": m.templateExecuteTemplate, "TemplateFuncs": m.templateFuncs,
		"TemplateIsTrue": func(x any) (truth, ok bool) { return templateTruth(ReflectValueOf(x)) },
		"HTMLEscaper":    templateHTML, "JSEscaper": templateJS, "URLQueryEscaper": templateURLQuery,
		"XMLMarshal": m.xmlMarshal, "XMLMarshalIndent": m.xmlMarshalIndent, "XMLUnmarshal": m.xmlUnmarshal,
		"XMLEncode": m.xmlEncode, "XMLEncodeElement": m.xmlEncodeElement, "XMLDecode": m.xmlDecode, "XMLDecodeElement": m.xmlDecodeElement,
		"HTMLExecute": m.htmlExecute, "HTMLExecuteTemplate": m.htmlExecuteTemplate, "HTMLFuncs": m.htmlFuncs,
		"HTMLParse": m.htmlParse, "HTMLParseFS": m.htmlParseFS, "HTMLAddParseTree": m.htmlAddParseTree, "HTMLClone": m.htmlClone,
		"SlogNewJSONHandler": m.slogNewJSONHandler, "SlogNewTextHandler": m.slogNewTextHandler,
		"FlagTextVar": m.flagTextVar, "FlagSetTextVar": m.flagSetTextVar, "NewFlagSet": m.newFlagSet, "FlagParse": m.flagParse, "FlagSetParse": m.flagSetParse,
		"WaitGroupGo": m.waitGroupGo, "ContextAfterFunc": m.contextAfterFunc,
		"AfterFunc":    func(d time.Duration, f func()) *time.Timer { return m.cfg.Timers.afterFunc(d, m.inGoroutine(f)) },
		"NumGoroutine": func() int { return int(m.started.Load()) + 1 }, "GOMAXPROCS": m.setProcs,
		"TypeConvertibleTo": typeConvertibleTo, "TypeMethod": m.typeMethod, "TypeMethods": m.typeMethods, "TypeMethodByName": m.typeMethodByName,
		"TypeAssignableTo": typeAssignableTo, "TypeImplements": typeImplements,
		"HKDFExtract": hkdfExtract, "HKDFExpand": hkdfExpand, "HKDFKey": hkdfKey, "PBKDF2Key": pbkdf2Key,
		"GoParseFile": goParseFile, "GoParseExprFrom": goParseExprFrom, "GoFormatNode": goFormatNode, "GoFprint": goFprint, "GoConfigFprint": goConfigFprint,
		"ASTPrint": m.astPrint, "ASTFprint": astFprint,
		"ReflectMakeFunc": m.reflectMakeFunc, "ReflectSelect": m.reflectSelect, "ReflectMakeChan": m.reflectMakeChan,
		"ReflectValueOf":         func(x any) ReflectValue { return m.known(ReflectValueOf(x)) },
		"ReflectZero":            func(t reflect.Type) ReflectValue { return m.known(ReflectZero(t)) },
		"ReflectNew":             func(t reflect.Type) ReflectValue { return m.known(ReflectNew(t)) },
		"ReflectMakeSlice":       func(t reflect.Type, n, c int) ReflectValue { return m.known(ReflectMakeSlice(t, n, c)) },
		"ReflectMakeMap":         func(t reflect.Type) ReflectValue { return m.known(ReflectMakeMap(t)) },
		"ReflectMakeMapWithSize": func(t reflect.Type, n int) ReflectValue { return m.known(ReflectMakeMapWithSize(t, n)) },
		"ReflectTypeFor":         func(tid int) reflect.Type { return m.reflectTypeOf(m.types[tid].typ) },
		"SortSlice":              func(x any, less func(i, j int) bool) { sort.Slice(erased(x), less) },
		"SortSliceStable":        func(x any, less func(i, j int) bool) { sort.SliceStable(erased(x), less) },
		"SliceIsSorted":          func(x any, less func(i, j int) bool) bool { return sort.SliceIsSorted(erased(x), less) },
		"Sort":                   sortOrdered, "SortFunc": sortFunc, "SortStableFunc": sortStableFunc,
	}
	maps.Copy(table, m.cfg.Timers.symbols())
	m.logSymbols(table)
	m.gobSymbols(table)
	symbols := map[string]reflect.Value{"Defers": reflect.ValueOf((*Defers)(nil)), "Case": reflect.ValueOf((*Case)(nil)),
		"OrderBig": typeOfValue(binary.BigEndian), "OrderLittle": typeOfValue(binary.LittleEndian), "OrderNative": typeOfValue(binary.NativeEndian)}
	for _, part := range []map[string]any{table, adapters, rarerAdapters, fileAdapters, imageAdapters, cryptoAdapters, goAdapters} {
		for name, f := range part {
			if mentions == nil || mentions[name] {
				symbols[name] = reflect.ValueOf(f)
			}
		}
	}
	return symbols
}

// typeOfValue is the symbol of the type of a value.
func typeOfValue(x any) reflect.Value { return reflect.Zero(reflect.PointerTo(reflect.TypeOf(x))) }

// runes decodes a string: its runes and where each begins.
func runes(s string) ([]rune, []int) {
	rs := make([]rune, 0, len(s))
	at := make([]int, 0, len(s))
	for i, r := range s {
		rs = append(rs, r)
		at = append(at, i)
	}
	return rs, at
}

func badMap() { panic(goPlainError("assignment to entry in nil map")) }

func badWrapped(pkg, typ, method string) {
	panic(goPlainError("value method " + pkg + "." + typ + "." + method + " called using nil *" + typ + " pointer"))
}

// checkPointer fails for an interface that holds a nil pointer.
func checkPointer(x any) {
	if v := reflect.ValueOf(erased(x)); v.Kind() == reflect.Pointer && v.IsNil() {
		badNil()
	}
}

func badTarget() { panic(&Panic{Value: "errors: target must be a non-nil pointer"}) }

// badTargetType is errors.As with a target that no error can be.
func badTargetType(err error, target any) bool {
	switch {
	case err == nil:
		return false
	case reflect.ValueOf(target).IsNil():
		badTarget()
	}
	panic(&Panic{Value: "errors: *target must be interface or implement error"})
}

// startCall starts a goroutine with a call of a script function.
func (m *Machine) startCall(f any, args ...any) {
	fn := reflect.ValueOf(f)
	m.start(func() { callWith(fn, args) })
}

// start runs a goroutine of the script.
func (m *Machine) start(f func()) {
	m.started.Add(1)
	go m.goroutine(f, m.caught)
}

// goroutine is the whole of a goroutine that was counted as started; a panic that
// ends it ends the script, in the words of what caught makes of it.
func (m *Machine) goroutine(f func(), caught func(any) *Panic) {
	defer m.started.Add(-1)
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

// inGoroutine is f for a library that calls it in a goroutine of its own.
func (m *Machine) inGoroutine(f func()) func() {
	return func() {
		m.started.Add(1)
		m.goroutine(f, m.caught)
	}
}

// waitGroupGo is (*sync.WaitGroup).Go, which recovers a panic and raises it again.
func (m *Machine) waitGroupGo(wg *sync.WaitGroup, f func()) {
	wg.Add(1)
	m.started.Add(1)
	go func() {
		panicked := false
		defer func() {
			if !panicked && !m.exited.Load() { // else nobody goes on
				wg.Done()
			}
		}()
		m.goroutine(f, func(r any) *Panic {
			panicked = true
			p := *m.caught(r)
			p.recovered = true
			return &Panic{Value: p.Value, Line: p.Line, Earlier: &p}
		})
	}()
}

// contextAfterFunc is context.AfterFunc.
func (m *Machine) contextAfterFunc(ctx context.Context, f func()) func() bool {
	return context.AfterFunc(ctx, m.inGoroutine(f))
}

// setProcs is runtime.GOMAXPROCS for a script that shares the process with the
// harness: it is told what it has set.
func (m *Machine) setProcs(n int) int {
	before := m.procs.Load()
	if n > 0 {
		before = m.procs.Swap(int64(n))
	}
	if before == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return int(before)
}
