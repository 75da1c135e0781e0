package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/usetools/usetools/registry/redact"
)

// stream rewrites a stream of events and returns what comes out.
func stream(t *testing.T, in string, max int, rewrite func([]byte) ([]byte, bool)) (string, error) {
	t.Helper()
	e := &events{body: io.NopCloser(iotest.OneByteReader(strings.NewReader(in))), rewrite: rewrite, max: max,
		instead: func(*idScanner) []byte { return []byte("too long") }}
	out, err := io.ReadAll(e)
	return string(out), err
}

func TestEventsAreRewrittenAndJunkIsDropped(t *testing.T) {
	rewrite := func(data []byte) ([]byte, bool) {
		if bytes.HasPrefix(data, []byte("{")) {
			return bytes.ToUpper(data), true
		}
		return nil, false
	}
	for name, tc := range map[string]struct{ in, want string }{
		"a message":              {"data: {a}\n\n", "data: {A}\n\n"},
		"over several lines":     {"id: 7\r\ndata: {a\r\ndata:b}\r\n\r\n", "id: 7\ndata: {A\ndata: B}\n\n"},
		"junk":                   {"id: 7\ndata: log line\n\ndata: {a}\n\n", "id: 7\n\ndata: {A}\n\n"},
		"another kind of event":  {"event: endpoint\ndata: /x?y\n\n", "event: endpoint\ndata: /x?y\n\n"},
		"a comment, a retry":     {": ping\n\nretry: 5\n\n", ": ping\n\nretry: 5\n\n"},
		"cut off before its end": {"data: {a}\n\ndata: {b}\n", "data: {A}\n\n"},
	} {
		if got, err := stream(t, tc.in, 100, rewrite); got != tc.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tc.want)
		}
	}
	for name, in := range map[string]string{
		"one line":    "data: " + strings.Repeat("x", 100) + "\n\ndata: {a}\n\n",
		"many lines":  "id: 3\n" + strings.Repeat("data: x\n", 20) + "\ndata: {a}\n\n",
		"other field": "data: {b}\nid: " + strings.Repeat("x", 5000) + "\ndata: z\n\ndata: {a}\n\n",
	} {
		if got, err := stream(t, in, 100, rewrite); got != "data: too long\n\ndata: {A}\n\n" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, in := range []string{"data: " + strings.Repeat("x", 10000) + "\n\n", strings.Repeat("data: x\n", 1000) + "\n"} {
		if _, err := stream(t, in, 100, rewrite); !errors.Is(err, errEndless) {
			t.Errorf("event of %d bytes: %v, want errEndless", len(in), err)
		}
	}
}

func FuzzIDScanner(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":7,"result":{"id":8,"x":["\"id\":9",{}]}}`))
	f.Add([]byte(`{"result":{"id":1},"id":"a\u0062" , "jsonrpc":"2.0"}`))
	f.Add([]byte(`{"method":"m","id":1}`))
	f.Add([]byte(`{"id":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s idScanner
		for i := range data { // split anywhere
			s.scan(data[i : i+1])
		}
		id, ok := s.response()
		e, err := decodeEnvelope(data)
		if err != nil || !json.Valid(data) || bytes.Contains(data, []byte(`\`)) || len(e.ID) > maxToken {
			return // escapes in keys are not read
		}
		var keys map[string]json.RawMessage
		if json.Unmarshal(data, &keys) != nil || !sameKeys(keys) {
			return
		}
		if want := e.id.IsValid() && keys["method"] == nil; ok != want || ok && id != e.id {
			t.Errorf("id %v, %v of %q, want %v, %v", id, ok, data, e.id, want)
		}
	})
}

// sameKeys reports whether no key is a known one in other case, which the
// decoder would take for it.
func sameKeys(keys map[string]json.RawMessage) bool {
	for k := range keys {
		for _, known := range []string{"id", "method", "jsonrpc", "result", "error"} {
			if k != known && strings.EqualFold(k, known) {
				return false
			}
		}
	}
	return true
}

func FuzzEvents(f *testing.F) {
	f.Add("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\nevent: x\r\ndata\n\n:c\n")
	f.Fuzz(func(t *testing.T, in string) {
		same := func(data []byte) ([]byte, bool) { return data, true }
		once, err := stream(t, in, 1<<10, same)
		if err != nil {
			return
		}
		if twice, err := stream(t, once, 1<<11, same); twice != once || err != nil {
			t.Errorf("%q became %q the second time, %v", once, twice, err)
		}
	})
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":"a","result":{}},{"jsonrpc":"2.0","method":"m"},7]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"},"result":null}`))
	f.Add([]byte(`{"level":"info"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p := &process{captures: newCaptures(false), max: 1 << 20}
		c := &capture{}
		one, err := jsonrpc.MakeID(1.0)
		if err != nil {
			t.Fatal(err)
		}
		p.captures.byID[one] = c
		for _, m := range p.messages(bytes.TrimSpace(line), true) {
			if p.captures.received(m) && len(c.raw) > 0 && (!json.Valid(c.raw) || !bytes.Contains(line, c.raw)) {
				t.Errorf("captured %q from %q", c.raw, line)
			}
		}
		if p.junks > 0 && len(p.junk) > maxTail+10 {
			t.Errorf("%d bytes of junk kept", len(p.junk))
		}
	})
}

func TestTailHidesSecretsBeforeItCutsThem(t *testing.T) {
	var log tail
	secret := "hunter2hunter2"
	log.add([]byte(secret + strings.Repeat("x", maxQuoted-5)))
	hide := redact.New(&redact.Secrets{Values: []string{secret}})
	if got := log.last(hide); strings.Contains(got, "hunter") || strings.Contains(got, "ter2") || len(got) > maxQuoted+10 {
		t.Errorf("quoted as %.40q…, %d bytes", got, len(got))
	}
	log.add(bytes.Repeat([]byte("y"), 3*maxTail))
	if len(log.buf) > maxTail {
		t.Errorf("%d bytes kept", len(log.buf))
	}
}

func TestWordsOfAServerAreTextOnly(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mred\x1b[0m\tand\nmore":                   "red\tand\nmore",
		"\x1b]0;title\a\x1b[2J\x1b[1;1Hover\rwritten\x00": "]0;titleoverwritten",
		"\x1b[": "", "\x1b": "", "café": "café",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
