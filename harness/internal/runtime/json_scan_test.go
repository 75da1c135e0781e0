package runtime

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzSplittingAgreesWithJSON compares the splitting of arrays and objects with
// encoding/json's own.
func FuzzSplittingAgreesWithJSON(f *testing.F) {
	for _, s := range []string{`[]`, `{}`, ` [1, "a\"]" ,{"b":[2]} ,null]`, `{"a" : 1,"a":[{}], "\u00e9" :"}"}`, `[[[]],-1e3,true]`, `5`, `"x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			t.Skip("no JSON")
		}
		raw := trim(data)
		if !bytes.Equal(raw, bytes.TrimRight(bytes.TrimLeft(data, " \t\r\n"), " \t\r\n")) {
			t.Fatalf("trimming %q gave %q", data, raw)
		}
		switch raw[0] {
		case '[':
			var want []json.RawMessage
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			got := elements(raw)
			if len(got) != len(want) {
				t.Fatalf("%q has %d elements, not %d", raw, len(want), len(got))
			}
			for i := range want {
				if !bytes.Equal(bytes.TrimSpace(want[i]), got[i]) {
					t.Errorf("element %d of %q is %q, not %q", i, raw, want[i], got[i])
				}
			}
		case '{':
			want := map[string]json.RawMessage{}
			if err := json.Unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			got := map[string]json.RawMessage{}
			if err := members(raw, func(k string, v, _ []byte) error { got[k] = v; return nil }); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("members of %q (-want +got):\n%s", raw, diff)
			}
		}
	})
}
