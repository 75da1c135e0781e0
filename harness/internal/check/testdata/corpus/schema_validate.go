package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
)

type Schema struct {
	Type       string             `json:"type"`
	Props      map[string]*Schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	Items      *Schema            `json:"items,omitempty"`
	Enum       []any              `json:"enum,omitempty"`
	Min        *float64           `json:"minimum,omitempty"`
	Max        *float64           `json:"maximum,omitempty"`
	Pattern    string             `json:"pattern,omitempty"`
	AnyOf      []Schema           `json:"anyOf,omitempty"`
	Additional *bool              `json:"additionalProperties,omitempty"`
	re         *regexp.Regexp
}
type Issue struct {
	Path, Msg string
}

func (i Issue) String() string { return i.Path + ": " + i.Msg }

type validator struct {
	issues []Issue
	path   []string
}

func (v *validator) in(seg string, f func()) {
	v.path = append(v.path, seg)
	defer func() { v.path = v.path[:len(v.path)-1] }()
	f()
}
func (v *validator) fail(format string, args ...any) {
	p := "/" + strings.Join(v.path, "/")
	v.issues = append(v.issues, Issue{p, fmt.Sprintf(format, args...)})
}
func kindOf(x any) string {
	switch x := x.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		if x == math.Trunc(x) {
			return "integer"
		}
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", x)
}
func (v *validator) check(s *Schema, x any) {
	if k := kindOf(x); s.Type != "" && k != s.Type && !(k == "integer" && s.Type == "number") {
		v.fail("expected %s, got %s", s.Type, k)
		return
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return e == x }) {
		v.fail("%v not in %v", x, s.Enum)
	}
	if len(s.AnyOf) > 0 {
		var all []Issue
		ok := slices.ContainsFunc(s.AnyOf, func(alt Schema) bool {
			sub := validator{path: slices.Clone(v.path)}
			sub.check(&alt, x)
			all = append(all, sub.issues...)
			return len(sub.issues) == 0
		})
		if !ok {
			v.fail("no alternative fits: %v", all)
		}
	}
	switch x := x.(type) {
	case float64:
		if s.Min != nil && x < *s.Min {
			v.fail("%v < %v", x, *s.Min)
		}
		if s.Max != nil && x > *s.Max {
			v.fail("%v > %v", x, *s.Max)
		}
	case string:
		if s.Pattern != "" {
			if s.re == nil {
				s.re = regexp.MustCompile(s.Pattern)
			}
			if !s.re.MatchString(x) {
				v.fail("%q does not match %s", x, s.re)
			}
		}
	case []any:
		if s.Items != nil {
			for i, e := range x {
				v.in(fmt.Sprint(i), func() { v.check(s.Items, e) })
			}
		}
	case map[string]any:
		for _, r := range s.Required {
			if _, ok := x[r]; !ok {
				v.fail("missing %q", r)
			}
		}
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			if sub, ok := s.Props[k]; ok {
				v.in(k, func() { v.check(sub, x[k]) })
			} else if s.Additional != nil && !*s.Additional {
				v.fail("unexpected %q", k)
			}
		}
	}
}

const schemaSrc = `{"type":"object","required":["name","age"],"additionalProperties":false,"properties":{
"name":{"type":"string","pattern":"^[A-Z][a-z]+$"},"age":{"type":"integer","minimum":0,"maximum":150},
"role":{"enum":["admin","user",null,3]},"tags":{"type":"array","items":{"type":"string"}},
"ref":{"anyOf":[{"type":"integer"},{"type":"object","required":["id"]}]}}}`

func main() {
	var s Schema
	if err := json.Unmarshal([]byte(schemaSrc), &s); err != nil {
		fmt.Println(err)
		return
	}
	for _, doc := range []string{
		`{"name":"Ann","age":30,"role":"admin","tags":["a"],"ref":{"id":1}}`,
		`{"name":"ann","age":-1.0,"role":"root","tags":["a",1,null],"ref":"x","zip":1}`,
		`{"age":3.5,"role":3,"ref":{}}`, `[]`, `{"name":"Bob","age":151,"role":null,"tags":{}}`,
	} {
		var x any
		if err := json.Unmarshal([]byte(doc), &x); err != nil {
			fmt.Println(err)
			continue
		}
		v := new(validator)
		v.check(&s, x)
		fmt.Printf("%d issues\n", len(v.issues))
		for _, i := range v.issues {
			fmt.Println("  ", i)
		}
	}
	out, _ := json.Marshal(s)
	fmt.Println(len(out), string(out[:80]))
	b := false
	small := Schema{Type: "object", Additional: &b, Min: new(2.5)}
	out, err := json.MarshalIndent(small, "", " ")
	fmt.Println(string(out), err)
}
