package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

// TestRandomArgumentsArrive calls every tool of real servers from scripts with
// random arguments that its schema allows: what a recording server gets must be
// what was written. The arguments are written as JSON that a script decodes
// into the tool's struct, so that nothing but the struct and its encoding
// stands between.
func TestRandomArgumentsArrive(t *testing.T) {
	t.Parallel()
	servers := []string{"awslabs-dynamodb", "git-cyanheads", "mcp-server-time", "memory", "mongodb", "redis"}
	if *everyServer {
		files, err := filepath.Glob("../wrappers/testdata/schemas/*.json")
		if err != nil {
			t.Fatal(err)
		}
		servers = nil
		for _, f := range files {
			servers = append(servers, strings.TrimSuffix(filepath.Base(f), ".json"))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	calls, skipped := 0, 0
	for _, server := range servers {
		reg := realServers(t, server)
		h, rec := harnessOver(reg, func(context.Context, string, string, json.RawMessage) (string,
			error) {
			return textResult("ok"), nil
		})
		cat, err := harness.CatalogOf(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		view, err := cat.View()
		if err != nil {
			t.Fatal(err)
		}
		var script strings.Builder
		var want, ids []string
		for _, tl := range view.Servers()[0].Tools {
			args := randomArguments(tl.Tool, rnd)
			if args == nil {
				skipped++
				continue
			}
			arg := ""
			if tl.ParamsType() != "" {
				arg = "p"
				fmt.Fprintf(&script, "{\nvar p %s.%s\nif err := json.Unmarshal([]byte(%s), &p); err != nil { panic(err) }\n",
					tl.Package().Package, tl.ParamsType(), strconv.Quote(string(args)))
			} else {
				script.WriteString("{\n")
			}
			fmt.Fprintf(&script, "if _, err := %s(%s); err != nil { panic(err) }\n}\n", tl.Go(), arg)
			want, ids = append(want, string(args)), append(ids, tl.ID)
		}
		res := mustRun(t, h, script.String())
		if res.Status != outcome.OK {
			t.Errorf("%s: %s", server, res.Text())
			continue
		}
		for i, got := range rec.args {
			if !sameJSON(got, want[i]) {
				t.Errorf("%s:\nwritten %s\narrived %s", ids[i], want[i], got)
			}
		}
		calls += len(rec.args)
	}
	t.Logf("%d calls, %d tools whose arguments no struct decodes from JSON or no value was found for", calls, skipped)
	if skipped*20 > calls {
		t.Errorf("%d tools of %d were left out", skipped, calls+skipped)
	}
}

// randomArguments are arguments that a tool's schema allows; nil where none
// were found, or where they are a union, which a script does not write as JSON.
func randomArguments(t *registry.Tool, rnd *rand.Rand) json.RawMessage {
	var root jsonschema.Schema
	if json.Unmarshal(t.Input, &root) != nil {
		return nil
	}
	r, err := root.Resolve(nil)
	if err != nil {
		return nil
	}
	g := &generator{rnd, &root}
	for range 100 {
		v, ok := g.value(&root, 0)
		if !ok {
			return nil
		}
		if _, isObject := v.(map[string]any); !isObject { // a schema that says nothing
			v = map[string]any{}
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		var plain any
		if json.Unmarshal(b, &plain) == nil && r.Validate(plain) == nil {
			return b
		}
	}
	return nil
}

type generator struct {
	*rand.Rand
	root *jsonschema.Schema
}

// value makes a value of a schema; ok is false for a union of objects and for
// what a reference outside of the definitions leads to.
func (g *generator) value(s *jsonschema.Schema, depth int) (v any, ok bool) {
	for s != nil && s.Ref != "" {
		if def, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
			s = g.root.Defs[def]
		} else if def, ok := strings.CutPrefix(s.Ref, "#/definitions/"); ok {
			s = g.root.Definitions[def]
		} else {
			return nil, false
		}
	}
	if s == nil {
		return "free", true
	}
	if s.Const != nil {
		return *s.Const, true
	}
	if alts := append(slices.Clone(s.AnyOf), s.OneOf...); len(alts) > 0 && s.Properties == nil {
		alts = slices.DeleteFunc(alts, func(a *jsonschema.Schema) bool { return a.Type == "null" })
		objects := 0
		for _, a := range alts {
			if a.Properties != nil || a.Ref != "" {
				objects++
			}
		}
		if objects > 1 {
			return nil, false
		}
		return g.value(alts[g.IntN(len(alts))], depth+1)
	}
	if len(s.Enum) > 0 {
		if e := s.Enum[g.IntN(len(s.Enum))]; e != nil {
			return e, true
		}
		return s.Enum[0], true
	}
	name := s.Type
	for _, n := range s.Types {
		if n != "null" {
			name = n
		}
	}
	switch name {
	case "integer", "number":
		for range 20 {
			if n := float64(g.IntN(12) - 1); (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum) {
				return n, true
			}
		}
		if s.Minimum != nil {
			return *s.Minimum, true
		}
		return 1, true
	case "boolean":
		return g.IntN(2) == 0, true
	case "array":
		return g.list(s, depth)
	case "object":
		return g.object(s, depth)
	}
	out := []string{"", "a", "two words", "2026-01-02", `"quoted" \ <&>`, "日本"}[g.IntN(6)]
	for s.MinLength != nil && len(out) < *s.MinLength {
		out += "x"
	}
	return out, true
}

func (g *generator) list(s *jsonschema.Schema, depth int) (any, bool) {
	n := g.IntN(3)
	if s.MinItems != nil {
		n = max(n, *s.MinItems)
	}
	out := []any{}
	for i := 0; i < n && depth < 6; i++ {
		item := s.Items
		if i < len(s.PrefixItems) {
			item = s.PrefixItems[i]
		}
		v, ok := g.value(item, depth+1)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

func (g *generator) object(s *jsonschema.Schema, depth int) (any, bool) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) && (depth > 5 || g.IntN(2) == 0) {
			continue
		}
		v, ok := g.value(s.Properties[name], depth+1)
		if !ok && slices.Contains(s.Required, name) {
			return nil, false
		}
		if ok {
			out[name] = v
		}
	}
	if s.Properties == nil && s.AdditionalProperties != nil && depth > 0 {
		v, ok := g.value(s.AdditionalProperties, depth+1)
		if ok {
			out["some key"] = v
		}
	}
	return out, true
}
