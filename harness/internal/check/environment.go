package check

import (
	"go/ast"
	"go/constant"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// A script could be given an empty environment, which is well-defined Go. It is
// refused, because nobody who writes os.Getenv means that: the path that begins
// with an empty HOME, or the request without its token, would go on to tools,
// and these do what they are told. So a script hears before it runs where the
// value belongs.

// secretName matches the variables whose values no script should see.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(key|token|secret|password|passwd|credentials?)s?$|(^|_)(key|token|secret|pass|auth)(_|$)`)
})

// adviseEnvironment says what stands for the variable that the script reads
// where it uses id, a function of package os.
func (c *checker) adviseEnvironment(id *ast.Ident, d *Diagnostic) {
	name := ""
	c.inspect(func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if f, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Sel == id {
				if v := c.info.Types[call.Args[0]].Value; v != nil && v.Kind() == constant.String {
					name = constant.StringVal(v)
				}
			}
		}
		return true
	})
	switch {
	case !variableName().MatchString(name):
	case secretName().MatchString(name):
		d.Hint = "scripts have no environment and see no secrets; one belongs to the server that needs it, in its entry of the config: \"env\": {" +
			strconv.Quote(name) + ": \"${" + name + "}\"}"
	default:
		d.Hint = "scripts have no environment; read values with Input(" + strconv.Quote(strings.ToLower(name)) + ", &v), and send them with the script"
	}
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,40}$`) })
