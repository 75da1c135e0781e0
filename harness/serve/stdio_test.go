package serve

import (
	"bytes"
	"context"
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

func TestAScriptThatEndsInTheGraceTimeIsAnswered(t *testing.T) {
	s, f := serving(t, &Options{Grace: patience})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(ctx, inR, outW); outW.Close() }()
	go func() {
		io.WriteString(inW, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute","arguments":{"script":"_, err := files.Wait()\nReturn(err == nil)"}}}
`)
		<-f.blocked // the script has begun
		end()
		until(t, func() bool {
			s.queue.mu.Lock()
			defer s.queue.mu.Unlock()
			return s.queue.closed
		})
		f.release <- struct{}{}
	}()
	out, err := io.ReadAll(outR)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"text":"true`) {
		t.Errorf("no answer in\n%s", out)
	}
	receive(t, ended)
}
