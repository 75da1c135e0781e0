package rt

import (
	"context"
	"encoding"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"runtime"
	"sort"
	"sync"
	"time"
)

// An adapter gives a box the methods of a library interface. There is one type
// for each interface, so that library code that asks for more ("is this Reader
// a ByteReader as well?") finds what the interface promises and no more.
type adapter struct{ Box }

// must calls a method that the checked program is known to have.
func (a adapter) must(name string, args ...any) []reflect.Value {
	r, ok := a.call(name, args...)
	if !ok {
		panic(goPlainError("method " + name + " of " + TypeName(a.T.typ) + " cannot be called by library code"))
	}
	return r
}

func (a adapter) countError(name string, args ...any) (int, error) {
	r := a.must(name, args...)
	return int(r[0].Int()), asError(r[1])
}

func (a adapter) bytesError(name string, args ...any) ([]byte, error) {
	r := a.must(name, args...)
	return r[0].Bytes(), asError(r[1])
}

type (
	stringer        struct{ adapter }
	goStringer      struct{ adapter }
	sorter          struct{ adapter }
	heaper          struct{ sorter }
	closer          struct{ adapter }
	reader          struct{ adapter }
	writer          struct{ adapter }
	readWriter      struct{ adapter }
	readCloser      struct{ adapter }
	writeCloser     struct{ adapter }
	readWriteCloser struct{ adapter }
	byteReader      struct{ adapter }
	runeReader      struct{ adapter }
	stringWriter    struct{ adapter }
	byteWriter      struct{ adapter }
	writerTo        struct{ adapter }
	readerFrom      struct{ adapter }
	jsonMarshaler   struct{ adapter }
	jsonUnmarshaler struct{ adapter }
	textMarshaler   struct{ adapter }
	textUnmarshaler struct{ adapter }
	locker          struct{ adapter }
	contexter       struct{ adapter }
	runtimeErr      struct{ boxError }
	hasher          struct{ adapter }
	slogHandler     struct{ adapter }
	logValuer       struct{ adapter }
	leveler         struct{ adapter }
	randSource      struct{ adapter }
	randSource2     struct{ adapter }
	heapInterface   interface {
		sort.Interface
		Push(x any)
		Pop() any
	}
)

func (a stringer) String() string     { return a.must("String")[0].String() }
func (a goStringer) GoString() string { return a.must("GoString")[0].String() }

func (a sorter) Len() int           { return int(a.must("Len")[0].Int()) }
func (a sorter) Less(i, j int) bool { return a.must("Less", i, j)[0].Bool() }
func (a sorter) Swap(i, j int)      { a.must("Swap", i, j) }
func (a heaper) Push(x any)         { a.must("Push", x) }
func (a heaper) Pop() any           { return a.must("Pop")[0].Interface() }

func (a closer) Close() error                            { return asError(a.must("Close")[0]) }
func (a reader) Read(p []byte) (int, error)              { return a.countError("Read", p) }
func (a writer) Write(p []byte) (int, error)             { return a.countError("Write", p) }
func (a readWriter) Read(p []byte) (int, error)          { return a.countError("Read", p) }
func (a readWriter) Write(p []byte) (int, error)         { return a.countError("Write", p) }
func (a readCloser) Read(p []byte) (int, error)          { return a.countError("Read", p) }
func (a readCloser) Close() error                        { return asError(a.must("Close")[0]) }
func (a writeCloser) Write(p []byte) (int, error)        { return a.countError("Write", p) }
func (a writeCloser) Close() error                       { return asError(a.must("Close")[0]) }
func (a readWriteCloser) Read(p []byte) (int, error)     { return a.countError("Read", p) }
func (a readWriteCloser) Write(p []byte) (int, error)    { return a.countError("Write", p) }
func (a readWriteCloser) Close() error                   { return asError(a.must("Close")[0]) }
func (a stringWriter) WriteString(s string) (int, error) { return a.countError("WriteString", s) }
func (a byteWriter) WriteByte(c byte) error              { return asError(a.must("WriteByte", c)[0]) }
func (a byteReader) ReadByte() (byte, error) {
	r := a.must("ReadByte")
	return byte(r[0].Uint()), asError(r[1])
}
func (a runeReader) ReadRune() (rune, int, error) {
	r := a.must("ReadRune")
	return rune(r[0].Int()), int(r[1].Int()), asError(r[2])
}
func (a writerTo) WriteTo(w io.Writer) (int64, error) {
	r := a.must("WriteTo", w)
	return r[0].Int(), asError(r[1])
}
func (a readerFrom) ReadFrom(x io.Reader) (int64, error) {
	r := a.must("ReadFrom", x)
	return r[0].Int(), asError(r[1])
}

func (a jsonMarshaler) MarshalJSON() ([]byte, error)   { return a.bytesError("MarshalJSON") }
func (a textMarshaler) MarshalText() ([]byte, error)   { return a.bytesError("MarshalText") }
func (a jsonUnmarshaler) UnmarshalJSON(b []byte) error { return asError(a.must("UnmarshalJSON", b)[0]) }
func (a textUnmarshaler) UnmarshalText(b []byte) error { return asError(a.must("UnmarshalText", b)[0]) }
func (a locker) Lock()                                 { a.must("Lock") }
func (a locker) Unlock()                               { a.must("Unlock") }
func (runtimeErr) RuntimeError()                       {}
func (a contexter) Done() <-chan struct{} {
	c, _ := a.must("Done")[0].Interface().(<-chan struct{})
	return c
}
func (a contexter) Err() error        { return asError(a.must("Err")[0]) }
func (a contexter) Value(key any) any { return a.must("Value", key)[0].Interface() }

// String names the context in the texts of those made from it.
func (a contexter) String() string { return contextText(a.T.boxed(a.V)) }

func (a contexter) Deadline() (time.Time, bool) {
	r := a.must("Deadline")
	t, _ := r[0].Interface().(time.Time)
	return t, r[1].Bool()
}

func (a hasher) Write(p []byte) (int, error) { return a.countError("Write", p) }
func (a hasher) Sum(b []byte) []byte         { return a.must("Sum", b)[0].Bytes() }
func (a hasher) Reset()                      { a.must("Reset") }
func (a hasher) Size() int                   { return int(a.must("Size")[0].Int()) }
func (a hasher) BlockSize() int              { return int(a.must("BlockSize")[0].Int()) }

func (a slogHandler) Enabled(c context.Context, l slog.Level) bool {
	return a.must("Enabled", c, l)[0].Bool()
}
func (a slogHandler) Handle(c context.Context, r slog.Record) error {
	return asError(a.must("Handle", c, r)[0])
}
func (a slogHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h, _ := a.must("WithAttrs", attrs)[0].Interface().(slog.Handler)
	return h
}
func (a slogHandler) WithGroup(name string) slog.Handler {
	h, _ := a.must("WithGroup", name)[0].Interface().(slog.Handler)
	return h
}
func (a logValuer) LogValue() slog.Value {
	v, _ := a.must("LogValue")[0].Interface().(slog.Value)
	return v
}
func (a leveler) Level() slog.Level  { return slog.Level(a.must("Level")[0].Int()) }
func (a randSource2) Uint64() uint64 { return a.must("Uint64")[0].Uint() }
func (a randSource) Int63() int64    { return a.must("Int63")[0].Int() }
func (a randSource) Seed(seed int64) { a.must("Seed", seed) }

// adapted makes the function that takes an `any` to the library interface T.
func adapted[T any](wrap func(adapter) T) func(any) T {
	return func(x any) T {
		var zero T
		if x == nil {
			return zero
		}
		if b, ok := unbox(x); ok {
			return wrap(adapter{b})
		}
		return x.(T)
	}
}

func toError(x any) error {
	e, _ := x.(error)
	return e
}

// adapters are the conversions by the names that lowered programs use.
var adapters = map[string]any{
	"ToError":           toError,
	"ToStringer":        adapted(func(a adapter) fmt.Stringer { return stringer{a} }),
	"ToGoStringer":      adapted(func(a adapter) fmt.GoStringer { return goStringer{a} }),
	"ToFormatter":       adapted(func(a adapter) fmt.Formatter { return a.Box }),
	"ToSortInterface":   adapted(func(a adapter) sort.Interface { return sorter{a} }),
	"ToHeapInterface":   adapted(func(a adapter) heapInterface { return heaper{sorter{a}} }),
	"ToReader":          adapted(readerOf),
	"ToWriter":          adapted(writerOf),
	"ToCloser":          adapted(func(a adapter) io.Closer { return closer{a} }),
	"ToReadWriter":      adapted(func(a adapter) io.ReadWriter { return readWriter{a} }),
	"ToReadCloser":      adapted(func(a adapter) io.ReadCloser { return readCloser{a} }),
	"ToWriteCloser":     adapted(func(a adapter) io.WriteCloser { return writeCloser{a} }),
	"ToReadWriteCloser": adapted(func(a adapter) io.ReadWriteCloser { return readWriteCloser{a} }),
	"ToByteReader":      adapted(func(a adapter) io.ByteReader { return byteReader{a} }),
	"ToRuneReader":      adapted(func(a adapter) io.RuneReader { return runeReader{a} }),
	"ToStringWriter":    adapted(func(a adapter) io.StringWriter { return stringWriter{a} }),
	"ToByteWriter":      adapted(func(a adapter) io.ByteWriter { return byteWriter{a} }),
	"ToWriterTo":        adapted(func(a adapter) io.WriterTo { return writerTo{a} }),
	"ToReaderFrom":      adapted(func(a adapter) io.ReaderFrom { return readerFrom{a} }),
	"ToJSONMarshaler":   adapted(func(a adapter) json.Marshaler { return jsonMarshaler{a} }),
	"ToJSONUnmarshaler": adapted(func(a adapter) json.Unmarshaler { return jsonUnmarshaler{a} }),
	"ToTextMarshaler":   adapted(func(a adapter) encoding.TextMarshaler { return textMarshaler{a} }),
	"ToTextUnmarshaler": adapted(func(a adapter) encoding.TextUnmarshaler { return textUnmarshaler{a} }),
	"ToContext":         adapted(func(a adapter) context.Context { return contexter{a} }),
	"ToLocker":          adapted(func(a adapter) sync.Locker { return locker{a} }),
	"ToRuntimeError":    adapted(func(a adapter) runtime.Error { return runtimeErr{boxError(a)} }),
	"ToHash":            adapted(func(a adapter) hash.Hash { return hasher{a} }),
	"ToSlogHandler":     adapted(func(a adapter) slog.Handler { return slogHandler{a} }),
	"ToSlogLogValuer":   adapted(func(a adapter) slog.LogValuer { return logValuer{a} }),
	"ToSlogLeveler":     adapted(func(a adapter) slog.Leveler { return leveler{a} }),
	"ToRandV2Source":    adapted(func(a adapter) randv2.Source { return randSource2{a} }),
	"ToRandSource":      adapted(func(a adapter) rand.Source { return randSource{a} }),
}

// inInterface is x as a value of an interface type.
func inInterface(x any, form reflect.Type) (reflect.Value, bool) {
	if f, ok := interfaceAdapters()[form]; ok {
		return f.Call([]reflect.Value{reflect.ValueOf(x)})[0], true
	}
	v := reflect.ValueOf(x)
	return v, v.Type().AssignableTo(form)
}

// interfaceAdapters are the adapters by the interfaces that they make.
var interfaceAdapters = sync.OnceValue(func() map[reflect.Type]reflect.Value {
	all := maps.Clone(adapters)
	for _, more := range []map[string]any{rarerAdapters, fileAdapters, imageAdapters, cryptoAdapters} {
		maps.Copy(all, more)
	}
	out := map[reflect.Type]reflect.Value{}
	for _, a := range all {
		if f := reflect.ValueOf(a); f.Type().NumIn() == 1 && f.Type().NumOut() == 1 {
			out[f.Type().Out(0)] = f
		}
	}
	return out
})
