package harness_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// hugeServers are one of 1,200 tools, and one whose texts are meant to do harm.
func hugeServers() *registry.Registry {
	reg := &registry.Registry{}
	for i := range 1200 {
		reg.Tools = append(reg.Tools, registry.Tool{Server: "huge", Name: fmt.Sprintf("frob_%d_things", i),
			Description: fmt.Sprint("Frob the things of kind ", i),
			Input:       json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)})
	}
	reg.Tools = append(reg.Tools, registry.Tool{Server: "evil", Name: "ev\u202eil\x1b[31m",
		Description: "Does \u202eevil\u202c \x1b[31mred\x07 things\u2028new",
		Input:       json.RawMessage(`{"type":"object","properties":{"a\u202e":{"type":"string","description":"x\u202e\u001b[31m","enum":["a\u202e","b\u001b[0m"],"default":"\u202e"}}}`)})
	reg.Normalize()
	return reg
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	h, _ := harnessOver(hugeServers(), nil)
	long := strings.Repeat("Abc", 60_000) // one name
	many, phrases := "", ""
	for i := range 900 {
		many += fmt.Sprintf("nosuch.List%dThings(1)\n", i)
	}
	for i := range 60 {
		phrases += fmt.Sprintf("UseTools(\"frob things of kind %d\")\n", i)
	}
	for name, script := range map[string]string{
		"a long name of a server":         "_, _ = " + strings.ToLower(long) + ".Foo(1)",
		"a long name":                     "_, _ = huge." + long + "(1)",
		"a long name in what is not Go":   "if { _, _ = huge." + long + "(1)",
		"a long name without a package":   "_, _ = " + long + "(1)",
		"a long field":                    "_, _ = huge.Frob1Things(huge.Frob1ThingsParams{" + long + ": 1})",
		"many names":                      many,
		"many names in what is not Go":    "if {\n" + many,
		"many phrases":                    phrases,
		"a server of many tools":          `UseTools("huge")`,
		"a name that is not of its tools": `_, _ = huge.Quux(1)`,
	} {
		res := mustRun(t, h, script)
		if n := text.Tokens(res.Text()); n > harness.LookUpTokens {
			t.Errorf("%s: %d tokens:\n%.2000s", name, n, res.Text())
		}
	}
}

func TestALookUpOfAHugeServerNamesTools(t *testing.T) {
	h, _ := harnessOver(hugeServers(), nil)
	text := mustRun(t, h, `UseTools("huge")`).Text()
	for _, want := range []string{"has 1200 tools", ", 1200: Frob0Things ", " …\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestTextsOfServersDoNoHarm(t *testing.T) {
	h, _ := harnessOver(hugeServers(), nil)
	for _, script := range []string{`UseTools("evil")`, `UseTools("does evil red things")`, `_, _ = evil.Foo(1)`,
		`UseTools("frob the evil kind"); _, _ = evil.Foo(evil.FooParams{A: "c"})`} {
		text := mustRun(t, h, script).Text()
		if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }); i >= 0 ||
			!strings.Contains(text, "EvIl31m") {
			t.Errorf("%s:\n%q", script, text)
		}
	}
}
