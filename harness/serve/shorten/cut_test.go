package shorten

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestACutValueShowsItsFirstElementsWhole(t *testing.T) {
	long := strings.Repeat("x", 500)
	list := func(n, width int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"i":%d,"s":"%s"}`, i, long[:width])
		}
		return "[" + b.String()[1:] + "]"
	}
	for name, c := range map[string]struct {
		doc   string
		limit int
		want  string
	}{
		"a list": {list(64, 5), 100,
			`[{"i":0,"s":"xxxxx"},{"i":1,"s":"xxxxx"},{"i":2,"s":"xxxxx"},{"i":3,"s":"xxxxx"},"… 60 more of 64"]`},
		"keys are kept": {`{"commits":` + list(64, 5) + `,"total":64}`, 100,
			`{"commits":[{"i":0,"s":"xxxxx"},{"i":1,"s":"xxxxx"},"… 62 more of 64"],"total":64}`},
		"fair shares": {`{"a":` + list(64, 5) + `,"n":1,"b":` + list(40, 5) + `}`, 125,
			`{"a":[{"i":0,"s":"xxxxx"},"… 63 more of 64"],"n":1,"b":[{"i":0,"s":"xxxxx"},{"i":1,"s":"xxxxx"},"… 38 more of 40"]}`},
		"what is left over": {`{"s":"` + long + `","t":"short","u":[1,2,3]}`, 100,
			`{"s":"` + long[:44] + `… (456 more characters)","t":"short","u":[1,2,3]}`},
		"an element too long": {list(3, 500), 120, `[{"i":0,"s":"` + long[:64] +
			`… (436 more characters)"},"… 2 more of 3"]`},
		"a pair": {`["header",` + list(64, 5) + `]`, 120,
			`["header",[{"i":0,"s":"xxxxx"},{"i":1,"s":"xxxxx"},{"i":2,"s":"xxxxx"},"… 61 more of 64"]]`},
		"a map with many keys": {object(100, list(1, 10)), 102,
			`{"k0":[{"i":0,"s":"xxxxxxxxxx"}],"k1":[{"i":0,"s":"xxxxxxxxxx"}],"…":"98 more keys"}`},
		"a number without end": {`{"n":` + strings.Repeat("1", 500) + `,"m":1}`, 60, `{"n":"…","m":1}`},
		"a text": {`"` + long[:460] + `end of it"`, 100,
			`"` + long[:26] + `\n… 430 characters left out …\nxxxxend of it"`},
		"a text that is JSON": {string(Quote(list(64, 5))), 100,
			`"[{\"i\":0,\"s\":\"xxxxx\"},{\"i\":1,\"s\":\"xxxxx\"},\"… 62 more of 64\"]"`},
		"JSON that is indented": {"[\n" + strings.Repeat(" ", 100) + "1,2]", 60, `[1,2]`},
	} {
		t.Run(name, func(t *testing.T) {
			checkCut(t, []byte(c.doc), c.limit)
			if got := string(JSON([]byte(c.doc), c.limit)); got != c.want {
				t.Errorf("%d characters\ngot  %s\nwant %s", utf8.RuneCountInString(got), got, c.want)
			}
		})
	}
}

func TestTheShapeOfAValue(t *testing.T) {
	long := strings.Repeat("y", 2000)
	var wide strings.Builder
	var wants []string
	for i := range 40 {
		fmt.Fprintf(&wide, `,"a_quite_long_key_name%d":{"a":{"b":{"c":1}}}`, i)
		if i < shapeKeys {
			wants = append(wants, fmt.Sprintf("a_quite_long_key_name%d: {…}", i))
		}
	}
	for _, c := range []struct{ doc, want string }{
		{`{"commits":[{"hash":"a","stat":{"files":1,"lines":2}},{"hash":"b","author":null}],"totalCount":2}`,
			`{commits: [2]{hash, stat: {files, lines}, author}, totalCount}`},
		{`[1,2,3]`, `[3]`},
		{`[[1,2],[3]]`, `[2][]`},
		{`[]`, `[0]`},
		{`{}`, `{}`},
		{`{"rows":[{"tags":["a"],"body":"` + long + `"},{"tags":[],"body":""}],"log":"` + long + `"}`,
			`{rows: [2]{tags: [], body: text(up to 2000)}, log: text(2000)}`},
		{`{"a":{"b":{"c":{"d":1}}}}`, `{a: {b: {c: {…}}}}`},
		{`{"my key":1,"":2,"Content-Type":3,"a\nb":4,"` + long[:60] + `":5}`,
			`{"my key", "", Content-Type, "a\nb", ` + long[:40] + `…}`},
		{"{" + wide.String()[1:] + "}", "{" + strings.Join(wants, ", ") + ", … 28 more}"}, // its deeper levels have no room
		{`"words"`, `text`},
		{`"{\"a\": [1]}"`, `text of {a: [1]}`},
	} {
		if got := Shape(Parse([]byte(c.doc))); got != c.want {
			t.Errorf("%.100s\ngot  %s\nwant %s", c.doc, got, c.want)
		}
	}
}

// randomDocuments is how many random documents are cut. The tag slow raises it.
var randomDocuments = 15

// Documents of all kinds, by chance.
func TestCutJSONOfAnyDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) any
	value = func(depth int) any {
		switch kind := r.IntN(6); {
		case kind == 0 && depth > 0:
			o := map[string]any{}
			for range r.IntN(20) {
				o[strings.Repeat("kλ\"", r.IntN(8))+fmt.Sprint(r.IntN(99))] = value(depth - 1)
			}
			return o
		case kind == 1 && depth > 0:
			var l []any
			for range r.IntN(20) {
				l = append(l, value(depth-1))
			}
			return l
		case kind == 2:
			return strings.Repeat("a\n\x01é\"", r.IntN(100))
		}
		return r.IntN(1_000_000)
	}
	for range randomDocuments {
		doc, err := json.Marshal([]any{value(4), value(4)})
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{60, 150, 700, 3000} {
			checkCut(t, doc, limit)
			checkCut(t, Quote(string(doc)), limit)
		}
	}
}

func TestCutJSONStaysJSONAndWithinItsLimit(t *testing.T) {
	deep := strings.Repeat("[", 150) + strings.Repeat("]", 150)
	for _, doc := range []string{`"` + strings.Repeat("é", 5000) + `"`, deep, `[` + strings.Repeat("1,", 5000) + `1]`,
		`{"a":` + deep + `,"b":[` + strings.Repeat(`{"k":"vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"},`, 500) + `null]}`,
		strings.Repeat("[", 500) + strings.Repeat("]", 500)} {
		for _, limit := range []int{60, 200, 1000, 4000} {
			checkCut(t, []byte(doc), limit)
		}
	}
}

func checkCut(t *testing.T, doc []byte, limit int) {
	t.Helper()
	got := JSON(doc, limit)
	if !json.Valid(got) {
		t.Errorf("no JSON: %.200s", got)
	}
	if n := utf8.RuneCount(got); n > limit {
		t.Errorf("%d characters, %d allowed: %.200s", n, limit, got)
	}
	if utf8.RuneCount(doc) <= limit && !bytes.Equal(got, doc) {
		t.Errorf("changed without need: %.200s", got)
	}
	shape := Shape(Parse(doc))
	if n := utf8.RuneCountInString(shape); n > maxShape+len("text of ") || strings.ContainsAny(shape, "\n\r") {
		t.Errorf("a shape of %d characters: %q", n, shape)
	}
}

func FuzzCutJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"ccccccccccccccccccccccc"}],"d":null}`), 60)
	f.Add([]byte(`"{\"a\":[1,2,3],\"b\":\"\\u003c\\n\"}                                                   "`), 60)
	f.Fuzz(func(t *testing.T, doc []byte, limit int) {
		if !json.Valid(doc) || limit < 60 || limit > 1<<20 {
			t.Skip("no JSON, or no limit that an answer can have")
		}
		checkCut(t, doc, limit)
	})
}

// A value of millions of small elements is shortened as one of a few is, and
// takes little memory for that.
func TestMillionsOfElementsTakeLittleMemory(t *testing.T) {
	const n = 1_000_000
	for _, c := range []struct{ name, element, end, shape string }{
		{"numbers", "0", "", "[1000001]"},
		{"lists", "[]", "", "[1000001][]"},
		{"objects", `{"a":0}`, "", "[1000001]{a}"},
		{"strings", `"]\\\"[,"`, "", "[1000001]"},
		{"keys", "[0,{}]", "", "{k0: [2]"},
	} {
		doc := json.RawMessage("[" + strings.Repeat(c.element+",", n) + c.element + "]")
		if c.name == "keys" {
			doc = json.RawMessage(object(n+1, c.element))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		node := Parse(doc)
		shape, cut := Shape(node), Cut(node, 1000)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
			t.Errorf("%s: %d MB were allocated", c.name, used>>20)
		}
		if !strings.HasPrefix(shape, c.shape) || node.Count != n+1 {
			t.Errorf("%s: %s, %d members", c.name, shape, node.Count)
		}
		if !json.Valid(cut) || len(cut) > 1100 || !strings.Contains(string(cut), " more") {
			t.Errorf("%s: %s", c.name, cut)
		}
	}
	// What is behind the last node is counted in every list.
	doc := json.RawMessage("[" + strings.Repeat("["+strings.Repeat("[0,1],", 9)+"{}],", limits.Values/10) + `{"late":[1,2,3]}]`)
	if node := Parse(doc); node.Count != limits.Values/10+1 || !json.Valid(Cut(node, 1000)) {
		t.Errorf("%d members; %s", node.Count, Cut(node, 1000))
	}
}

// object returns an object with n members k0, k1, … of one value.
func object(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",\"k%d\":%s", i, value)
	}
	return "{" + b.String()[1:] + "}"
}
