package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
)

// style says how a value is written outside of JSON, following the specification's "Style
// Values". It decides two cases that the specification leaves open: deepObject nests as deeply as
// the value (items[0][price]=x), and exploded cookies are separate pairs. Nulls, and lists and
// objects without members, are not sent.
type style struct {
	Name     string `json:"name,omitempty"`
	Explode  bool   `json:"explode,omitempty"`
	Reserved bool   `json:"reserved,omitempty"` // reserved characters are not escaped
	// Media is the content type in which a value is written instead: JSON, or text for scalars of
	// other types.
	Media string `json:"media,omitempty"`
}

// tabs is the style of Swagger 2.0's collectionFormat "tsv".
const tabs = "tabDelimited"

// styles are the styles that a place allows, with the default first.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// newStyle returns the style of a value in a place, with the specification's defaults.
func newStyle(in, name string, explode *bool, reserved bool) (style, error) {
	known := styles[in]
	if name == "" {
		name = known[0]
	}
	if !slices.Contains(known, name) && (name != tabs || in != "query") {
		return style{}, fmt.Errorf("the style %q, want %s", name, strings.Join(known, ", "))
	}
	s := style{Name: name, Explode: name == "form", Reserved: reserved}
	if explode != nil {
		s.Explode = *explode
	}
	return s, nil
}

// pair is a name and its value, both escaped.
type pair struct{ name, value string }

// pairs writes a value as pairs of a query, a form or a cookie.
func (s style) pairs(name string, v *jsontree.Value, escape func(string) string) (out []pair, err error) {
	plainEscape := escape
	if s.Reserved {
		escape = func(s string) string { return reserved.Replace(plainEscape(s)) }
	}
	add := func(name string, v *jsontree.Value) {
		var text string
		if v.Kind != jsontree.Null && err == nil {
			if text, err = scalar(v); err == nil {
				out = append(out, pair{plainEscape(name), escape(text)})
			}
		}
	}
	if s.Media != "" {
		text, err := asMedia(s.Media, v)
		return []pair{{plainEscape(name), escape(text)}}, err
	}
	switch {
	case v.Kind != jsontree.List && v.Kind != jsontree.Object:
		add(name, v)
	case s.Name == "deepObject":
		deep(name, v, add)
	case !s.Explode:
		return s.joined(name, v, plainEscape, escape)
	default:
		for i, item := range v.Items {
			if v.Kind == jsontree.Object {
				name = v.Keys[i]
			}
			add(name, item)
		}
	}
	return out, err
}

// joined writes a list or an object as one pair.
func (s style) joined(name string, v *jsontree.Value, escapeName, escape func(string) string) ([]pair, error) {
	words, err := words(v, "", escape)
	if err != nil || len(words) == 0 {
		return nil, err
	}
	delimiter := ","
	switch s.Name {
	case "spaceDelimited":
		delimiter = escapeName(" ")
	case "pipeDelimited":
		delimiter = escapeName("|")
	case tabs:
		delimiter = escapeName("\t")
	}
	return []pair{{escapeName(name), strings.Join(words, delimiter)}}, nil
}

// deep calls add with each scalar of a value, and with a name that includes the path to it.
func deep(name string, v *jsontree.Value, add func(string, *jsontree.Value)) {
	switch v.Kind {
	case jsontree.List, jsontree.Object:
		for i, item := range v.Items {
			key := strconv.Itoa(i)
			if v.Kind == jsontree.Object {
				key = v.Keys[i]
			}
			deep(name+"["+key+"]", item, add)
		}
	default:
		add(name, v)
	}
}

// text writes a value as a part of a path or as a header.
func (s style) text(name string, v *jsontree.Value, escape func(string) string) (string, error) {
	if s.Media != "" {
		text, err := asMedia(s.Media, v)
		return escape(text), err
	}
	between := "" // between an object's names and values; if empty, they are separate items
	if s.Explode {
		between = "="
	}
	words, err := words(v, between, escape)
	if err != nil {
		return "", err
	}
	isObject, isList := v.Kind == jsontree.Object, v.Kind == jsontree.List
	switch prefix := ";" + name; {
	case s.Name == "simple" || (isObject || isList) && len(words) == 0:
		return strings.Join(words, ","), nil
	case s.Name == "label" && s.Explode:
		return "." + strings.Join(words, "."), nil
	case s.Name == "label":
		return "." + strings.Join(words, ","), nil
	case s.Explode && isObject:
		return ";" + strings.Join(words, ";"), nil
	case s.Explode && isList:
		return prefix + "=" + strings.Join(words, prefix+"="), nil
	case len(words) == 1 && words[0] == "":
		return prefix, nil
	default:
		return prefix + "=" + strings.Join(words, ","), nil
	}
}

// words returns the escaped scalars of a value. An object's names precede its values, or are
// joined to them by between.
func words(v *jsontree.Value, between string, escape func(string) string) (out []string, err error) {
	add := func(before string, v *jsontree.Value) {
		var text string
		if v.Kind != jsontree.Null && err == nil {
			if text, err = scalar(v); err == nil {
				out = append(out, before+escape(text))
			}
		}
	}
	switch v.Kind {
	case jsontree.List:
		for _, item := range v.Items {
			add("", item)
		}
	case jsontree.Object:
		for i, item := range v.Items {
			key := escape(v.Keys[i]) + between
			if between == "" && item.Kind != jsontree.Null {
				out, key = append(out, key), ""
			}
			add(key, item)
		}
	default:
		add("", v)
	}
	return out, err
}

// scalar returns the text of a string, number or boolean.
func scalar(v *jsontree.Value) (string, error) {
	switch v.Kind {
	case jsontree.String:
		return v.Text, nil
	case jsontree.List, jsontree.Object:
		return "", errors.New("is nested too deeply to be sent")
	}
	return v.JSON(), nil
}

// asMedia writes a value in a content type: JSON, or a scalar as text.
func asMedia(kind string, v *jsontree.Value) (string, error) {
	if !isJSON(kind) {
		return scalar(v)
	}
	return v.JSON(), nil
}

// queryEscape escapes every character of a URL that is not unreserved.
func queryEscape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// reserved restores the reserved characters that allowReserved permits, except those that end or
// separate values of a query.
var reserved = strings.NewReplacer("%3A", ":", "%2F", "/", "%3F", "?", "%40", "@", "%21", "!", "%24", "$",
	"%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2C", ",", "%3B", ";")

// cookieEscape escapes the characters that a cookie cannot contain, and the separator of lists.
func cookieEscape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`",;\`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// fields are the names and values of a query, a form or a cookie header.
type fields struct {
	escape func(string) string
	list   []pair
	owner  map[string]string // the argument of each name
}

// newFields returns fields for the given owners of names.
func newFields(escape func(string) string, owner map[string]string) *fields {
	return &fields{escape: escape, owner: owner}
}

// add writes an argument in its style. A member of an object that becomes a separate field must
// not replace another argument.
func (f *fields) add(argument, name string, s style, v *jsontree.Value) error {
	pairs, err := s.pairs(name, v, f.escape)
	if err != nil {
		return fmt.Errorf("the argument %q %w", argument, err)
	}
	for _, p := range pairs {
		if of, taken := f.owner[p.name]; taken && of != argument {
			return fmt.Errorf("the argument %q has a member %q, which would be sent in place of the argument %q",
				argument, p.name, of)
		}
		f.owner[p.name] = argument
	}
	f.list = append(f.list, pairs...)
	return nil
}

// join returns the fields, separated by between.
func (f *fields) join(between string) string {
	var b strings.Builder
	for i, p := range f.list {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(p.name + "=" + p.value)
	}
	return b.String()
}
