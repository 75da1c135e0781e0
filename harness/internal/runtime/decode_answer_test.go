package runtime

import (
	"encoding/json"
	"go/types"
	"reflect"
	"testing"
)

// FuzzAnswer rewrites answers for the option "string": what encoding/json reads
// as it is, it reads afterwards with the same values.
func FuzzAnswer(f *testing.F) {
	type native struct {
		N    int            `json:"n,string"`
		F    *float64       `json:"f,string"`
		B    bool           `json:"b,string"`
		Plan string         `json:"plan"`
		Kids []native       `json:"kids"`
		By   map[string]int `json:"by"`
	}
	pkg, typ := checked(f, "type T struct {\n"+
		"N int `json:\"n,string\"`\nF *float64 `json:\"f,string\"`\nB bool `json:\"b,string\"`\nS string `json:\"s,string\"`\n"+
		"Plan string `json:\"plan\"`\nKids []T `json:\"kids\"`\nBy map[string]int `json:\"by\"`\n}")
	m := machineOf(pkg, typ("T"))
	for _, s := range []string{
		`{"n":"1","f":"1.5","b":"true","kids":[{"n":"2"},{"kids":null}],"by":{"a":1}}`,
		`{"n":1,"f":1.5,"b":false,"s":"a\"b","kids":[{"n":2,"s":3}]}`,
		`{"n":{},"f":[],"s":"\"x\"","plan":7,"by":{"a":"1"},"kids":{"x":1}}`,
		` [ {"N" : 1 } , {"n":null} ] `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		for _, target := range []types.Type{typ("T"), types.NewSlice(typ("T"))} {
			a := newAnswer(m, data)
			a.checks = true
			a.value(a.data, target, field{})
			a.missing()
			out := a.rewritten()
			if !json.Valid(out) {
				t.Fatalf("%s became %s", data, out)
			}
			var before, after native
			if json.Unmarshal(data, &before) != nil {
				continue
			}
			if err := json.Unmarshal(out, &after); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("%s became %s: %v", data, out, err)
			}
		}
	})
}
