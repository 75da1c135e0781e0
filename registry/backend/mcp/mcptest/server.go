package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// server is the misbehaving process.
type server struct {
	faults map[Fault]bool
	out    sync.Mutex // of stdout

	restless  atomic.Bool // other tools from now on
	mu        sync.Mutex
	cancelled map[string]chan struct{} // calls of "wait", by request id
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

func (s *server) serve() int {
	if code, done := s.start(); done {
		return code
	}
	in := bufio.NewReader(os.Stdin)
	for first := true; ; first = false {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r request
		if json.Unmarshal(line, &r) != nil || s.faults[Silent] || s.faults[Rubbish] {
			continue
		}
		if first && r.Method == "server/discover" && s.faults[DiesOfModern] {
			return 1
		}
		if first && r.Method == "server/discover" && s.faults[SilentFirst] {
			forever()
		}
		if s.faults[Slow] {
			time.Sleep(100 * time.Millisecond)
		}
		s.handle(r)
		if r.Method != "notifications/initialized" {
			continue
		}
		switch {
		case s.faults[StopsReading]:
			forever()
		case s.faults[LeavesEarly]:
			return 0
		case s.faults[HangsUp]:
			os.Stdout.Close()
		}
	}
	if s.faults[Lingers] {
		forever()
	}
	return 0
}

// start does what goes wrong before the first message.
func (s *server) start() (code int, done bool) {
	switch {
	case s.faults[ExitAtStart]:
		fmt.Fprintln(os.Stderr, "boom")
		return 3, true
	case s.faults[TellsSecret]:
		fmt.Println("token is", os.Getenv("SECRET"))
		fmt.Fprintln(os.Stderr, "token is", os.Getenv("SECRET"))
		return 1, true
	case s.faults[Rubbish], s.faults[RubbishExit]:
		fmt.Println("Welcome to the worst server")
		fmt.Println("{not json")
		return 0, s.faults[RubbishExit]
	case s.faults[Banner]:
		fmt.Println("*** Starting ***")
		fmt.Println()
		fmt.Println(`{"level":"info","msg":"listening"}`)
		fmt.Println("[1, 2")
	case s.faults[Lingers]:
		signal.Ignore(syscall.SIGTERM)
	case s.faults[Chatty]:
		for range 4 << 10 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 1023))
		}
	case s.faults[Eager]:
		s.log("info", `"up"`)
		s.print(`{"jsonrpc":"2.0","id":"p1","method":"ping"}` + "\n")
		s.print(`{"jsonrpc":"2.0","id":4711,"result":{}}` + "\n")
	case s.faults[NewEachTime]:
		f, err := os.OpenFile(os.Getenv(starts), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
		if err != nil {
			return 1, true
		}
		defer f.Close()
		before, err := f.Stat()
		if err != nil {
			return 1, true
		}
		s.faults[OtherTools] = before.Size() > 0
		fmt.Fprint(f, "x")
	}
	return 0, false
}

func forever() { time.Sleep(time.Hour) }

func (s *server) handle(r request) {
	if s.faults[Reports] && len(r.ID) > 0 {
		fmt.Fprintln(os.Stderr, "got", r.Method)
	}
	switch r.Method {
	case "initialize":
		version := "2025-11-25"
		if s.faults[OldProtocol] {
			version = "1999-12-31"
		}
		if s.faults[ModernOnly] {
			s.refuse(r, -32601, "method not found")
			return
		}
		s.answer(r, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,%s}`, version, s.capabilities(), serverInfo))
	case "server/discover":
		if !s.faults[ModernOnly] {
			s.refuse(r, -32601, "method not found")
			return
		}
		s.answer(r, fmt.Sprintf(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,`+
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcptest","version":"1.2.3"}}}`, s.capabilities()))
	case "ping":
		s.answer(r, `{}`)
	case "tools/list":
		s.list(r)
	case "tools/call":
		s.call(r)
	case "notifications/cancelled":
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.cancelled[string(r.Params.RequestID)]; c != nil {
			close(c)
			delete(s.cancelled, string(r.Params.RequestID))
		}
	default:
		if len(r.ID) > 0 {
			s.refuse(r, -32601, "method not found")
		}
	}
}

const serverInfo = `"serverInfo":{"name":"mcptest","title":"Test server","version":"1.2.3"},"instructions":"Be careful."`

func (s *server) capabilities() string {
	if s.faults[NoTools] {
		return `{}`
	}
	return `{"tools":{"listChanged":true}}`
}

func (s *server) answer(r request, result string) {
	if s.faults[StringIDs] {
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, r.ID, result) + "\n")
	}
	if s.faults[LateIDs] {
		s.print(fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, r.ID) + "\n")
		return
	}
	s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result) + "\n")
}

func (s *server) refuse(r request, code int, message string) {
	s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, r.ID, code, message) + "\n")
}

func (s *server) print(text string) {
	s.out.Lock()
	defer s.out.Unlock()
	if s.faults[ByteByByte] {
		for _, c := range []byte(strings.ReplaceAll(text, "\n", "\r\n")) {
			os.Stdout.Write([]byte{c})
		}
		return
	}
	io.WriteString(os.Stdout, text)
}

// log sends a log message; data is JSON.
func (s *server) log(level, data string) {
	s.print(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"data":%s}}`, level,
		data) + "\n")
}

// goodTools are what the server lists besides its faults. Key order and
// digits are part of them.
const goodTools = `{"name":"echo","description":"Returns its arguments.","inputSchema":{"type":"object","properties":{"zeta":{"type":"integer","maximum":9007199254740993},"alpha":{"type":"string","default":1.50}},"required":["zeta"]},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"title":"Echo"}},` +
	`{"name":"fail","inputSchema":{"type":"object"}}`

func (s *server) list(r request) {
	page := func(tools, next string) { s.answer(r, fmt.Sprintf(`{"tools":[%s],"nextCursor":%q}`, tools, next)) }
	n, _ := strconv.Atoi(r.Params.Cursor)
	numbered := func(i int) string { return fmt.Sprintf(`{"name":"tool%d","inputSchema":{}}`, i) }
	switch {
	case s.faults[ListSilent]:
	case s.faults[NoTools]:
		s.refuse(r, -32601, "method not found")
	case s.faults[ListRefused]:
		s.refuse(r, -32603, "database is locked")
	case s.faults[ListNoArray]:
		s.answer(r, `{"tools":{"echo":{}}}`)
	case s.faults[Pages] && n < 4:
		page(numbered(n), strconv.Itoa(n+1))
	case s.faults[CyclicPages]:
		page(numbered(n), strconv.Itoa(1-n))
	case s.faults[EndlessPages]:
		page(numbered(n), strconv.Itoa(n+1))
	case s.faults[ListCrash]:
		fmt.Fprintln(os.Stderr, "panic: no list")
		os.Exit(6)
	case s.faults[ListNull]:
		s.answer(r, `null`)
	case s.faults[OtherTools], s.restless.Load():
		page(`{"name":"echo","description":"Changed.","inputSchema":{}},{"name":"new","inputSchema":{}}`, "")
	default:
		page(goodTools+s.badTools(), "")
	}
	if s.faults[ListTwice] {
		s.refuse(r, -32603, "no, wait")
	}
}

// badTools are the definitions that the faults add.
func (s *server) badTools() string {
	var b strings.Builder
	for _, f := range []struct {
		fault Fault
		tools string
	}{
		{Malformed, `{"inputSchema":{}},{"name":"hints","inputSchema":{},"annotations":{"readOnlyHint":"yes","destructiveHint":false}},` +
			`{"name":"badschema","inputSchema":7},null,"text",{"name":"badoutput","description":5,"inputSchema":{},"outputSchema":"x"}`},
		{Duplicate, `{"name":"echo","description":"Another."}`},
		{InvalidUTF8, "{\"name\":\"utf\",\"description\":\"caf\xe9\",\"inputSchema\":{\"title\":\"\xff\"}}"},
	} {
		if s.faults[f.fault] {
			b.WriteString("," + f.tools)
		}
	}
	if s.faults[BigSchema] {
		b.WriteString(`,{"name":"big","inputSchema":{"type":"object","properties":{`)
		for i := range 1000 {
			fmt.Fprintf(&b, `"property_%04d":{"type":"string","description":"x"},`, i)
		}
		b.WriteString(`"last":{"type":"string"}}}}`)
	}
	if s.faults[HugeTool] {
		fmt.Fprintf(&b, `,{"name":"huge","description":%q,"inputSchema":{}}`, strings.Repeat("x", 10<<20))
	}
	if s.faults[DeepSchema] {
		fmt.Fprintf(&b, `,{"name":"deep","inputSchema":%s{}%s}`, strings.Repeat(`{"items":`, 5000), strings.Repeat("}", 5000))
	}
	return b.String()
}

// call answers the tools of the server, listed or not:
//
//	echo   the arguments, as structuredContent
//	fail   a result with isError
//	crash  the process exits with code 5 without an answer
//	half   the same after half an answer
//	wait   answers when the call is cancelled; the next "cancels" counts it
//	big    {"bytes": n}: a text of that size
//	odd    content of unknown type, images that are no base64, a null block
//	junk   lines that are no messages around the answer
//	env    {"name": "X"}: the value of a variable
//	pid    the process id
//	child  starts a child that holds stdout and ignores SIGTERM: its process id
//	bare   a result that is no object
//	news   announces another list of tools, then answers
//	tells  sends log messages and notices of progress that nobody asked for,
//	       malformed ones too, then answers
//	asks   asks the client for roots, a sample and nonsense, then answers
//	null   "result": null
//	both   a result and an error
//	empty  an object with nothing in it
//	utf8   a result with bytes that are no text
//	deep   {"bytes": n}: structuredContent of that many levels
//	nan    structuredContent with NaN, as Python writes it
//	nags   sends requests for ever and reads no answers; says on stderr when
//	       it has sent 20,000
//	mixed  an error whose message is a number
func (s *server) call(r request) {
	text := func(t string) { s.answer(r, fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, t)) }
	var args struct {
		Bytes int    `json:"bytes"`
		Name  string `json:"name"`
	}
	json.Unmarshal(r.Params.Arguments, &args)
	if s.faults[NoNewline] {
		for {
			s.print(strings.Repeat("x", 64<<10))
		}
	}
	switch r.Params.Name {
	case "echo":
		if len(r.Params.Arguments) == 0 || r.Params.Arguments[0] != '{' {
			s.refuse(r, -32602, "arguments must be an object")
			return
		}
		s.answer(r, fmt.Sprintf(`{"content":[{"type":"text","text":"ok"}],"structuredContent":%s}`, r.Params.Arguments))
	case "fail":
		s.answer(r, `{"content":[{"type":"text","text":"no such branch"}],"isError":true}`)
	case "crash":
		fmt.Fprintln(os.Stderr, "panic: crashed on request")
		os.Exit(5)
	case "half":
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"cont`, r.ID))
		os.Exit(5)
	case "wait":
		s.wait(r)
	case "big":
		text(strings.Repeat("x", args.Bytes))
	case "odd":
		s.answer(r, `{"content":[{"type":"video","uri":"v:1","length":12345678901234567890},{"type":"image","data":"***","mimeType":"image/png"},`+
			`null,{"type":"image","data":"data:image/png;base64,aGk=","mimeType":"image/png"},{"type":5},{"type":"resource","resource":{"uri":"f:1","text":"body"}}],"isError":"no"}`)
	case "junk":
		s.print("before\n")
		text("answer")
		s.print("after\n")
	case "env":
		text(os.Getenv(args.Name))
	case "pid":
		text(strconv.Itoa(os.Getpid()))
	case "child":
		text(strconv.Itoa(grandchild()))
	case "news":
		s.restless.Store(s.faults[Restless])
		s.print(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		text("announced")
	case "tells":
		s.log("info", `"`+strings.Repeat("x", 100<<10)+`"`)
		for _, params := range []string{`{"progressToken":"nobody","progress":1}`, `{"progressToken":{},"progress":1}`,
			`{"progress":"half"}`} {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":%s}`, params) + "\n")
		}
		text("told")
	case "asks":
		for i, method := range []string{"roots/list", "sampling/createMessage", "no/such/method"} {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":{}}`, i, method) + "\n")
		}
		text("asked")
	case "null":
		s.answer(r, `null`)
	case "both":
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]},"error":{"code":1,"message":"both"}}`, r.ID) +
			"\n")
	case "utf8":
		s.answer(r, "{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}],\"structuredContent\":{\"a\":\"\xff\"}}")
	case "nags":
		for i := 1; ; i++ {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":"nag%d","method":"ping"}`, i) + "\n")
			if i == 20000 {
				fmt.Fprintln(os.Stderr, "sent 20000")
			}
		}
	case "nan":
		s.answer(r, `{"content":[],"structuredContent":{"mean":NaN}}`)
	case "deep":
		s.answer(r, fmt.Sprintf(`{"content":[],"structuredContent":%s{}%s}`, strings.Repeat(`{"a":`, args.Bytes),
			strings.Repeat("}", args.Bytes)))
	case "empty":
		s.answer(r, `{}`)
	case "mixed":
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":"E","message":7}}`, r.ID) + "\n")
	case "bare":
		s.answer(r, `[1]`)
	default:
		s.refuse(r, -32602, "Unknown tool: "+r.Params.Name)
	}
}

func (s *server) wait(r request) {
	c := make(chan struct{})
	s.mu.Lock()
	s.cancelled[string(r.ID)] = c
	s.mu.Unlock()
	fmt.Fprintln(os.Stderr, "waiting")
	go func() {
		<-c
		fmt.Fprintln(os.Stderr, "cancelled")
		s.answer(r, `{"content":[]}`)
	}()
}

// grandchild starts a process that holds stdout and outlives its parent, and
// returns its id.
func grandchild() int {
	exe, err := os.Executable()
	if err != nil {
		return 0
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), variable+"="+string(Lingers)+","+string(Silent))
	cmd.Stdout = os.Stdout
	if cmd.Start() != nil {
		return 0
	}
	return cmd.Process.Pid
}
