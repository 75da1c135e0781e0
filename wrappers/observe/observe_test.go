package observe

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/localfile"
)

func structured(v string) []byte { return []byte(`{"content":[],"structuredContent":` + v + `}`) }

func text(s string) []byte {
	b, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
	return b
}

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "shapes.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestATypeIsOfferedOnceResultsRepeatTheirShape(t *testing.T) {
	s := open(t)
	results := []string{
		`{"id":1,"tags":[],"author":{"name":"a"}}`,
		`{"id":2,"tags":["x"],"author":{"name":"b","mail":null}}`,
		`{"id":3,"tags":["y","z"],"author":{"name":"c"}}`,
		`{"id":4,"tags":[],"author":{"name":"d","mail":"m"}}`,
		`{"id":5,"tags":["x"],"author":{"name":"e"}}`,
		`{"id":6,"tags":["x"],"author":{"name":"e"}}`,
	}
	for _, r := range results {
		s.Observe("a.b", structured(r), true)
		if _, ok := s.Schema("a.b"); ok {
			t.Fatalf("offered after %s", r)
		}
	}
	s.Observe("a.b", text(results[0]), true) // JSON in a text counts
	got, ok := s.Schema("a.b")
	want := `{"properties":{"author":{"properties":{"mail":{"type":["string","null"]},"name":{"type":"string"}},"required":["name"],"type":"object"},"id":{"type":"integer"},"tags":{"items":{"type":"string"},"type":"array"}},"required":["author","id","tags"],"type":"object"}`
	if !ok || string(got) != want {
		t.Errorf("got %v %s\nwant %s", ok, got, want)
	}
	s.Observe("a.b", structured(`{"id":7,"tags":[],"author":{"name":"a"},"new":true}`), true)
	if got, ok := s.Schema("a.b"); !ok || !strings.Contains(string(got), `"new":{"type":"boolean"}`) {
		t.Errorf("an addition withdrew the type: %v %s", ok, got)
	}
	s.Observe("a.b", structured(`{"id":"eight","tags":[],"author":{"name":"a"}}`), true)
	if got, ok := s.Schema("a.b"); ok {
		t.Errorf("a contradiction did not: %s", got)
	}
}

func TestFailuresTeachNothing(t *testing.T) {
	s := open(t)
	for range 10 {
		for _, r := range [][]byte{
			[]byte(`{"isError":true,"content":[{"type":"text","text":"{\"a\":1}"}]}`),
			[]byte(`{"isError":true,"content":[{"type":"text","text":"no such ship"}]}`),
			structured(`{"error":"not found"}`), structured(`{"success":false}`), text(`{"error":"not found"}`), text(" \n"),
			[]byte(`[`), []byte(`{}`),
			[]byte(`{"content":[{"type":"image","data":"AAAA"}]}`),
		} {
			s.Observe("a.b", r, true)
		}
	}
	if _, ok := s.Seen("a.b"); ok || len(s.tools) != 0 {
		t.Errorf("learnt %+v", s.tools["a.b"].Shape)
	}
}

func TestWhatResultsLookedLikeIsKnownFromTheFirstOn(t *testing.T) {
	wide := func(n int, value string) string {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"property_%c%c":%s`, 'a'+i/26, 'a'+i%26, value))
		}
		return "{" + strings.Join(fields, ",") + "}"
	}
	for name, x := range map[string]struct {
		results []string // JSON: structured, else text
		want    string
	}{
		"object": {[]string{`{"ship":"Ada","berths":[{"id":"x","free":true}],"draught":4.5,"n":1,"ok":false}`},
			`{berths []{free bool, id string}, draught float64, n int, ok bool, ship string}`},
		"list": {[]string{`[{"at":"now","cm":5},{"at":"then","cm":6,"port":"x"}]`},
			`[]{at string, cm int, port? string}`},
		"numbers":     {[]string{`[1,2.5,null]`}, `[]float64`},
		"nothing yet": {[]string{`{"a":[],"b":null,"c":{}}`}, `{a []any, b any, c map[string]any}`},
		"two types":   {[]string{`{"a":1}`, `{"a":"x"}`}, `{a any}`},
		"null too":    {[]string{`{"a":1}`, `{"a":null}`}, `{a int}`},
		"map":         {[]string{`{"by_id":{"u-81723":{"n":1},"u-81724":{"n":2}}}`}, `{by_id map[string]{n int}}`},
		"map alone":   {[]string{`{"john@example.com":3}`}, `map[string]int`},
		"lists":       {[]string{`[[{"a":1}]]`}, `[][]{a int}`},
		"text":        {[]string{`Berth 4 is free`}, `text`},
		"JSON string": {[]string{`"a"`}, `text`},
		"Python":      {[]string{`{'a': 1}`}, `{a int}`},
		"text then":   {[]string{`none`, `{"a":1}`}, `{a int} or text`},
		"both kinds":  {[]string{`{"a":1}`, `[1]`}, `{a int} or []int`},
		"envelope":    {[]string{`{"result":[{"a":1}]}`}, `[]{a int}`},
		"of text":     {[]string{`{"result":"x"}`}, `text`},
		"odd names": {[]string{`{"first name":1,"$ref":2,"größe":3,"a-b":4}`},
			`{"$ref" int, a-b int, "first name" int, "größe" int}`},
		"invisible": {[]string{`{"\u3164":1}`}, `{"\u3164" int}`},
		"deep": {[]string{`{"a":` + wide(8, `{"x":{"y":1,"longer":2}}`) + `}`},
			`{a {property_aa {x {…}}, property_ab {x {…}}, property_ac {x {…}}, property_ad {x {…}}, property_ae {x {…}}, property_af {x {…}}, property_ag {x {…}}, property_ah {x {…}}}}`},
		"wide": {[]string{wide(20, `"x"`)},
			`{property_aa, property_ab, property_ac, property_ad, property_ae, property_af, property_ag, property_ah, property_ai, property_aj, property_ak, property_al, property_am, property_an, property_ao, property_ap, property_aq, property_ar, property_as, property_at}`},
		"wider": {[]string{wide(30, `"x"`)},
			`{property_aa, property_ab, property_ac, property_ad, property_ae, property_af, property_ag, property_ah, property_ai, property_aj, property_ak, property_al, …}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			for _, r := range x.results {
				if json.Valid([]byte(r)) && r[0] != '"' {
					s.Observe("a.b", structured(r), true)
				} else {
					s.Observe("a.b", text(r), true)
				}
			}
			got, ok := s.Seen("a.b")
			if !ok || got.Outline != x.want || got.Results != len(x.results) {
				t.Errorf("%v %d\n got %s\nwant %s", ok, got.Results, got.Outline, x.want)
			}
			if err := s.Save(); err != nil {
				t.Fatal(err)
			}
			if again, err := Open(s.path); err != nil {
				t.Error(err)
			} else if read, ok := again.Seen("a.b"); !ok || read != got {
				t.Errorf("read back: %v %+v", ok, read)
			}
		})
	}
}

func TestToolsThatDoMoreThanReadAreSeenButNotTyped(t *testing.T) {
	s := open(t)
	for range 9 {
		s.Observe("a.b", structured(`{"id":1}`), false)
	}
	if schema, ok := s.Schema("a.b"); ok {
		t.Errorf("a schema: %s", schema)
	}
	if got, _ := s.Seen("a.b"); got != (Sighting{9, "{id int}"}) {
		t.Errorf("%+v", got)
	}
}

// old is a file as it was before texts were noted.
const old = `{"version":1,"tools":{"a.b":{"shape":{"types":"o","count":5,"fields":{"x":{"shape":{"types":"f"},"count":5}}},"seen":5,"same":4,"stable":true}}}`

func TestOldFilesAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shapes.json")
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Seen("a.b"); got != (Sighting{5, "{x float64}"}) {
		t.Errorf("%+v", got)
	}
	if _, ok := s.Schema("a.b"); !ok {
		t.Error("its schema is gone")
	}
	s.Observe("c.d", text("words"), true)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(b), `{"version":1,`) ||
		strings.Contains(string(b), "words") {
		t.Errorf("%s, %v", b, err)
	}
}

func TestStoresBesideAnotherAreApart(t *testing.T) {
	s := open(t)
	for _, name := range []string{"ann\x00secret", "bob\x00secret"} {
		key := localfile.ApartKey(name)
		own, err := s.Beside(key)
		if err != nil || len(own.tools) != 0 {
			t.Fatal(own.tools, err)
		}
		own.Observe("a.b", structured(fmt.Sprintf(`{%q:1}`, name[:3])), true)
		if err := own.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := s.Beside(key)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := again.Seen("a.b"); got.Outline != "{"+name[:3]+" int}" {
			t.Errorf("%+v", got)
		}
		info, err := os.Stat(own.path)
		if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" || strings.Contains(own.path, name[:3]) {
			t.Error(own.path, info, err)
		}
	}
	if _, ok := s.Seen("a.b"); ok {
		t.Error("the store beside them knows it too")
	}
	broken, _ := s.Beside("cy")
	if err := os.WriteFile(broken.path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Beside("cy"); err == nil || again == nil {
		t.Error("a broken file was taken, or there is no store")
	}
	memory, err := New("").Beside("ann")
	if err != nil {
		t.Fatal(err)
	}
	memory.Observe("a.b", text("x"), true)
	if err := memory.Save(); err != nil {
		t.Error(err)
	}
}

func TestNoValueIsKept(t *testing.T) {
	s := open(t)
	for i := range 5 {
		s.Observe("a.b", structured(fmt.Sprintf(`{"secret":"swordfish-%d","by_id":{"u-81723%d":{"n":1},"john@example.com":{"n":2}},"files":{"/home/x/key.pem":5}}`, i, i)), true)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"swordfish", "8172", "john", "pem"} {
		if strings.Contains(string(b), bad) {
			t.Errorf("%q is in the file: %s", bad, b)
		}
	}
	got, ok := s.Schema("a.b")
	if !ok || !strings.Contains(string(got), `"by_id":{"additionalProperties":{"properties":{"n":{"type":"integer"}}`) {
		t.Errorf("%v %s", ok, got)
	}
}

func TestWhatWasLearntOutlivesTheProcess(t *testing.T) {
	s := open(t)
	for range 5 {
		s.Observe("a.b", structured(`[{"x":1.5},{"x":2}]`), true)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := s.Schema("a.b")
	if got, ok := again.Schema("a.b"); !ok || string(got) != string(want) {
		t.Errorf("%v %s, want %s", ok, got, want)
	}
	if err := os.WriteFile(s.path, []byte(`{"version":1,"tools":{"a.b":{"shape":{"types":"zz"}},"c.d":null}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := Open(s.path); err != nil || len(again.tools) != 0 {
		t.Errorf("a broken entry was taken: %v", err)
	}
	if err := os.WriteFile(s.path, []byte(`{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.path); err == nil {
		t.Error("a broken file was taken")
	}
}

func TestResultsThatTeachNothingAreNotSaved(t *testing.T) {
	s := open(t)
	see := func(n int) {
		t.Helper()
		for range n {
			s.Observe("a.typed", structured(`{"id":1}`), true)
			s.Observe("a.effect", structured(`{"id":1}`), false)
			s.Observe("a.text", text("words"), true)
			if err := s.Save(); err != nil {
				t.Fatal(err)
			}
		}
	}
	see(5)
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	see(2)
	if _, err := os.Stat(s.path); err == nil {
		t.Error("the file was written")
	}
	s.Observe("a.effect", structured(`{"id":1,"new":true}`), false)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.path); err != nil {
		t.Error(err)
	}
}

func TestHugeResultsStayBounded(t *testing.T) {
	s := open(t)
	var b strings.Builder
	b.WriteString(`{"deep":` + strings.Repeat(`{"a":[`, 200) + strings.Repeat(`]}`, 200))
	for i := range 60 {
		fmt.Fprintf(&b, `,"w%c%c":{"a":1,"b":{"c":2},"d%c":[{"e":1}]}`, 'a'+i/26, 'a'+i%26, 'a'+i%26)
	}
	b.WriteString("}")
	for range 3 {
		s.Observe("a.b", structured(b.String()), true)
	}
	if n := s.tools["a.b"].Shape.nodes(); n > maxNodes+1 {
		t.Errorf("%d shapes, want at most %d", n, maxNodes)
	}
	if got, _ := s.Seen("a.b"); utf8.RuneCountInString(got.Outline) > maxOutline {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got.Outline), got.Outline)
	}
}

func FuzzObserve(f *testing.F) {
	f.Add([]byte(`{"structuredContent":{"a":[1,2.5,null,{"b":"c"}]}}`),
		[]byte(`{"content":[{"type":"text","text":"{\"a\":{}}"}]}`))
	f.Add(structured(`{"a":{"b":1}}`), structured(`{"a":{"1":1}}`))
	f.Add(text("words"), structured(`{"result":[{"\u202e a":1}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		s := New(filepath.Join(t.TempDir(), "x"))
		for _, r := range [][]byte{a, b, a, a, a, a} {
			s.Observe("t", r, true)
		}
		if schema, ok := s.Schema("t"); ok && !json.Valid(schema) {
			t.Fatalf("no JSON: %s", schema)
		}
		seen, _ := s.Seen("t")
		checkOutline(t, seen.Outline)
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		again, err := Open(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.tools) != len(s.tools) {
			t.Fatal("what was saved is not read back")
		}
		if read, _ := again.Seen("t"); read != seen {
			t.Fatalf("read back as %+v, was %+v", read, seen)
		}
	})
}

// checkOutline checks that an outline may stand in a line of any text.
func checkOutline(t *testing.T, outline string) {
	t.Helper()
	if n := utf8.RuneCountInString(outline); n > maxOutline {
		t.Fatalf("%d characters: %s", n, outline)
	}
	if i := strings.IndexFunc(outline, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		t.Fatalf("an unprintable character: %q", outline)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		old, `{"version":1,"tools":{"a.b":{"shape":{},"seen":0,"text":2}}}`,
		`{"version":1,"tools":{"a.b":{"shape":{"types":"o","count":1,"fields":{"result":{"shape":{"types":"s"},"count":1}}},"seen":1,"wrapped":true}}}`,
		`{"version":1,"tools":{"a.b":{"seen":-1,"shape":{}},"c.d":null,"e.f":{"shape":{"types":"zz"}},"g.h":{"shape":{"types":"o","fields":{"\u200b":{"shape":{"types":"a"}}}},"seen":9000000000}}}`,
		`{"version":2}`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			return
		}
		for _, x := range s.List() {
			checkOutline(t, x.Outline)
			s.Schema(x.Tool)
			s.Observe(x.Tool, structured(`{"a":[{"b":1}]}`), true)
			if seen, ok := s.Seen(x.Tool); ok {
				checkOutline(t, seen.Outline)
			}
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	s := New("")
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"id":%d,"name":"n","tags":["a","b"],"at":{"line":1}}`, i))
	}
	r := structured(`{"items":[` + strings.Join(items, ",") + `]}`)
	for b.Loop() {
		s.Observe("t", r, true)
	}
}

// Where the files are the same, types are the same whatever each has seen.
func TestAFixedStoreOffersWhatItsFileHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shapes.json")
	learns := New(path)
	for range 5 {
		learns.Observe("a.known", structured(`{"id":1}`), true)
	}
	if err := learns.Save(); err != nil {
		t.Fatal(err)
	}
	s, err := Fixed(path)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := learns.Schema("a.known")
	version := s.Version()
	for i := range 10 {
		s.Observe("a.known", structured(fmt.Sprintf(`{"id":"%d","more":[]}`, i)), true)
		s.Observe("a.new", structured(`{"id":1}`), true)
	}
	if got, ok := s.Schema("a.known"); !ok || string(got) != string(want) {
		t.Errorf("%v: %s, want %s", ok, got, want)
	}
	if got, ok := s.Schema("a.new"); ok || s.Version() != version {
		t.Errorf("a type that the file has not: %s", got)
	}
	if seen, ok := s.Seen("a.new"); !ok || seen.Results != 10 {
		t.Errorf("%+v, %v", seen, ok)
	}
	beside, err := s.Beside("ann")
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		beside.Observe("a.new", structured(`{"id":1}`), true)
	}
	if _, ok := beside.Schema("a.new"); ok {
		t.Error("a type of one tenant at one place")
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if again, err := Open(path); err != nil || len(again.List()) != 1 {
		t.Errorf("the file has changed: %v", err)
	}
	os.WriteFile(path, []byte("{"), 0o600)
	if s, err := Fixed(path); err == nil || len(s.List()) != 0 {
		t.Errorf("a damaged file: %v", err)
	}
}
