package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
)

// decodeScript runs a script that has r, the result of a tool that answers
// with a text, with declarations around it.
func decodeScript(t *testing.T, answer, body, decls string) *outcome.Result {
	t.Helper()
	h, _ := harnessOver(notes(), func(context.Context, string, string, json.RawMessage) (string,
		error) {
		return textResult(answer), nil
	})
	defer func() { _ = h.Close() }()
	res, err := h.Run(t.Context(), &harness.Script{Source: `UseTools("notes.search_notes")
r, err := notes.SearchNotes(notes.SearchNotesParams{Query: "x"})
if err != nil { panic(err) }
` + body + "\n" + decls})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestReturnedResultIsItsJSONOrItsText(t *testing.T) {
	for _, c := range []struct{ answer, body, want string }{
		{`{"a":[1,2]}`, `Return(r)`, `{"a":[1,2]}`},
		{`{"a":[1,2]}`, `Return(map[string]any{"r": r})`, `{"r":{"a":[1,2]}}`},
		{`{"a":[1,2]}`, `Return(r.Text())`, `"{\"a\":[1,2]}"`},
		{`two notes`, `Return(r)`, `"two notes"`},
		{`[{'a': None}]`, `Return(r)`, `"[{'a': None}]"`},
		{`[{'a': None}]`, `Return(r.Text())`, `"[{'a': None}]"`},
		{`[{'a': None, 'b': True}]`, `var v any; if err := r.JSON(&v); err != nil { panic(err) }; Return(v)`,
			`[{"a":null,"b":true}]`},
		{`{'id': 7, 'tags': ('x', 'y')}`,
			`var v struct { ID int; Tags []string }; if err := r.JSON(&v); err != nil { panic(err) }; Return(v)`,
			`{"ID":7,"Tags":["x","y"]}`},
	} {
		res := decodeScript(t, c.answer, c.body, "")
		if res.Status != outcome.OK || string(res.Value) != c.want || len(res.Warnings) > 0 {
			t.Errorf("%s, %s:\n%s\nwant %s", c.answer, c.body, res.Text(), c.want)
		}
	}
}

func TestTheOptionStringTakesTextsAndNumbers(t *testing.T) {
	t.Parallel()
	const decls = `type Level int
type Tide struct {
	Cm   int     ` + "`json:\"cm,string\"`" + `
	Mean float64 ` + "`json:\"mean,omitempty,string\"`" + `
	High bool    ` + "`json:\"high,string,omitempty\"`" + `
	Port string  ` + "`json:\"port,string,omitempty\"`" + `
	Day  *int8   ` + "`json:\"day,string\"`" + `
	Up   Level   ` + "`json:\"up,string,omitempty\"`" + `
}`
	const show = `var v Tide
err = r.JSON(&v)
day := int8(-1)
if v.Day != nil { day = *v.Day }
fmt.Println(v.Cm, v.Mean, v.High, v.Port, day, v.Up)
if err != nil { fmt.Println(err) }`
	for _, c := range []struct{ answer, want string }{
		{`{"cm":"12","mean":"1.5","high":"true","port":"Brest","day":"3","up":"2"}`, "12 1.5 true Brest 3 2"},
		{`{"cm":12,"mean":1.5,"high":true,"port":7,"day":3,"up":2}`, "12 1.5 true 7 3 2"},
		{`{"cm":12,"port":true}`, "12 0 false true -1 0"},
		{`{"cm":12,"port":"null"}`, "12 0 false null -1 0"},
		{`{"cm":12,"port":"12.50"}`, "12 0 false 12.50 -1 0"},
		{`{"cm":12,"port":"\"Brest\""}`, "12 0 false Brest -1 0"}, // as encoding/json writes it
		{`{"cm":12,"port":"a \"b\" <c>","day":null}`, `12 0 false a "b" <c> -1 0`},
		{`{"cm":null,"port":null}`, "0 0 false  -1 0"},
		{`{'cm': '12', 'port': 3.10}`, "12 0 false 3.10 -1 0"},
		{`{"cm":"12.5","port":"Brest"}`, `0 0 false Brest -1 0
notes.SearchNotes: field cm of main.Tide is int, but the result has the string "12.5"; a float64 with the tag json:"cm,string" accepts it`},
		{`{"cm":12.5,"port":"Brest"}`, `0 0 false Brest -1 0
notes.SearchNotes: field cm of main.Tide is int, but the result has the number 12.5; float64 accepts it`},
		{`{"cm":"high"}`, `0 0 false  -1 0
notes.SearchNotes: field cm of main.Tide is int, but the result has the string "high"`},
		{`{"cm":[1]}`, `0 0 false  -1 0
notes.SearchNotes: field cm of main.Tide is int, but the result has a list`},
		{`{"cm":1,"day":"300"}`, `1 0 false  0 0
notes.SearchNotes: field day of main.Tide is int8, but the result has the string "300"; a float64 with the tag json:"day,string" accepts it`},
	} {
		res := decodeScript(t, c.answer, show, decls)
		if diff := cmp.Diff(c.want+"\n", res.Stdout); res.Status != outcome.OK || diff != "" {
			t.Errorf("%s: -want +got\n%s\n%s", c.answer, diff, res.Text())
		}
	}
	// encoding/json itself stays Go's.
	res := decodeScript(t, `{}`, `var v Tide
fmt.Println(json.Unmarshal([]byte("{\"cm\":12}"), &v))
fmt.Println(json.Unmarshal([]byte("{\"port\":\"Brest\"}"), &v))`, decls)
	const want = `json: invalid use of ,string struct tag, trying to unmarshal unquoted value into int
json: invalid use of ,string struct tag, trying to unmarshal "Brest" into string
`
	if diff := cmp.Diff(want, res.Stdout); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestValueThatDoesNotFitIsNamed(t *testing.T) {
	const decls = `type Stay struct {
	Berth string ` + "`json:\"berth\"`" + `
	Days  int    ` + "`json:\"days\"`" + `
}
type Plan struct {
	Ship  string          ` + "`json:\"ship\"`" + `
	Open  bool            ` + "`json:\"open\"`" + `
	Stays []Stay          ` + "`json:\"stays\"`" + `
	By    map[string]Stay ` + "`json:\"by\"`" + `
	Cms   []int           ` + "`json:\"cms\"`" + `
	When  time.Time       ` + "`json:\"when\"`" + `
	Own   own             ` + "`json:\"own\"`" + `
}
type own struct{}
func (*own) UnmarshalJSON([]byte) error { return errors.New("mine") }`
	for _, c := range []struct{ answer, target, want string }{
		{`{"ship":7}`, "Plan", `field ship of main.Plan is string, but the result has the number 7; the tag json:"ship,string" accepts numbers and bools as strings`},
		{`{"open":"true"}`, "Plan", `field open of main.Plan is bool, but the result has the string "true"; the tag json:"open,string" accepts bools in strings`},
		{`{"open":"yes"}`, "Plan", `field open of main.Plan is bool, but the result has the string "yes"`},
		{`{"stays":[{"days":1},{"days":"2"}]}`, "Plan",
			`field stays[].days of main.Stay is int, but the result has the string "2"; the tag json:"days,string" accepts numbers in strings`},
		{`[{"stays":[{"days":"12.5"}]}]`, "[]Plan",
			`field stays[].days of main.Stay is int, but the result has the string "12.5"; a float64 with the tag json:"days,string" accepts it`},
		{`{"by":{"B4":{"days":true}}}`, "Plan", `field by.*.days of main.Stay is int, but the result has true`},
		{`{"cms":[1,"2"]}`, "Plan", `field cms[] of main.Plan is int, but the result has the string "2"`},
		{`{"stays":{"B4":{},"\u202eB5":{}}}`, "Plan",
			`field stays of main.Plan is []main.Stay, but the result has an object with B4, ` + "\uFFFDB5"},
		{`{"stays":[],"total":0}`, "[]Stay", `the result is an object with stays, total; want []main.Stay`},
		{`{"days":"2"}`, "struct { Days int }",
			`field Days is int, but the result has the string "2"; the tag json:"Days,string" accepts numbers in strings`},
		{`{"when":"today"}`, "Plan", `parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"`},
		{`{"own":1}`, "Plan", `mine`},
	} {
		res := decodeScript(t, c.answer, "var v "+c.target+`
err = r.JSON(&v)
var te *json.UnmarshalTypeError
fmt.Println(err, errors.As(err, &te))`, decls)
		want := c.want
		if strings.HasPrefix(want, "field ") || strings.HasPrefix(want, "the result ") {
			want = "notes.SearchNotes: " + want + " true"
		} else {
			want += " false"
		}
		if diff := cmp.Diff(want+"\n", res.Stdout); res.Status != outcome.OK || diff != "" {
			t.Errorf("%s: -want +got\n%s\n%s", c.answer, diff, res.Text())
		}
	}
}

func TestFieldsThatFindNothingAreWarnedOf(t *testing.T) {
	t.Parallel()
	const decls = `type Stay struct {
	Berth   string ` + "`json:\"berth\"`" + `
	Captain string ` + "`json:\"captain\"`" + `
}
type Ship struct {
	Ship string ` + "`json:\"ship\"`" + `
	Captain string ` + "`json:\"captain\"`" + `
}
type Plan struct {
	Name  string          ` + "`json:\"name\"`" + `
	Stays []Stay          ` + "`json:\"stays\"`" + `
	By    map[string]Stay ` + "`json:\"by,omitempty\"`" + `
}
type Base struct { Ship string ` + "`json:\"ship\"`" + ` }
type Loose struct {
	Base
	Flag    string
	Crew    *int   ` + "`json:\"crew\"`" + `
	Note    string ` + "`json:\"note,omitempty\"`" + `
	Zero    int    ` + "`json:\"zero,omitzero\"`" + `
	Skipped string ` + "`json:\"-\"`" + `
	hidden  string
	Any     any
}
type Tree struct {
	V    int
	Kids []Tree
}
type Own struct { A int }
func (o *Own) UnmarshalJSON(b []byte) error { return nil }
type Loop *Loop`
	var many strings.Builder
	for i := range 20 {
		fmt.Fprintf(&many, `,"k%02d":%d`, i, i)
	}
	for _, c := range []struct {
		answer, target string
		want           []string
	}{
		{`{"ship":"A","flag":"B","berth":"C"}`, "Ship", []string{`no captain in the result; it has ship, flag, berth`}},
		{`[{"ship":"A","flag":"B"},{"ship":"A","berth":"C"}]`, "[]Ship",
			[]string{`no captain in the result; it has ship, flag, berth`}},
		{`{"x":{"ship":"A"}}`, "map[string]Ship", []string{`no captain in the result; it has ship`}},
		{`[{"ship":"A"},{"ship":"A","Captain":"C"}]`, "[]*Ship", nil},
		{`{"stays":[{"berth":"secret"}],"by":{"x":{"captain":"secret"}}}`, "Plan", []string{
			`no name in the result; it has stays, by`,
			`no stays[].captain in the result; stays[] has berth`,
			`no by.*.berth in the result; by.* has captain`}},
		{`{"name":"n","stays":[]}`, "Plan", nil},
		{`{"name":null,"stays":null,"by":null}`, "Plan", nil},
		{`null`, "Plan", nil},
		{`[]`, "[]Plan", nil},
		{`{}`, "Ship", []string{`no ship, captain in the result; it has no fields`}},
		{`{"SHIP":1,"FLAG":2}`, "struct { Ship, Flag int }", nil},
		{`{"ship":"A","any":1}`, "Loose", []string{`no Flag in the result; it has ship, any`}},
		{`{"v":1,"kids":[{"v":2},{"v":3,"kids":[]}]}`, "Tree", nil},
		{`{"v":1,"kids":[{"x":2}]}`, "Tree", nil},
		{`{"v":1}`, "Tree", []string{`no Kids in the result; it has v`}},
		{`{"b":1}`, "Own", nil},
		{`{"b":1}`, "[]any", nil},
		{`{"b":1}`, "any", nil},
		{`null`, "Loop", nil},
		{`{"b":1}`, "map[string]any", nil},
		{`{"ship":1` + many.String() + `}`, "struct { Ship, Captain int }", []string{
			`no Captain in the result; it has ship, k00, k01, k02, k03, k04, k05, k06, k07, k08, k09, k10 …`}},
		{"{\"a\u202eb\\u001b[31m\":1,\"" + strings.Repeat("y", 60) + `":2}`, "struct { X int }", []string{
			"no X in the result; it has a\uFFFDb\uFFFD[31m, " + strings.Repeat("y", 40) + "…"}},
	} {
		// Said once, although it is decoded twice.
		res := decodeScript(t, c.answer, "for range 2 { var v "+c.target+`; _ = r.JSON(&v) }`, decls)
		var want []string
		for _, w := range c.want {
			want = append(want, "notes.SearchNotes: "+w)
		}
		if diff := cmp.Diff(want, append([]string(nil), res.Warnings...)); res.Status != outcome.OK || diff != "" {
			t.Errorf("%s into %s: -want +got\n%s\n%s", c.answer, c.target, diff, res.Text())
		}
	}
}
