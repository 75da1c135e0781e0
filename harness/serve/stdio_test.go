package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	late := time.AfterFunc(2*patience, func() { outR.CloseWithError(errors.New("it does not end")) })
	defer late.Stop()
	out, err := io.ReadAll(outR)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), `"text":"true`) {
		t.Errorf("no answer in\n%s", out)
	}
	receive(t, ended)
}

// An answer is known by its ID, however the client wrote that.
func TestIDsAreKnownAgain(t *testing.T) {
	s, _ := serving(t, nil)
	for _, id := range []string{`1.5`, `1e2`, `"\u0041"`, `9007199254740993`, `-0`, `""`, `"a\/b"`} {
		var out bytes.Buffer
		a := &answers{WriteCloser: nopCloser{&out}, quick: newOwed(quick), all: newOwed(everything),
			open: newOwed(everything)}
		in, w := io.Pipe()
		ended := make(chan error, 1)
		c := s.newSession("test", operator, Execute, true, nil)
		gone := make(chan struct{})
		r := &requests{in: bufio.NewReader(in), Closer: in, c: c, answers: a, gone: gone}
		go func() { ended <- c.mcp.Run(t.Context(), &mcp.IOTransport{Reader: r, Writer: a}) }()
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\n")
		until(t, func() bool { // news of the tools may come before
			a.mu.Lock()
			defer a.mu.Unlock()
			return strings.Contains(out.String(), `"id":`) && strings.HasSuffix(out.String(), "\n")
		})
		a.quick.mu.Lock()
		if len(a.quick.ids) > 0 {
			t.Errorf("%s is answered and still owed: %s", id, out.String())
		}
		a.quick.mu.Unlock()
		w.Close()
		receive(t, ended)
		c.end()
	}
}

func TestAnAnswerWithoutAnIDEndsNoWait(t *testing.T) {
	o := newOwed(everything)
	o.ask(message{ID: []byte(`""`), Method: "ping"})
	o.answer(message{ID: []byte("null")})
	if len(o.ids) != 1 {
		t.Error("an error that names no request has ended the wait for the one with an empty ID")
	}
}

func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	s, _ := serving(t, nil)
	for _, c := range []struct{ line, want string }{
		{"hello", `"code":-32700`},
		{"null", `"code":-32600`},
		{"[]", `"code":-32600`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
		{"\x00\x00", `"code":-32700`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `"id":null`},
		{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, `"id":5`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat("[", 100_000), `"code":-32700`},
		{`{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}`,
			`"error"`},
		{`{"x":"` + strings.Repeat("x", maxLine) + `"}`, "at most"},
		{`{"jsonrpc":"1.0","id":5,"result":{}}`, `"id":"last"`},
		{"", `"id":"last"`},
	} {
		in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
` + c.line + `
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
func overStdio(t *testing.T, s *Server) (w *io.PipeWriter, lines chan string, ended chan error) {
	in, w := io.Pipe()
	outR, out := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- s.Stdio(t.Context(), in, out); out.Close() }()
	lines = make(chan string, 100)
	go func() {
		for sc := bufio.NewScanner(outR); sc.Scan(); {
			if !strings.Contains(sc.Text(), `"method"`) {
				lines <- sc.Text()
			}
		}
		close(lines)
	}()
	return w, lines, ended
}

// Two requests with one ID at the same time: the first is answered as if there
// was no second one, and when it has been the ID is free again.
func TestASecondRequestWithTheIDOfOneUnderWayIsRefused(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-03-26"} {
		s, f := serving(t, nil)
		w, lines, ended := overStdio(t, s)
		send := func(line string) { io.WriteString(w, line+"\n") }
		expect := func(wants ...string) {
			t.Helper()
			got := receive(t, lines)
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", version, got, want)
				}
			}
		}
		send(`{"jsonrpc":"2.0","id":"0","method":"initialize","params":{"protocolVersion":"` + version +
			`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		expect(`"id":"0"`)
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"execute","arguments":{"script":"_, err := files.Wait()\nReturn(err == nil)"}}}`)
		receive(t, f.blocked)
		send(`{"jsonrpc":"2.0","id":7.0,"method":"tools/list"}`)
		expect(`"id":null`, `"code":-32600`, "7", "tools/list")
		send(`{"jsonrpc":"2.0","id":"7","method":"ping"}`) // a text is another ID
		expect(`"id":"7"`, `"result":{}`)
		if version < "2025-06-18" {
			send(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},` +
				`{"jsonrpc":"2.0","id":7,"method":"ping"},1,{"jsonrpc":"2.0","id":8,"method":"ping"}]`)
			expect(`"id":null`, `"code":-32600`, "7")
			expect(`"id":null`, `"code":-32600`)
			expect(`"id":null`, `"code":-32600`, "8")
			expect(`[{"jsonrpc":"2.0","id":8,"result":{}}]`)
			send(`[]`)
			expect(`"code":-32600`)
		}
		f.release <- struct{}{}
		expect(`"id":7`, `"text":"true`)
		send(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		expect(`"id":7`, `"result":{}`)
		w.Close()
		receive(t, ended)
	}
}

// A batch that is not too long stays so, whatever is in it.
func TestALongBatchIsAnswered(t *testing.T) {
	s, _ := serving(t, nil)
	w, lines, ended := overStdio(t, s)
	go func() {
		io.WriteString(w, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
	}()
	receive(t, lines)
	go func() {
		io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
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
	var out bytes.Buffer
	a := &answers{WriteCloser: nopCloser{&out}, quick: newOwed(quick), all: newOwed(everything), open: newOwed(everything)}
	const news = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
	io.WriteString(a, news)
	if out.Len() > 0 {
		t.Errorf("before: %s", out.String())
	}
	r := &requests{in: bufio.NewReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)), answers: a,
		c: &session{mcp: mcp.NewServer(&mcp.Implementation{}, nil)}}
	if _, err := r.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	io.WriteString(a, news)
	if out.String() != news {
		t.Errorf("after: %q, want the news", out.String())
	}
}

// What large messages leave behind is given back a moment later.
func TestMemoryIsGivenBackAfterLargeMessages(t *testing.T) {
	s, _ := serving(t, nil)
	c := connect(t, s, nil)
	c.call("execute", map[string]any{"script": "Return(1)"})
	if s.untidy.Load() || s.tidied.Load() > 0 {
		t.Error("after small messages")
	}
	c.call("execute", map[string]any{"script": "Return(1)",
		"inputs": map[string]string{"s": strings.Repeat("x", 2*largeMessage)}})
	until(t, func() bool { return s.tidied.Load() == 1 })
	c.call("execute", map[string]any{"script": `Return(strings.Repeat("x", 2<<20))`})
	until(t, func() bool { return s.tidied.Load() == 2 })
}

func FuzzStdioLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nx\n[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		a := &answers{WriteCloser: nopCloser{&out}, quick: newOwed(quick), all: newOwed(everything),
			open: newOwed(everything)}
		gone := make(chan struct{})
		close(gone)
		r := &requests{in: bufio.NewReader(bytes.NewReader(data)),
			c: &session{mcp: mcp.NewServer(&mcp.Implementation{}, nil)}, answers: a, gone: gone}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(got) {
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				t.Fatalf("%q came through: %v", line, err)
			}
		}
	})
}
