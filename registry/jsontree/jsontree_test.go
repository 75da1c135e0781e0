package jsontree_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry/jsontree"
)

func TestOrderAndPlaces(t *testing.T) {
	doc := `{"b": 1, "a": {"x/y": [true, null, "ü\n"], "b": -1.50e3}, "b": {"last": false}}`
	v, err := jsontree.Parse([]byte(doc), jsontree.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.JSON(), `{"b":{"last":false},"a":{"x/y":[true,null,"ü\n"],"b":-1.50e3}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	text := v.At("#/a/x~1y/2")
	if text == nil || text.Text != "ü\n" || string(text.Raw) != `"ü\n"` || doc[text.Start:text.Start+len(text.Raw)] != string(text.Raw) {
		t.Errorf("%+v", text)
	}
	if v.At("#/a/x~1y/3") != nil || v.At("#/none/b") != nil || v.At("elsewhere") != nil || v.At("#") != v {
		t.Error("a reference leads where nothing is")
	}
	if len(v.Twice) != 1 || v.Twice[0] != "b" || v.Get("a").Twice != nil {
		t.Errorf("twice: %q", v.Twice)
	}
	v.Remove("a")
	if got := v.Set("c", jsontree.NewList(jsontree.NewString("x"), nil)).JSON(); got != `{"b":{"last":false},"c":["x",null]}` {
		t.Error(got)
	}
}

func TestLimits(t *testing.T) {
	deep, err := jsontree.Parse([]byte(`{"a": {"b": {"c": 1}}, "d": []}`), jsontree.Limits{Depth: 2})
	if !errors.Is(err, jsontree.ErrDeep) || deep.JSON() != `{"a":{"b":{}},"d":[]}` || string(deep.At("#/a/b").Raw) != `{"c": 1}` {
		t.Errorf("%v %s", err, deep.JSON())
	}
	long, err := jsontree.Parse([]byte(`[[1, {"x": [2, 3]}, "],", 4], 5]`), jsontree.Limits{Members: 1})
	if err != nil || long.JSON() != `[[1]]` || long.Count != 2 || long.Items[0].Count != 4 {
		t.Errorf("%v %s %d", err, long.JSON(), long.Count)
	}
	for _, bad := range []string{"", "{", "1 2", `{"a"}`} {
		if _, err := jsontree.Parse([]byte(bad), jsontree.Limits{}); !errors.Is(err, jsontree.ErrSyntax) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	ok := jsontree.Members([]byte(` {"a" : [1,{"x":"]}"}] ,"a":{ }, "c":-1, "d":0}`), func(key string, value *jsontree.Value) bool {
		got = append(got, key+string(value.Raw))
		return key != "c"
	})
	if d := cmp.Diff([]string{`a[1,{"x":"]}"}]`, `a{ }`, `c-1`}, got); d != "" || !ok {
		t.Error(d)
	}
	for _, bad := range []string{`[1]`, `{`, `7`, ``} {
		if jsontree.Members([]byte(bad), nil) {
			t.Errorf("%q is an object", bad)
		}
	}
}

// FuzzParse compares what is read with encoding/json.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x",{"b":null}],"a":2}`, `"\ud800\u00e9"`, "\"\xff\"", ` [ ] `, `-0.1e-7`, strings.Repeat("[", 80) + strings.Repeat("]", 80)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := jsontree.Parse(doc, jsontree.Limits{})
		var want any
		if json.Unmarshal(doc, &want) != nil && err == nil && json.Valid(doc) {
			return // numbers that no float64 holds
		}
		if (err == nil) != json.Valid(doc) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		var got any
		if err := json.Unmarshal([]byte(v.JSON()), &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("got %v, want %v", got, want)
		}
		_, _ = jsontree.Parse(doc, jsontree.Limits{Depth: 2, Members: 2, Values: 5})
	})
}
