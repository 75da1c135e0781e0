package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Mend converts data to a shape, for results that do not decode as their output schema
// promised. It makes lossless conversions: a number in a string, 3.0 for an integer, a number
// for a string, JSON inside a string. It removes other misfits, with a warning that names their
// places. Mend returns nil if nothing remains.
//
// A shape is the type of the value, followed by its objects, each on its own line: s string, i
// int, f float64, b bool, a anything, [T a list of T, <T a map to T, {2} the third object. An
// object is a sequence of quoted names, each followed by its type:
//
//	{0}
//	"total"i"commits"[{1}
//	"hash"s"author"s
//
// Package wrappers writes the shapes. Nothing fits an unreadable shape.
func Mend(tool string, data []byte, shape string) []byte {
	m := &mender{objects: strings.Split(shape, "\n")}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	v, _ = m.fit(v, m.objects[0], "", 0)
	if len(m.faults) > 0 {
		more := ""
		if m.count > len(m.faults) {
			more = fmt.Sprintf(" and %d more", m.count-len(m.faults))
		}
		warn(CodeMisfit, tool, fmt.Sprintf("%s: the result does not fit the tool's output schema: %s%s; JSON(&v) and Raw() return it unchanged", tool, strings.Join(m.faults, "; "), more))
	}
	out, err := json.Marshal(v)
	if err != nil || v == nil {
		return nil
	}
	return out
}

type mender struct {
	objects []string // the type of the value, then the fields of its objects
	fields  map[string]map[string]string
	faults  []string
	count   int
}

// maxFaults limits the places in a warning.
const maxFaults = 3

// maxMendDepth limits the nesting that is converted.
const maxMendDepth = 200

// fit converts v to the type, and reports whether that is possible.
func (m *mender) fit(v any, typ, path string, depth int) (any, bool) {
	if v == nil || typ == "a" || typ == "" {
		return v, true
	}
	if depth > maxMendDepth {
		return nil, false
	}
	if out, ok := m.convert(v, typ, path, depth); ok {
		return out, true
	}
	if m.count++; len(m.faults) < maxFaults {
		if path == "" {
			path = "it"
		}
		m.faults = append(m.faults, fmt.Sprintf("%.100s is %s, not %s", strings.TrimPrefix(path, "."), nameOf(v), wanted[typ[0]]))
	}
	return nil, false
}

var wanted = map[byte]string{'s': "a string", 'i': "an integer", 'f': "a number", 'b': "a boolean", '[': "a list", '<': "an object", '{': "an object"}

func nameOf(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the string %.30q", v)
	case json.Number:
		return fmt.Sprintf("the number %.30s", v.String())
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	}
	return "an object"
}

func (m *mender) convert(v any, typ, path string, depth int) (any, bool) {
	switch typ[0] {
	case 's':
		switch v := v.(type) {
		case string:
			return v, true
		case json.Number:
			return v.String(), true
		case bool:
			return strconv.FormatBool(v), true
		}
	case 'i', 'f':
		return number(v, typ == "i")
	case 'b':
		switch v := v.(type) {
		case bool:
			return v, true
		case string:
			b := strings.EqualFold(v, "true")
			return b, b || strings.EqualFold(v, "false")
		}
	case '[':
		if list, ok := inner(v).([]any); ok {
			for i := range list {
				list[i], _ = m.fit(list[i], typ[1:], path+"["+strconv.Itoa(i)+"]", depth+1)
			}
			return list, true
		}
	case '<':
		if obj, ok := inner(v).(map[string]any); ok {
			return m.members(obj, func(string) string { return typ[1:] }, path, depth), true
		}
	case '{':
		if obj, ok := inner(v).(map[string]any); ok {
			fields := m.object(typ)
			return m.members(obj, func(k string) string { return fields[k] }, path, depth), true
		}
	}
	return nil, false
}

func (m *mender) members(obj map[string]any, typ func(string) string, path string, depth int) any {
	for _, k := range slices.Sorted(maps.Keys(obj)) { // for a deterministic warning
		x := obj[k]
		if y, ok := m.fit(x, typ(k), path+"."+k, depth+1); ok {
			obj[k] = y
		} else {
			delete(obj, k)
		}
	}
	return obj
}

// inner returns the list or object that a string contains, or v.
func inner(v any) any {
	s, ok := v.(string)
	if !ok || len(s) == 0 || s[0] != '{' && s[0] != '[' {
		return v
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var out any
	if d.Decode(&out) != nil || d.More() {
		return v
	}
	return out
}

// number converts v to an int or a float64 if that is lossless.
func number(v any, integer bool) (any, bool) {
	n, ok := v.(json.Number)
	if s, isString := v.(string); isString {
		n, ok = json.Number(strings.TrimSpace(s)), json.Valid([]byte(s)) && s != "true" && s != "false" && s != "null"
	}
	if !ok || len(n) == 0 || len(n) > 40 || n[0] != '-' && (n[0] < '0' || n[0] > '9') {
		return nil, false
	}
	if !integer {
		_, err := n.Float64()
		return n, err == nil
	}
	if _, err := n.Int64(); err == nil {
		return n, true
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 || f == 0 && strings.ContainsAny(string(n), "123456789") {
		return nil, false
	}
	return int64(f), true
}

// object returns the types of an object's fields. {3} is the type of the fourth object: see Mend.
func (m *mender) object(typ string) map[string]string {
	if f, ok := m.fields[typ]; ok {
		return f
	}
	out := map[string]string{}
	n, err := strconv.Atoi(strings.Trim(typ, "{}"))
	if err != nil || n < 0 || n+1 >= len(m.objects) {
		return out
	}
	for rest := m.objects[n+1]; rest != ""; {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			break
		}
		name, _ := strconv.Unquote(quoted) // a prefix that QuotedPrefix accepts can be unquoted
		rest = rest[len(quoted):]
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			end = len(rest)
		}
		out[name], rest = rest[:end], rest[end:]
	}
	if m.fields == nil {
		m.fields = map[string]map[string]string{}
	}
	m.fields[typ] = out
	return out
}
