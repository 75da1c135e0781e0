package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"sync"

	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// The library sees script values in interfaces as boxes, with their real types, and is Go's
// own. Functions with effects outside the script are replaced.

// A replacement is a group of library functions, by their full names, that functions of
// package runtime replace. Those have the same parameters; a method's replacement takes the
// receiver first.
type replacement struct {
	why   string
	funcs map[string]string
	// generic: the replacements take values of any type; erased: in their erased form.
	generic, erased bool
	// placed: the replacements take the place where they are named as first parameter;
	// lined: its line.
	placed, lined bool
}

// replacements lists all library functions that are not Go's own, except those in package
// source and the three whose parameters are types (see special).
var replacements = []replacement{
	{why: "the script has an os.Stdout of its own, which it may set", lined: true, funcs: map[string]string{
		"fmt.Print": "Print", "fmt.Println": "Println", "fmt.Printf": "Printf",
	}},
	{why: "their output records the line that prints", lined: true, funcs: map[string]string{
		"fmt.Fprint": "Fprint", "fmt.Fprintln": "Fprintln", "fmt.Fprintf": "Fprintf", "io.WriteString": "WriteString",
		"(*os.File).Write": "FileWrite", "(*os.File).WriteString": "FileWriteString",
		"log.Print": "LogPrint", "log.Println": "LogPrintln", "log.Printf": "LogPrintf",
		"(*log.Logger).Print": "LoggerPrint", "(*log.Logger).Println": "LoggerPrintln", "(*log.Logger).Printf": "LoggerPrintf",
	}},
	{why: "they end the script, not the process of the harness", funcs: map[string]string{
		"os.Exit": "Exit", "flag.Parse": "FlagParse", "(*flag.FlagSet).Parse": "FlagSetParse",
	}},
	{why: "they end the script, and their output records the line", lined: true, funcs: map[string]string{
		"log.Fatal": "LogFatal", "log.Fatalln": "LogFatalln", "log.Fatalf": "LogFatalf",
		"(*log.Logger).Fatal": "LoggerFatal", "(*log.Logger).Fatalln": "LoggerFatalln", "(*log.Logger).Fatalf": "LoggerFatalf",
	}},
	{why: "they record which fields of a tool's parameters the JSON has", funcs: map[string]string{
		"encoding/json.Unmarshal": "JSONUnmarshal", "(*encoding/json.Decoder).Decode": "JSONDecode",
	}},
	{why: "they start goroutines, whose panics end the script and not the process", placed: true, funcs: map[string]string{
		"time.AfterFunc": "AfterFunc", "context.AfterFunc": "ContextAfterFunc", "(*sync.WaitGroup).Go": "WaitGroupGo",
	}},
	{why: "pending timers are counted: until they go off there is no deadlock", funcs: map[string]string{
		"time.NewTimer": "NewTimer", "time.After": "After", "(*time.Timer).Stop": "TimerStop", "(*time.Timer).Reset": "TimerReset",
		"time.NewTicker": "NewTicker", "time.Tick": "Tick", "(*time.Ticker).Stop": "TickerStop", "(*time.Ticker).Reset": "TickerReset",
		"context.WithTimeout": "WithTimeout", "context.WithTimeoutCause": "WithTimeoutCause",
		"context.WithDeadline": "WithDeadline", "context.WithDeadlineCause": "WithDeadlineCause",
	}},
	{why: "they draw from the run's seed, so that a replay draws the same numbers", funcs: map[string]string{
		"math/rand.ExpFloat64": "RandExpFloat64", "math/rand.Float32": "RandFloat32",
		"math/rand.Float64": "RandFloat64", "math/rand.Int": "RandInt", "math/rand.Int31": "RandInt31",
		"math/rand.Int31n": "RandInt31n", "math/rand.Int63": "RandInt63", "math/rand.Int63n": "RandInt63n",
		"math/rand.Intn": "RandIntn", "math/rand.NormFloat64": "RandNormFloat64", "math/rand.Perm": "RandPerm",
		"math/rand.Read": "RandRead", "math/rand.Shuffle": "RandShuffle", "math/rand.Uint32": "RandUint32",
		"math/rand.Uint64": "RandUint64", "math/rand/v2.ExpFloat64": "Rand2ExpFloat64",
		"math/rand/v2.Float32": "Rand2Float32", "math/rand/v2.Float64": "Rand2Float64",
		"math/rand/v2.Int": "Rand2Int", "math/rand/v2.Int32": "Rand2Int32", "math/rand/v2.Int32N": "Rand2Int32N",
		"math/rand/v2.Int64": "Rand2Int64", "math/rand/v2.Int64N": "Rand2Int64N", "math/rand/v2.IntN": "Rand2IntN",
		"math/rand/v2.NormFloat64": "Rand2NormFloat64", "math/rand/v2.Perm": "Rand2Perm",
		"math/rand/v2.Shuffle": "Rand2Shuffle", "math/rand/v2.Uint": "Rand2Uint",
		"math/rand/v2.Uint32": "Rand2Uint32", "math/rand/v2.Uint32N": "Rand2Uint32N",
		"math/rand/v2.Uint64": "Rand2Uint64", "math/rand/v2.Uint64N": "Rand2Uint64N",
		"math/rand/v2.UintN": "Rand2UintN", "crypto/rand.Read": "CryptoRead", "crypto/rand.Text": "CryptoText",
		"crypto/rand.Prime": "CryptoPrime",
	}},
	{why: "they visit maps in the order of range statements", funcs: map[string]string{
		"(*sync.Map).Range": "SyncMapRange", "(reflect.Value).MapKeys": "MapKeys",
	}},
	{why: "a run's clock is recorded, and repeated in a replay", funcs: map[string]string{
		"time.Now": "Now", "time.Since": "Since", "time.Until": "Until", "time.Sleep": "Sleep",
	}},
	{why: "the process also has goroutines of the harness, and a replay may have another number of processors", funcs: map[string]string{
		"runtime.NumGoroutine": "NumGoroutine", "runtime.GOMAXPROCS": "GOMAXPROCS", "runtime.NumCPU": "NumCPU",
	}},
	{why: "a locked process cannot read zone files, and Go's error would show that", funcs: map[string]string{
		"time.LoadLocation": "LoadLocation",
	}},
	{why: "generic functions have no symbol, and package source lacks these", generic: true, funcs: map[string]string{
		"crypto/hkdf.Extract": "HKDFExtract", "crypto/hkdf.Expand": "HKDFExpand", "crypto/hkdf.Key": "HKDFKey", "crypto/pbkdf2.Key": "PBKDF2Key",
	}},
	{why: "the sources in package source are slower", generic: true, erased: true, funcs: map[string]string{
		"slices.Sort": "Sort", "slices.SortFunc": "SortFunc", "slices.SortStableFunc": "SortStableFunc",
	}},
	{why: "they are the harness's, and need the types of their arguments", funcs: map[string]string{
		"usetools/prelude.Return": "Return", "usetools/prelude.Input": "Input", "usetools/prelude.Stored": "Stored",
		"usetools/host.Decode": "Decode", "usetools/host.Encode": "Encode",
	}},
	{why: "they are calls, which report their place", placed: true, funcs: map[string]string{
		"usetools/prelude.RunScript": "RunScript", "usetools/host.Call": "Call",
	}},
}

// replacing maps full names of functions to their groups.
var replacing = sync.OnceValue(func() map[string]*replacement {
	m := map[string]*replacement{}
	for i := range replacements {
		for full := range replacements[i].funcs {
			m[full] = &replacements[i]
		}
	}
	return m
})

// replacedBy returns the function of rt that replaces a non-generic library function, and
// its group, or "".
func replacedBy(fo *types.Func) (name string, r *replacement) {
	full := fo.FullName()
	if r := replacing()[full]; r != nil && !r.generic {
		return "rt." + r.funcs[full], r
	}
	return "", nil
}

// first returns the extra first argument of rt's functions when they are named at a place,
// or "".
func (r *replacement) first(place string) string {
	switch {
	case r.placed:
		return place
	case r.lined:
		return lineOf(place)
	}
	return ""
}

// replaced returns a writer of calls of the replacement of a function that the script names
// at a place. It returns nil if the function is not replaced.
func replaced(fo *types.Func, place string) func(recv string, args []string) string {
	name, r := replacedBy(fo)
	if r == nil {
		return nil
	}
	first := r.first(place)
	if first == "" {
		return plainCall(name)
	}
	return func(recv string, args []string) string {
		if recv != "" {
			args = append([]string{recv}, args...)
		}
		return plainCall(name)(first, args)
	}
}

// replacedGeneric returns the callee that replaces the generic function called by x, if
// there is one. A folded slice has no form of its own.
func (f *fn) replacedGeneric(x *ast.CallExpr, fo *types.Func, sig *types.Signature) (c callee, ok bool) {
	full := strings.TrimPrefix(fo.FullName(), source.Prefix)
	r := replacing()[full]
	if r == nil || !r.generic || fo.Signature().Params().Len() != len(x.Args) {
		return callee{}, false
	}
	if _, isFolded := folded(f.typeOf(x.Args[0])); isFolded {
		return callee{}, false
	}
	return callee{sig: sig, library: true, invoke: func(_ string, args []string) string {
		for i, a := range args {
			if args[i] = "rt.Raw(" + a + ")"; !r.erased {
				args[i] = f.p.box(a, sig.Params().At(i).Type())
			}
		}
		return "rt." + r.funcs[full] + "(" + strings.Join(args, ", ") + ")"
	}}, true
}

// adapt emits the conversion of an `any`, or of another interface, to an interface with a
// type of its own.
func (p *program) adapt(to types.Type, text string) string {
	return p.converter("To", to) + "(" + text + ")"
}

// ownFunction returns the harness's own function that replaces a generic library function,
// or nil.
func (f *fn) ownFunction(fo *types.Func) *types.Func {
	if fo.Pkg() == nil || !source.Replaces(fo.Pkg().Path(), fo.Name()) {
		return nil
	}
	own, _ := f.p.library(fo.Pkg().Path()).Types.Scope().Lookup(fo.Name()).(*types.Func)
	if own != nil && own.Signature().TypeParams() != nil && fo.Signature().TypeParams() == nil {
		return nil // see overConcrete
	}
	return own
}

// overConcrete returns the function that replaces a library function with an interface
// parameter, if the type of the argument is known. Its methods are then called like those
// of the script's own code, and not by the library. Otherwise ok is false.
func (f *fn) overConcrete(x *ast.CallExpr, fo *types.Func) (c callee, ok bool) {
	if fo.Pkg() == nil || !source.Replaces(fo.Pkg().Path(), fo.Name()) || fo.Signature().TypeParams() != nil || len(x.Args) != fo.Signature().Params().Len() {
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

// specialName returns the name of the called function if the method special emits its calls, or "".
func (f *fn) specialName(x *ast.CallExpr) string {
	id := calledIdent(x.Fun)
	if id == nil {
		return ""
	}
	if fo, ok := f.use(id).(*types.Func); ok {
		switch name := fo.FullName(); name {
		case "errors.AsType", "reflect.TypeFor", "reflect.TypeAssert", "usetools/host.Do":
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
	case "reflect.TypeAssert":
		t := f.subst(f.unit.info.Instances[calledIdent(x.Fun)].TypeArgs.At(0))
		return f.p.asserter(t, anyType, true) + "(rt.TypeAssert(" + f.expr(x.Args[0]) + "))", f.signatureOf(x.Fun).Results(), true
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

// do emits the call of a tool by its generated function, like host.Do: with the erased
// structs, and the number of the result's type.
func (f *fn) do(x *ast.CallExpr) string {
	text := types.Typ[types.String]
	o := f.operands(operand{x.Args[0], text}, operand{x.Args[1], text}, operand{x.Args[3], nil}, operand{x.Args[4], text})
	params := "nil"
	if !f.isNil(x.Args[2]) {
		params = f.expr(x.Args[2])
	}
	return fmt.Sprintf("rt.Do(%s, %s, %s, %s, %s, %d, %s)", f.placeOf(x.Pos()), o[0], o[1], params, o[2], f.p.number(deref(f.typeOf(x.Args[3]))), o[3])
}

// reflectTypeFor emits reflect.TypeFor[t]().
func (f *fn) reflectTypeFor(t types.Type) string {
	if !f.p.needsBox(t) {
		return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.number(t))
	}
	return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.boxNumber(t))
}
