package registry

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lines are tools as Encode writes them, or nearly so.
var lines = []string{
	`{"id":"a.b","server":"a","name":"b","inputSchema":{},"hash":"sha256:1"}`,
	`{"id":"a.b","server":"a","name":"b","title":"T","description":"two\nlines \"é\" <b> \ud83d\ude00",` +
		`"inputSchema":{"type":"object","properties":{"x":{"enum":["a",1,-2.5e+3,0,true,false,null,{},[]]}}},` +
		`"outputSchema":true,"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false,"openWorldHint":true},` +
		`"request":"GET /","category":"c","examples":[{"n":1},{}],"hash":"h","embedding":"AQID","stale":true,` +
		`"error":"none","held":true}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":null,"outputSchema":null,"annotations":{},"examples":null,"hash":""}`,
	`{"id":"a.b", "server":"a","name":"b","inputSchema":{},"hash":"h"}`,
	`{"server":"a","id":"a.b","name":"b","inputSchema":{},"hash":"h"}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":{"a":01},"hash":"h"}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":{"a":"\x01"},"hash":"h"}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":{"a":1,},"hash":"h"}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":{"a":"\u12g4"},"hash":"h"}`,
	`{"id":"a.b","server":"a","name":"b","inputSchema":[1 2],"hash":"h","annotations":{,"title":"x"}}`,
	`{"id":"a.b","server":"a","name":"b","description":"\ud800 ` + "\xff" + `","inputSchema":{},"hash":"h"}`,
}

// FuzzDecodeLine holds decodeLine to encoding/json: what it reads, that reads alike.
func FuzzDecodeLine(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var got, want Tool
		if !decodeLine(line, &got) {
			return
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%q: read, encoding/json says: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-encoding/json +got):\n%s", line, diff)
		}
	})
}

func TestToolsOfAFileAreReadWithoutEncodingJSON(t *testing.T) {
	for _, line := range lines[:3] {
		if !decodeLine([]byte(line), &Tool{}) {
			t.Errorf("not read: %s", line)
		}
	}
}
