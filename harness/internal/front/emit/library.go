package emit

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/front/lib"
)

// The library sees script values in interfaces: as boxes. Where it only passes
// them on or calls a known interface, that is fine. Where it looks at dynamic
// types by itself (fmt, encoding/json, errors.As, text/template), a function of
// the run-time library takes its place; where neither would do, the call is
// refused.

// libraryFuncs are replaced by functions of rt with the same parameters; those
// of a method take the receiver first.
var libraryFuncs = map[string]string{
	"fmt.Print": "rt.Print", "fmt.Println": "rt.Println", "fmt.Printf": "rt.Printf",
	"fmt.Sprint": "rt.Sprint", "fmt.Sprintln": "rt.Sprintln", "fmt.Sprintf": "rt.Sprintf",
	"fmt.Fprint": "rt.Fprint", "fmt.Fprintln": "rt.Fprintln", "fmt.Fprintf": "rt.Fprintf",
	"fmt.Append": "rt.Append", "fmt.Appendln": "rt.Appendln", "fmt.Appendf": "rt.Appendf", "fmt.Errorf": "rt.Errorf",
	"fmt.Sscan": "rt.Sscan", "fmt.Sscanln": "rt.Sscanln", "fmt.Sscanf": "rt.Sscanf", "fmt.Scan": "rt.Scan", "fmt.Scanln": "rt.Scanln", "fmt.Scanf": "rt.Scanf",
	"fmt.Fscan": "rt.Fscan", "fmt.Fscanln": "rt.Fscanln", "fmt.Fscanf": "rt.Fscanf",
	"log.Print": "rt.LogPrint", "log.Println": "rt.LogPrintln", "log.Printf": "rt.LogPrintf",
	"log.Fatal": "rt.LogFatal", "log.Fatalln": "rt.LogFatalln", "log.Fatalf": "rt.LogFatalf",
	"log.Panic": "rt.LogPanic", "log.Panicln": "rt.LogPanicln", "log.Panicf": "rt.LogPanicf",
	"(*log.Logger).Print": "rt.LoggerPrint", "(*log.Logger).Println": "rt.LoggerPrintln", "(*log.Logger).Printf": "rt.LoggerPrintf",
	"(*log.Logger).Fatal": "rt.LoggerFatal", "(*log.Logger).Fatalln": "rt.LoggerFatalln", "(*log.Logger).Fatalf": "rt.LoggerFatalf",
	"(*log.Logger).Panic": "rt.LoggerPanic", "(*log.Logger).Panicln": "rt.LoggerPanicln", "(*log.Logger).Panicf": "rt.LoggerPanicf",
	"encoding/json.Marshal": "rt.JSONMarshal", "encoding/json.MarshalIndent": "rt.JSONMarshalIndent", "encoding/json.Unmarshal": "rt.JSONUnmarshal",
	"encoding/json.NewEncoder": "rt.JSONNewEncoder", "encoding/json.NewDecoder": "rt.JSONNewDecoder",
	"(*encoding/json.Encoder).Encode": "rt.JSONEncode", "(*encoding/json.Encoder).SetIndent": "rt.JSONSetIndent", "(*encoding/json.Encoder).SetEscapeHTML": "rt.JSONSetEscapeHTML",
	"(*encoding/json.Decoder).Decode": "rt.JSONDecode", "(*encoding/json.Decoder).UseNumber": "rt.JSONUseNumber", "(*encoding/json.Decoder).DisallowUnknownFields": "rt.JSONDisallowUnknownFields",
	"encoding/xml.Marshal": "rt.XMLMarshal", "encoding/xml.MarshalIndent": "rt.XMLMarshalIndent", "encoding/xml.Unmarshal": "rt.XMLUnmarshal",
	"(*encoding/xml.Encoder).Encode": "rt.XMLEncode", "(*encoding/xml.Encoder).EncodeElement": "rt.XMLEncodeElement",
	"(*encoding/xml.Decoder).Decode": "rt.XMLDecode", "(*encoding/xml.Decoder).DecodeElement": "rt.XMLDecodeElement",
	"encoding/gob.NewEncoder": "rt.GobNewEncoder", "encoding/gob.NewDecoder": "rt.GobNewDecoder", "encoding/gob.Register": "rt.GobRegister", "encoding/gob.RegisterName": "rt.GobRegisterName",
	"(*text/template.Template).Execute": "rt.TemplateExecute", "(*text/template.Template).ExecuteTemplate": "rt.TemplateExecuteTemplate",
	"(*html/template.Template).Execute": "rt.HTMLExecute", "(*html/template.Template).ExecuteTemplate": "rt.HTMLExecuteTemplate", "(*html/template.Template).Funcs": "rt.HTMLFuncs",
	"(*html/template.Template).Parse": "rt.HTMLParse", "(*html/template.Template).ParseFS": "rt.HTMLParseFS", "(*html/template.Template).AddParseTree": "rt.HTMLAddParseTree", "(*html/template.Template).Clone": "rt.HTMLClone",
	"text/template.IsTrue": "rt.TemplateIsTrue", "text/template.HTMLEscaper": "rt.HTMLEscaper", "text/template.JSEscaper": "rt.JSEscaper", "text/template.URLQueryEscaper": "rt.URLQueryEscaper",
	"html/template.IsTrue": "rt.TemplateIsTrue", "html/template.HTMLEscaper": "rt.HTMLEscaper", "html/template.JSEscaper": "rt.JSEscaper", "html/template.URLQueryEscaper": "rt.URLQueryEscaper",
	"(*text/template.Template).Funcs": "rt.TemplateFuncs", "os.Exit": "rt.Exit", "errors.Is": "rt.ErrorsIs", "context.WithValue": "rt.WithValue",
	"(*sync.Map).Store": "rt.MapStore", "(*sync.Map).Load": "rt.MapLoad", "(*sync.Map).LoadOrStore": "rt.MapLoadOrStore", "(*sync.Map).LoadAndDelete": "rt.MapLoadAndDelete",
	"(*sync.Map).Delete": "rt.MapDelete", "(*sync.Map).Swap": "rt.MapSwap", "(*sync.Map).CompareAndSwap": "rt.MapCompareAndSwap", "(*sync.Map).CompareAndDelete": "rt.MapCompareAndDelete",
	"encoding/binary.Read": "rt.BinaryRead", "encoding/binary.Write": "rt.BinaryWrite", "encoding/binary.Size": "rt.BinarySize",
	"encoding/binary.Append": "rt.BinaryAppend", "encoding/binary.Encode": "rt.BinaryEncode", "encoding/binary.Decode": "rt.BinaryDecode",
	"(*sync/atomic.Value).Store": "rt.ValueStore", "(*sync/atomic.Value).Swap": "rt.ValueSwap", "(*sync/atomic.Value).CompareAndSwap": "rt.ValueCompareAndSwap",
	"sort.Slice": "rt.SortSlice", "sort.SliceStable": "rt.SortSliceStable", "sort.SliceIsSorted": "rt.SliceIsSorted",
	"log/slog.NewJSONHandler": "rt.SlogNewJSONHandler", "log/slog.NewTextHandler": "rt.SlogNewTextHandler",
	"flag.TextVar": "rt.FlagTextVar", "(*flag.FlagSet).TextVar": "rt.FlagSetTextVar", "flag.NewFlagSet": "rt.NewFlagSet", "flag.Parse": "rt.FlagParse", "(*flag.FlagSet).Parse": "rt.FlagSetParse",
	"time.LoadLocation": "rt.LoadLocation", "time.AfterFunc": "rt.AfterFunc", "context.AfterFunc": "rt.ContextAfterFunc", "(*sync.WaitGroup).Go": "rt.WaitGroupGo", "time.NewTimer": "rt.NewTimer", "time.After": "rt.After", "time.NewTicker": "rt.NewTicker", "time.Tick": "rt.Tick",
	"(*time.Timer).Stop": "rt.TimerStop", "(*time.Timer).Reset": "rt.TimerReset", "(*time.Ticker).Stop": "rt.TickerStop", "(*time.Ticker).Reset": "rt.TickerReset",
	"context.WithTimeout": "rt.WithTimeout", "context.WithDeadline": "rt.WithDeadline", "context.WithTimeoutCause": "rt.WithTimeoutCause", "context.WithDeadlineCause": "rt.WithDeadlineCause",
	"go/parser.ParseFile": "rt.GoParseFile", "go/parser.ParseExprFrom": "rt.GoParseExprFrom", "go/format.Node": "rt.GoFormatNode",
	"go/printer.Fprint": "rt.GoFprint", "(*go/printer.Config).Fprint": "rt.GoConfigFprint", "go/ast.Print": "rt.ASTPrint", "go/ast.Fprint": "rt.ASTFprint",
	"reflect.MakeFunc": "rt.ReflectMakeFunc", "reflect.Select": "rt.ReflectSelect", "reflect.MakeChan": "rt.ReflectMakeChan", "reflect.ValueOf": "rt.ReflectValueOf",
	"reflect.Zero": "rt.ReflectZero", "reflect.New": "rt.ReflectNew", "reflect.MakeSlice": "rt.ReflectMakeSlice", "reflect.MakeMap": "rt.ReflectMakeMap", "reflect.MakeMapWithSize": "rt.ReflectMakeMapWithSize",
	"(reflect.Type).ConvertibleTo": "rt.TypeConvertibleTo", "(reflect.Type).Method": "rt.TypeMethod", "(reflect.Type).Methods": "rt.TypeMethods", "(reflect.Type).MethodByName": "rt.TypeMethodByName",
	"(reflect.Type).AssignableTo": "rt.TypeAssignableTo", "(reflect.Type).Implements": "rt.TypeImplements",
	"runtime.Goexit": "rt.Goexit", "runtime.NumGoroutine": "rt.NumGoroutine", "runtime.GOMAXPROCS": "rt.GOMAXPROCS",
	"usetools/prelude.Return": "rt.Return", "usetools/prelude.Input": "rt.Input", "usetools/prelude.Stored": "rt.Stored",
	"usetools/prelude.RunScript": "rt.RunScript", "usetools/host.Decode": "rt.Decode", "usetools/host.Encode": "rt.JSONMarshal",
}

// Replaced is the name in rt of the function that stands for a library's function
// or method, which is written as [types.Func.FullName] does; "" for none.
func Replaced(full string) string { return strings.TrimPrefix(libraryFuncs[full], "rt.") }

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

// rawArguments are library functions whose parameters of type any want the
// erased value itself: they only look at its kind.
var rawArguments = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true,
}

// adapters are the library interfaces that rt can put over a script value.
var adapters = map[string]string{
	"error": "ToError", "fmt.Stringer": "ToStringer", "sort.Interface": "ToSortInterface", "container/heap.Interface": "ToHeapInterface",
	"io.Reader": "ToReader", "io.Writer": "ToWriter", "io.Closer": "ToCloser", "io.ReadWriter": "ToReadWriter",
	"io.ReadCloser": "ToReadCloser", "io.WriteCloser": "ToWriteCloser", "io.ReadWriteCloser": "ToReadWriteCloser",
	"io.ByteReader": "ToByteReader", "io.RuneReader": "ToRuneReader", "io.StringWriter": "ToStringWriter", "io.ByteWriter": "ToByteWriter",
	"io.WriterTo": "ToWriterTo", "io.ReaderFrom": "ToReaderFrom",
	"encoding/gob.GobEncoder": "ToGobEncoder", "encoding/gob.GobDecoder": "ToGobDecoder",
	"encoding/json.Marshaler": "ToJSONMarshaler", "encoding/json.Unmarshaler": "ToJSONUnmarshaler",
	"encoding.TextMarshaler": "ToTextMarshaler", "encoding.TextUnmarshaler": "ToTextUnmarshaler",
	"context.Context": "ToContext", "sync.Locker": "ToLocker", "runtime.Error": "ToRuntimeError", "hash.Hash": "ToHash",
	"fmt.Formatter": "ToFormatter", "fmt.GoStringer": "ToGoStringer", "log/slog.Handler": "ToSlogHandler", "log/slog.LogValuer": "ToSlogLogValuer",
	"math/rand.Source": "ToRandSource", "math/rand/v2.Source": "ToRandV2Source", "log/slog.Leveler": "ToSlogLeveler",
	"io.Seeker": "ToSeeker", "io.ReadSeeker": "ToReadSeeker", "io.WriteSeeker": "ToWriteSeeker", "io.ReadWriteSeeker": "ToReadWriteSeeker", "io.ReadSeekCloser": "ToReadSeekCloser",
	"io.ReaderAt": "ToReaderAt", "io.WriterAt": "ToWriterAt", "io.ByteScanner": "ToByteScanner", "io.RuneScanner": "ToRuneScanner",
	"encoding.BinaryMarshaler": "ToBinaryMarshaler", "encoding.BinaryUnmarshaler": "ToBinaryUnmarshaler", "encoding.BinaryAppender": "ToBinaryAppender", "encoding.TextAppender": "ToTextAppender",
	"fmt.Scanner": "ToScanner", "hash.Hash32": "ToHash32", "hash.Hash64": "ToHash64", "math/rand.Source64": "ToRandSource64",
	"image.Image": "ToImage", "image/draw.Image": "ToDrawImage", "image/color.Color": "ToColor", "image/color.Model": "ToColorModel",
	"encoding/xml.Marshaler": "ToXMLMarshaler", "encoding/xml.MarshalerAttr": "ToXMLMarshalerAttr", "encoding/xml.Unmarshaler": "ToXMLUnmarshaler", "encoding/xml.UnmarshalerAttr": "ToXMLUnmarshalerAttr", "encoding/xml.TokenReader": "ToXMLTokenReader",
	"io/fs.FS": "ToFS", "io/fs.ReadFileFS": "ToReadFileFS", "io/fs.ReadDirFS": "ToReadDirFS", "io/fs.StatFS": "ToStatFS", "io/fs.GlobFS": "ToGlobFS", "io/fs.SubFS": "ToSubFS",
	"io/fs.File": "ToFile", "io/fs.ReadDirFile": "ToReadDirFile", "io/fs.FileInfo": "ToFileInfo", "io/fs.DirEntry": "ToDirEntry",
	"go/ast.Visitor": "ToVisitor", "go/ast.Node": "ToNode", "go/ast.Expr": "ToExpr", "go/ast.Stmt": "ToStmt", "go/ast.Decl": "ToDecl", "go/ast.Spec": "ToSpec", "go/constant.Value": "ToConstant",
	"image.PalettedImage": "ToPalettedImage", "image.RGBA64Image": "ToRGBA64Image", "image/draw.RGBA64Image": "ToDrawRGBA64", "image/draw.Drawer": "ToDrawer", "image/draw.Quantizer": "ToQuantizer", "image/png.EncoderBufferPool": "ToEncoderBuffers",
	"crypto.Signer": "ToSigner", "crypto.MessageSigner": "ToMessageSigner", "crypto.SignerOpts": "ToSignerOpts", "crypto.Decrypter": "ToDecrypter", "crypto.Decapsulator": "ToDecapsulator", "crypto.Encapsulator": "ToEncapsulator",
	"crypto/cipher.AEAD": "ToAEAD", "crypto/cipher.Block": "ToBlock", "crypto/cipher.BlockMode": "ToBlockMode", "crypto/cipher.Stream": "ToStream", "crypto/ecdh.KeyExchanger": "ToKeyExchanger", "crypto/elliptic.Curve": "ToCurve", "hash.Cloner": "ToCloner", "hash.XOF": "ToXOF",
	"encoding/binary.ByteOrder": "ToByteOrder", "encoding/binary.AppendByteOrder": "ToAppendByteOrder", "fmt.State": "ToPrintState", "fmt.ScanState": "ToScanState", "mime/multipart.File": "ToFormFile",
	"compress/flate.Reader": "ToFlateReader", "image/jpeg.Reader": "ToFlateReader", "compress/flate.Resetter": "ToFlateResetter", "compress/zlib.Resetter": "ToZlibResetter",
	"io/fs.ReadLinkFS": "ToReadLinkFS", "archive/tar.FileInfoNames": "ToFileInfoNames",
	"flag.Value": "ToFlagValue", "flag.Getter": "ToFlagGetter",
}

// adapt emits the conversion of an `any` to a library interface.
func (p *program) adapt(to types.Type, text string) string {
	name, ok := adapters[types.TypeString(types.Unalias(to), nil)]
	if !ok {
		p.refuse("a conversion to the library interface %s; use it through the library's own types", typeName(to))
	}
	return "rt." + name + "(" + text + ")"
}

// narrow is adapt for an any that has to's methods. Where no type of the script
// has them, the value is a library's own and wants no adapter.
func (p *program) narrow(to types.Type, text string) string {
	if _, ok := adapters[types.TypeString(types.Unalias(to), nil)]; ok || p.implemented(to) {
		return p.adapt(to, text)
	}
	return text + ".(" + p.typ(to) + ")"
}

// implemented reports whether a type that is written in the sources, or a pointer
// to it, has the methods of a library interface.
func (p *program) implemented(iface types.Type) bool {
	i := iface.Underlying().(*types.Interface)
	for _, tv := range p.in.Info.Types {
		if tv.IsType() && !types.IsInterface(tv.Type) && types.Implements(types.NewPointer(tv.Type), i) {
			if n, ok := types.Unalias(tv.Type).(*types.Named); !ok || p.isSource(n.Obj().Pkg()) {
				return true
			}
		}
	}
	for _, o := range p.in.Info.Defs {
		if t, ok := o.(*types.TypeName); ok && !types.IsInterface(t.Type()) && types.Implements(types.NewPointer(t.Type()), i) {
			return true
		}
	}
	return false
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
		case "errors.As", "errors.AsType", "reflect.TypeFor", "usetools/host.Do":
			return name
		}
	}
	return ""
}

// special emits calls of library functions whose parameters are types.
func (f *fn) special(x *ast.CallExpr) (text string, results *types.Tuple, ok bool) {
	switch f.specialName(x) {
	case "errors.As":
		if len(x.Args) != 2 {
			return "", nil, false
		}
		ptr, isPtr := f.typeOf(x.Args[1]).Underlying().(*types.Pointer)
		if !isPtr {
			f.refuse(x, "errors.As with a target that is not of a pointer type")
		}
		return f.errorsAs(x, ptr.Elem()), f.signatureOf(x.Fun).Results(), true
	case "reflect.TypeFor":
		return f.reflectTypeFor(f.subst(f.unit.info.Instances[calledIdent(x.Fun)].TypeArgs.At(0))), f.signatureOf(x.Fun).Results(), true
	case "usetools/host.Do":
		return f.do(x), f.signatureOf(x.Fun).Results(), true
	case "errors.AsType":
		t := f.subst(f.unit.info.Instances[calledIdent(x.Fun)].TypeArgs.At(0))
		name := fmt.Sprintf("find_%d", f.p.number(t))
		f.p.once(name, func() string {
			return fmt.Sprintf("func %s(err error) (%s, bool) {\nx := rt.FindError(err, %d)\nreturn %s(x)\n}\n", name, f.p.typ(t), f.p.number(t), f.p.asserter(t, true))
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
		params = "rt.Raw(" + f.expr(x.Args[2]) + ")"
	}
	return fmt.Sprintf("rt.Do(%s, %s, %s, rt.Raw(%s), %d, %s)", o[0], o[1], params, o[2], f.p.number(deref(f.typeOf(x.Args[3]))), o[3])
}

// reflectTypeFor emits reflect.TypeFor[t]().
func (f *fn) reflectTypeFor(t types.Type) string {
	if !f.p.needsBox(t) {
		return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.number(t))
	}
	return fmt.Sprintf("rt.ReflectTypeFor(%d)", f.p.boxNumber(t))
}

func (f *fn) errorsAs(x *ast.CallExpr, t types.Type) string {
	if !isInterface(t) && !types.Implements(t, errorType.Underlying().(*types.Interface)) {
		o := f.operands(operand{x.Args[0], errorType}, operand{x.Args[1], nil})
		return "rt.BadTargetType(" + o[0] + ", rt.Raw(" + o[1] + "))"
	}
	name := fmt.Sprintf("errorsAs_%d", f.p.number(t))
	f.p.once(name, func() string {
		return fmt.Sprintf("func %s(err error, target *%s) bool {\nif target == nil {\nrt.BadTarget()\n}\nx, how := rt.FindErrorAs(err, %d, %s)\nif how == 1 {\n*target = %s(x, 0)\n}\nreturn how > 0\n}\n",
			name, f.p.typ(t), f.p.number(t), f.p.box("target", types.NewPointer(t)), f.p.asserter(t, false))
	})
	o := f.operands(operand{x.Args[0], errorType}, operand{x.Args[1], nil})
	return name + "(" + o[0] + ", " + o[1] + ")"
}
