package serve

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// nopCloser closes nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func TestAClientThatClosesItsSideIsStillAnswered(t *testing.T) {
	s, _ := serving(t, nil)
	for range 20 {
		in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/list"}
`))
		var out bytes.Buffer
		if err := s.Stdio(t.Context(), in, nopCloser{&out}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"protocolVersion":"2025-11-25"`, `"name":"execute"`} {
			if !strings.Contains(out.String(), want) {
				t.Fatalf("no %s in\n%s", want, out.String())
			}
		}
	}
}
