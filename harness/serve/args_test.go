package serve

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A request of nothing but names is refused at the first one that is too much.
func TestManyNamesInARequestTakeLittleMemory(t *testing.T) {
	var b strings.Builder
	for i := range 300_000 {
		fmt.Fprintf(&b, `"n%d":0,`, i)
	}
	names := "{" + b.String() + `"last":[{}]}`
	for want, doc := range map[string]string{
		`unknown argument "n0"`: names,
		"more than 1000 inputs": `{"script":"Return(1)","inputs":` + names + "}",
	} {
		raw := json.RawMessage(doc)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parseArgs(raw)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), want) || used > 1<<20 {
			t.Errorf("%d kB were allocated: %v", used>>10, err)
		}
	}
	a, err := parseArgs(json.RawMessage(` { "inputs" : {"a\u0062" : [1,{"b":"]}"}] , "c": {} ,"d":-1.5e3 }, "script":"x","timeout_ms" : 5 } `))
	if err != nil || a.Script != "x" || a.Timeout.Milliseconds() != 5 {
		t.Fatal(a, err)
	}
	if d := cmp.Diff(map[string]json.RawMessage{"ab": json.RawMessage(`[1,{"b":"]}"}]`), "c": json.RawMessage("{}"),
		"d": json.RawMessage("-1.5e3")}, a.Inputs); d != "" {
		t.Error(d)
	}
}
