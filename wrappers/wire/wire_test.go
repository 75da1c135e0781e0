package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

type inner struct {
	Name string
	Kind string
	Set  uint64
}

type either struct {
	One *inner
	Two int
	Set uint64
}

type params struct {
	Path  string
	Line  int
	Tags  []string
	Who   *inner
	Null  []inner
	Pick  either
	Score float64
	Rest  map[string]any
	Set   uint64
}

const planOfParams = `"path"!s"line"i"tags"![s"who"^*{1}"null"!?[{1}"pick"{2}"score"f"rest"+<a
"name"!s"kind"="\"user\""s
|"One"*{1}"Two"i`

func TestWhatIsWrittenIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		p    params
		want string
	}{
		"nothing":       {params{}, `{"null":null,"path":"","tags":[]}`},
		"not zero":      {params{Line: 3, Score: 1.5}, `{"line":3,"null":null,"path":"","score":1.5,"tags":[]}`},
		"zero, written": {params{Set: 1<<1 | 1<<6}, `{"line":0,"null":null,"path":"","score":0,"tags":[]}`},
		"minus zero":    {params{Score: math.Copysign(0, -1)}, `{"null":null,"path":"","tags":[]}`},
		"a constant": {params{Who: &inner{Name: "a"}},
			`{"null":null,"path":"","tags":[],"who":{"kind":"user","name":"a"}}`},
		"another there": {params{Who: &inner{Kind: "b"}}, `{"null":null,"path":"","tags":[],"who":{"kind":"b","name":""}}`},
		"list of none":  {params{Null: []inner{}}, `{"null":[],"path":"","tags":[]}`},
		"a union":       {params{Pick: either{Two: 2}}, `{"null":null,"path":"","pick":2,"tags":[]}`},
		"two of a union": {params{Pick: either{One: &inner{}, Set: 2}},
			`{"null":null,"path":"","pick":{"One":{"kind":"user","name":""},"Two":0},"tags":[]}`},
		"further ones": {params{Rest: map[string]any{"x": 1, "path": "no", "null": "yes"}},
			`{"null":"yes","path":"","tags":[],"x":1}`},
	} {
		m, err := Arguments(planOfParams, reflect.ValueOf(c.p))
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := json.Marshal(m); err != nil || string(got) != c.want {
			t.Errorf("%s: sent %s, %v, want %s", name, got, err, c.want)
		}
	}
	m, err := Arguments("\"a\"=\"1\"i", reflect.Value{})
	if got, _ := json.Marshal(m); err != nil || string(got) != `{"a":1}` {
		t.Errorf("constants alone: sent %s, %v", got, err)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add(planOfParams)
	f.Add(`"a"*{0}`)
	f.Fuzz(func(t *testing.T, plan string) {
		Arguments(plan, reflect.ValueOf(params{Tags: []string{"a"}, Null: []inner{{}}, Rest: map[string]any{"a": 1}}))
	})
}
