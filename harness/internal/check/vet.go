package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry/text"
)

// vet warns of valid Go that is seldom intended, as go vet does. It corrects nothing, and a
// strict check does not refuse it, because go run accepts it.
func (c *checker) vet() {
	c.inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			c.vetTags(n)
		case *ast.CallExpr:
			if c.info.Types[n.Fun].IsType() {
				c.vetConversion(n)
			} else {
				c.vetFormat(n)
			}
		}
		return true
	})
}

func (c *checker) doubt(pos token.Pos, format string, args ...any) {
	c.doubts = append(c.doubts, c.diagnose(Warning, pos, format, args...))
}

var wellFormedTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[^\s":]+:"(?:[^"\\]|\\.)*"(?: +|$))+$`)
})

// vetTags warns of struct tags that encoding/json ignores.
func (c *checker) vetTags(t *ast.StructType) {
	for _, f := range t.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil || tag == "" {
			continue
		}
		if !wellFormedTag().MatchString(tag) {
			c.doubt(f.Tag.Pos(), "tag %s is ignored: it has to be of the form `json:\"name\"`, without spaces", f.Tag.Value)
			continue
		}
		for _, id := range f.Names {
			if !id.IsExported() && strings.Contains(tag, `json:"`) {
				c.doubt(id.Pos(), "field %s has a tag for JSON, which sees exported fields only: begin its name with a capital letter", id.Name)
			}
		}
	}
}

// vetConversion warns of string(n), which converts a number to a character, not to digits.
func (c *checker) vetConversion(call *ast.CallExpr) {
	if len(call.Args) != 1 {
		return
	}
	to, ok := c.info.TypeOf(call.Fun).Underlying().(*types.Basic)
	if !ok || to.Kind() != types.String {
		return
	}
	t := c.info.TypeOf(call.Args[0])
	if t == nil || isTypeParam(t) {
		return
	}
	from, ok := t.Underlying().(*types.Basic)
	if !ok || from.Info()&types.IsInteger == 0 || from.Kind() == types.Uint8 || from.Kind() == types.Int32 || from.Kind() == types.UntypedRune {
		return
	}
	c.doubt(call.Pos(), "string(n) of a number is the character with that code; strconv.Itoa(n) or fmt.Sprint(n) writes its digits")
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// formats are the functions with a format, and the index of that argument.
var formats = map[string]int{"fmt.Printf": 0, "fmt.Sprintf": 0, "fmt.Errorf": 0, "fmt.Fprintf": 1, "fmt.Appendf": 1, "log.Printf": 0, "log.Fatalf": 0, "log.Panicf": 0}

// plainPrints are the functions without a format, and the index of their first operand.
var plainPrints = map[string]int{"fmt.Print": 0, "fmt.Println": 0, "fmt.Sprint": 0, "fmt.Sprintln": 0, "log.Println": 0, "log.Print": 0, "log.Fatal": 0}

var verbs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d*)?(.)`) })
var someVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[+#]?(?:\d*\.\d+)?[vsdqtfT](?:\W|$)`) })

// vetFormat warns of formats that do not match their arguments.
func (c *checker) vetFormat(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || call.Ellipsis.IsValid() {
		return
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return
	}
	name := f.Pkg().Path() + "." + f.Name()
	if at, ok := plainPrints[name]; ok {
		if format, ok := c.constantText(call, at); ok && len(call.Args) > at+1 && someVerb().MatchString(format) {
			c.doubt(call.Pos(), "%s prints %s literally; for a format use %s", name, someVerb().FindString(format)[:2], strings.TrimSuffix(name, "ln")+"f")
		}
		return
	}
	at, ok := formats[name]
	if !ok {
		return
	}
	format, ok := c.constantText(call, at)
	if !ok || strings.ContainsAny(format, "*[") {
		return
	}
	args := call.Args[at+1:]
	if len(args) == 1 { // f(g()) with the results of g
		if _, tuple := c.info.TypeOf(args[0]).(*types.Tuple); tuple {
			return
		}
	}
	n := 0
	for _, m := range verbs().FindAllStringSubmatch(format, -1) {
		if m[1] == "%" {
			continue
		}
		if n < len(args) {
			c.vetVerb(name, m[0], m[1], args[n])
		}
		n++
	}
	if n != len(args) {
		c.doubt(call.Pos(), "%s: the format has %d verbs, for %d arguments", name, n, len(args))
	}
}

// constantText returns the constant text of an argument.
func (c *checker) constantText(call *ast.CallExpr, at int) (string, bool) {
	if at >= len(call.Args) {
		return "", false
	}
	v := c.info.Types[call.Args[at]].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// vetVerb warns of a verb that does not suit the type of its argument.
func (c *checker) vetVerb(function, verb, letter string, arg ast.Expr) {
	t := c.info.TypeOf(arg)
	if t == nil || isTypeParam(t) {
		return
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.UntypedNil || b.Kind() == types.Invalid || c.prints(t, letter) {
		return
	}
	info := b.Info()
	fits := true
	switch letter {
	case "d", "c", "U", "o":
		fits = info&types.IsInteger != 0 || b.Kind() == types.UnsafePointer
	case "s":
		fits = info&types.IsString != 0
	case "t":
		fits = info&types.IsBoolean != 0
	case "f", "F", "g", "e", "G", "E":
		fits = info&(types.IsFloat|types.IsComplex) != 0
	}
	if !fits {
		c.doubt(arg.Pos(), "%s: %s does not fit %s, of type %s; %%v fits every value", function, verb, text.CutBytes(types.ExprString(arg), 40), types.TypeString(types.Default(t), func(*types.Package) string { return "" }))
	}
}

// prints reports whether a type formats itself for a verb.
func (c *checker) prints(t types.Type, letter string) bool {
	methods := types.NewMethodSet(t)
	has := func(name string) bool { return methods.Lookup(nil, name) != nil }
	return has("Format") || letter == "s" && (has("String") || has("Error"))
}
