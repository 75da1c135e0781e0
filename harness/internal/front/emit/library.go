package emit

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/front/lib"
)

// The library sees script values in interfaces as boxes, with their real types. A
// few functions of the library reach beyond the script; those of the run-time
// library take their place.

// libraryFuncs are replaced by functions of rt with the same parameters; those
// of a method take the receiver first.
var libraryFuncs = map[string]string{
	// They write to the script's own os.Stdout.
	"fmt.Print": "rt.Print", "fmt.Println": "rt.Println", "fmt.Printf": "rt.Printf",
	// A log entry may have the place of the call in it.
	"log.Print": "rt.LogPrint", "log.Println": "rt.LogPrintln", "log.Printf": "rt.LogPrintf",
	"log.Fatal": "rt.LogFatal", "log.Fatalln": "rt.LogFatalln", "log.Fatalf": "rt.LogFatalf",
	"log.Panic": "rt.LogPanic", "log.Panicln": "rt.LogPanicln", "log.Panicf": "rt.LogPanicf",
	"(*log.Logger).Print": "rt.LoggerPrint", "(*log.Logger).Println": "rt.LoggerPrintln", "(*log.Logger).Printf": "rt.LoggerPrintf",
	"(*log.Logger).Fatal": "rt.LoggerFatal", "(*log.Logger).Fatalln": "rt.LoggerFatalln", "(*log.Logger).Fatalf": "rt.LoggerFatalf",
	"(*log.Logger).Panic": "rt.LoggerPanic", "(*log.Logger).Panicln": "rt.LoggerPanicln", "(*log.Logger).Panicf": "rt.LoggerPanicf",
	// The fields that JSON has are noted in a tool's parameters.
	"encoding/json.Unmarshal": "rt.JSONUnmarshal", "(*encoding/json.Decoder).Decode": "rt.JSONDecode",
	// They end the script, or the goroutine, in which deferred calls are ours.
	"os.Exit": "rt.Exit", "runtime.Goexit": "rt.Goexit", "flag.Parse": "rt.FlagParse", "(*flag.FlagSet).Parse": "rt.FlagSetParse",
	// They start goroutines, whose panics end the script, or timers, for which a deadlock waits.
	"time.AfterFunc": "rt.AfterFunc", "context.AfterFunc": "rt.ContextAfterFunc", "(*sync.WaitGroup).Go": "rt.WaitGroupGo", "time.NewTimer": "rt.NewTimer", "time.After": "rt.After", "time.NewTicker": "rt.NewTicker", "time.Tick": "rt.Tick",
	"(*time.Timer).Stop": "rt.TimerStop", "(*time.Timer).Reset": "rt.TimerReset", "(*time.Ticker).Stop": "rt.TickerStop", "(*time.Ticker).Reset": "rt.TickerReset",
	"context.WithTimeout": "rt.WithTimeout", "context.WithDeadline": "rt.WithDeadline", "context.WithTimeoutCause": "rt.WithTimeoutCause", "context.WithDeadlineCause": "rt.WithDeadlineCause",
	// The process has more goroutines, and a clock's places, than a script's.
	"runtime.NumGoroutine": "rt.NumGoroutine", "runtime.GOMAXPROCS": "rt.GOMAXPROCS", "time.LoadLocation": "rt.LoadLocation",
	// The harness.
	"usetools/prelude.Return": "rt.Return", "usetools/prelude.Input": "rt.Input", "usetools/prelude.Stored": "rt.Stored",
	"usetools/prelude.RunScript": "rt.RunScript", "usetools/host.Decode": "rt.Decode", "usetools/host.Encode": "rt.Encode",
}

// nativeFuncs are generic library functions that functions of rt stand for, with
// parameters of type any that want the erased values.
var nativeFuncs = map[string]string{
	"crypto/hkdf.Extract": "rt.HKDFExtract", "crypto/hkdf.Expand": "rt.HKDFExpand", "crypto/hkdf.Key": "rt.HKDFKey", "crypto/pbkdf2.Key": "rt.PBKDF2Key",
	"slices.Sort": "rt.Sort", "slices.SortFunc": "rt.SortFunc", "slices.SortStableFunc": "rt.SortStableFunc",
}

// native is the function of rt that stands for the one that x calls, "" when
// there is none. A folded slice has no form of its own.
func (f *fn) native(x *ast.CallExpr, fo *types.Func) string {
	name := nativeFuncs[strings.TrimPrefix(fo.FullName(), lib.Prefix)]
	if name == "" || fo.Signature().Params().Len() != len(x.Args) {
		return ""
	}
	if _, isFolded := folded(f.typeOf(x.Args[0])); isFolded {
		return ""
	}
	return name
}

// adapt emits the conversion of an `any`, or of another interface, to an interface
// with a type of its own.
func (p *program) adapt(to types.Type, text string) string {
	return p.converter("To", to) + "(" + text + ")"
}

// ownFunction finds the function of our own sources that stands for a generic
// library function.
func (f *fn) ownFunction(fo *types.Func) *types.Func {
	if fo.Pkg() == nil || !lib.Replaces(fo.Pkg().Path(), fo.Name()) {
		return nil
	}
	own, _ := f.p.library(fo.Pkg().Path()).Types.Scope().Lookup(fo.Name()).(*types.Func)
	if own != nil && own.Signature().TypeParams() != nil && fo.Signature().TypeParams() == nil {
		return nil // see overConcrete
	}
	return own
}

// overConcrete is the function that stands for one of a library that takes an
// interface, when the type of the value that it is called with is known: its
// methods are then called like those of the script's own code, and not by the
// library. ok is false when there is none.
func (f *fn) overConcrete(x *ast.CallExpr, fo *types.Func) (c callee, ok bool) {
	if fo.Pkg() == nil || !lib.Replaces(fo.Pkg().Path(), fo.Name()) || fo.Signature().TypeParams() != nil || len(x.Args) != fo.Signature().Params().Len() {
		return callee{}, false
	}
	t := f.typeOf(x.Args[0])
	if n, isNamed := types.Unalias(deref(t)).(*types.Named); !isNamed || isInterface(t) || !f.p.isSource(n.Obj().Pkg()) {
		return callee{}, false
	}
	own, _ := f.p.library(fo.Pkg().Path()).Types.Scope().Lookup(fo.Name()).(*types.Func)
	if own == nil || own.Signature().TypeParams() == nil {
		return callee{}, false
	}
	sig, err := types.Instantiate(nil, own.Signature(), []types.Type{t}, false)
	if err != nil {
		return callee{}, false
	}
	name := f.p.funcName(own, []types.Type{t})
	return callee{sig: sig.(*types.Signature), direct: name, named: true, invoke: plainCall(name)}, true
}

// specialName names the call when it is one of those that special emits.
func (f *fn) specialName(x *ast.CallExpr) string {
	id := calledIdent(x.Fun)
	if id == nil {
		return ""
	}
	if fo, ok := f.use(id).(*types.Func); ok {
		switch name := fo.FullName(); name {
		case "errors.AsType", "reflect.TypeFor", "usetools/host.Do":
			return name
		}
	}
	return ""
}

// special emits calls of library functions whose parameters are types.
func (f *fn) special(x *ast.CallExpr) (text string, results *types.Tuple, ok bool) {
	switch f.specialName(x) {
	case "reflect.TypeFor":
		return f.reflectTypeFor(f.subst(f.unit.info.Instances[calledIdent(x.Fun)].TypeArgs.At(0))), f.signatureOf(x.Fun).Results(), true
	case "usetools/host.Do":
		return f.do(x), f.signatureOf(x.Fun).Results(), true
	case "errors.AsType":
		t := f.subst(f.unit.info.Instances[calledIdent(x.Fun)].TypeArgs.At(0))
		name := fmt.Sprintf("find_%d", f.p.number(t))
		f.p.once(name, func() string {
			typ := f.p.typ(t)
			return fmt.Sprintf("func %s(err error) (%s, bool) {\nvar x %s\nvar ok bool = rt.ErrorsAs(err, %s)\nreturn x, ok\n}\n",
				name, typ, typ, f.p.box("&x", types.NewPointer(t)))
		})
		return name + "(" + f.to(x.Args[0], errorType) + ")", f.signatureOf(x.Fun).Results(), true
	}
	return "", nil, false
}

// do emits the call of a tool by its generated function, as host.Do has it: with
// the erased structs, and the number of the result's type.
func (f *fn) do(x *ast.CallExpr) string {
	text := types.Typ[types.String]
	o := f.operands(operand{x.Args[0], text}, operand{x.Args[1], text}, operand{x.Args[3], nil}, operand{x.Args[4], text})
	params := "nil"
	if !f.isNil(x.Args[2]) {
		params = f.expr(x.Args[2])
	}
	return fmt.Sprintf("rt.Do(%s, %s, %s, %s, %d, %s)", o[0], o[1], params, o[2], f.p.number(deref(f.typeOf(x.Args[3]))), o[3])
}

// reflectTypeFor emits reflect.TypeFor[t]().
func (f *fn) reflectTypeFor(t types.Type) string {
	if !f.p.needsBox(t) {
		return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.number(t))
	}
	return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.boxNumber(t))
}
