package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
)

// nopCloser closes nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// initialize begins a session of a revision, with the ID 0.
func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

func TestAClientThatClosesItsSideIsStillAnswered(t *testing.T) {
	s, _ := serving(t, nil)
	for range 20 {
		in := io.NopCloser(strings.NewReader(initialize("2025-11-25") + `{"jsonrpc":"2.0","id":"two","method":"tools/list"}`))
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
	s, f := serving(t, &serve.Options{Grace: patience})
	ctx, end := context.WithCancel(t.Context())
	defer end()
	w, lines, ended := overStdio(t, ctx, s)
	io.WriteString(w, initialize("2025-11-25"))
	receive(t, lines)
	call := func(id, script string) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":"execute","arguments":{"script":%q}}}`+"\n", id, script)
	}
	call("slow", "_, err := files.Wait()\nReturn(err == nil)")
	receive(t, f.blocked)
	end()
	for refused := false; !refused; { // then the server is ending
		call("quick", "Return(1)")
		refused = !strings.Contains(receive(t, lines), `"text":"1`)
	}
	f.release <- struct{}{}
	if got := receive(t, lines); !strings.Contains(got, `"id":"slow"`) || !strings.Contains(got, `"text":"true`) {
		t.Errorf("answered %s", got)
	}
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
}

// A client that closes its side gets the answer to a request, whatever its ID.
func TestIDsAreKnownAgain(t *testing.T) {
	s, _ := serving(t, nil)
	for _, id := range []string{`1.5`, `1e2`, `"\u0041"`, `9007199254740993`, `-7`, `""`, `"a\/b"`} {
		var out bytes.Buffer
		in := io.NopCloser(strings.NewReader(initialize("2025-11-25") + `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`))
		if err := s.Stdio(t.Context(), in, nopCloser{&out}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"name":"execute"`) {
			t.Errorf("%s: no answer in\n%s", id, out.String())
		}
	}
}

func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	s, _ := serving(t, nil)
	for _, c := range []struct{ line, want string }{
		{"hello", `"code":-32700`},
		{"null", `"code":-32600`},
		{"[]", `"code":-32600`},
		{"\x00\x00", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, `"id":5`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat("[", 100_000), `"code":-32700`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
			`"error"`},
		{`{"x":"` + strings.Repeat("x", transport.MaxLine) + `"}`, "at most"},
		{`{"jsonrpc":"1.0","id":5,"result":{}}`, `"id":"last"`},
		{"", `"id":"last"`},
	} {
		in := io.NopCloser(strings.NewReader(initialize("2025-11-25") + c.line + `
{"jsonrpc":"2.0","id":"last","method":"ping"}`))
		var out bytes.Buffer
		if err := s.Stdio(t.Context(), in, nopCloser{&out}); err != nil {
			t.Errorf("%.60q: %v", c.line, err)
		}
		if got := out.String(); !strings.Contains(got, c.want) || !strings.Contains(got, `"id":"last"`) {
			t.Errorf("%.60q was answered\n%.2000s", c.line, got)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%.60q: no JSON: %.200s", c.line, line)
			}
		}
	}
}

// overStdio serves a client that writes to w, and whose answers are lines.
func overStdio(t *testing.T, ctx context.Context, s *serve.Server) (w *io.PipeWriter, lines chan string, ended chan error) {
	in, w := io.Pipe()
	outR, out := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- s.Stdio(ctx, in, out); out.Close() }()
	lines = make(chan string, 100)
	go func() {
		sc := bufio.NewScanner(outR)
		sc.Buffer(nil, transport.MaxLine)
		for sc.Scan() {
			if !strings.Contains(sc.Text(), `"method"`) {
				lines <- sc.Text()
			}
		}
		close(lines)
	}()
	return w, lines, ended
}

// Two requests with one ID at the same time: the first is answered as if there
// was no second one, and then the ID is free again.
func TestASecondRequestWithTheIDOfOneUnderWayIsIgnored(t *testing.T) {
	s, f := serving(t, nil)
	w, lines, ended := overStdio(t, t.Context(), s)
	send := func(line string) { io.WriteString(w, line+"\n") }
	expect := func(wants ...string) {
		t.Helper()
		got := receive(t, lines)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
	send(initialize("2025-03-26"))
	expect(`"id":0`)
	send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute","arguments":{"script":"_, err := files.Wait()\nReturn(err == nil)"}}}`)
	receive(t, f.blocked)
	send(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	send(`{"jsonrpc":"2.0","id":"7","method":"ping"}`) // a text is another ID
	expect(`"id":"7"`, `"result":{}`)
	send(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`)
	expect(`[{"jsonrpc":"2.0","id":8,"result":{}}]`)
	for _, batch := range []string{`[{"jsonrpc":"2.0","id":8,"method":"ping"},1]`, `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`,
		`[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]`, `[]`} {
		send(batch)
		expect(`"id":null`, `"code":-32600`)
	}
	f.release <- struct{}{}
	expect(`"id":7`, `"text":"true`)
	send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	expect(`"id":7`, `"result":{}`)
	w.Close()
	receive(t, ended)
}

// A batch that is not too long stays so, whatever is in it.
func TestALongBatchIsAnswered(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, nil)
	w, lines, ended := overStdio(t, t.Context(), s)
	go func() {
		io.WriteString(w, initialize("2025-03-26"))
	}()
	receive(t, lines)
	go func() {
		io.WriteString(w, `[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"`+strings.Repeat("<", 3_000_000)+
			`"}}}, {"jsonrpc":"2.0","id":2,"method":"ping"}]`+"\n")
	}()
	if got := receive(t, lines); !strings.HasPrefix(got, "[") ||
		!strings.Contains(got, `{"jsonrpc":"2.0","id":1,"result":{}}`) ||
		!strings.Contains(got, `{"jsonrpc":"2.0","id":2,"result":{}}`) {
		t.Errorf("got %.500q", got)
	}
	w.Close()
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
}

func TestNothingIsSaidBeforeTheClientSpeaks(t *testing.T) {
	t.Parallel()
	s, exchange := changing(t)
	in, w := io.Pipe()
	outR, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Stdio(t.Context(), in, out); out.Close() }()
	until(t, func() bool { return s.Sessions() == 1 })
	exchange(other(adds("files", "new")))
	s.Describe()
	go func() { io.WriteString(w, initialize("2025-11-25")); w.Close() }()
	got, err := io.ReadAll(outR)
	if err != nil || !strings.HasPrefix(string(got), `{"jsonrpc":"2.0","id":0,"result":`) {
		t.Errorf("%v: said %s", err, got)
	}
	receive(t, ended)
}

// A large message is followed by giving memory back.
func TestALargeMessageIsTidiedUp(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	if c.run("Return(1)"); s.Untidy() {
		t.Error("after small messages")
	}
	c.call("execute", map[string]any{"script": "Return(1)",
		"inputs": map[string]string{"s": strings.Repeat("x", 2*serve.LargeMessage)}})
	if !s.Untidy() {
		t.Error("not after a large one")
	}
}

// Whatever else a client sends, its session goes on.
func FuzzStdioLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nx\n[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := serving(t, nil)
		var out bytes.Buffer
		in := io.MultiReader(strings.NewReader(initialize("2025-03-26")), bytes.NewReader(data),
			strings.NewReader("\n"+`{"jsonrpc":"2.0","id":"the last","method":"ping"}`))
		if err := s.Stdio(t.Context(), io.NopCloser(in), nopCloser{&out}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"id":"the last"`) {
			t.Errorf("the last request has no answer in\n%s", out.String())
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %.200q", line)
			}
		}
	})
}
