package mcptest

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usetools/usetools/registry/config"
)

// variable is the environment variable with the faults of a process that must serve.
const variable = "USETOOLS_MCPTEST"

// starts is the environment variable with the path of the file that counts starts.
const starts = "USETOOLS_MCPTEST_STARTS"

// Fault is one way to misbehave.
type Fault string

// Faults at the start.
const (
	ExitAtStart  Fault = "exit-at-start"  // writes "boom" to stderr and exits with code 3
	Rubbish      Fault = "rubbish"        // writes lines that are not messages and answers nothing
	RubbishExit  Fault = "rubbish-exit"   // the same, then exits
	Silent       Fault = "silent"         // reads and answers nothing
	Banner       Fault = "banner"         // writes a banner, a log line and foreign JSON, then works
	ModernOnly   Fault = "modern-only"    // refuses initialize, knows server/discover
	DiesOfModern Fault = "dies-of-modern" // exits when its first message is server/discover
	SilentFirst  Fault = "silent-first"   // never answers anything when its first message is server/discover
	OldProtocol  Fault = "old-protocol"   // negotiates an unknown revision
	TellsSecret  Fault = "tells-secret"   // writes the variable SECRET to stderr and stdout, then exits
	Eager        Fault = "eager"          // sends notices, a ping and an unrequested answer before any request
	LeavesEarly  Fault = "leaves-early"   // exits after the handshake
	HangsUp      Fault = "hangs-up"       // closes stdout after the handshake and stays
	Slow         Fault = "slow"           // waits 100 ms before each answer
	ByteByByte   Fault = "byte-by-byte"   // writes its messages one byte at a time, with CR LF
	Chatty       Fault = "chatty"         // writes 4 MB to stderr before it reads
	Reports      Fault = "reports"        // reports on stderr which requests it gets
	LateIDs      Fault = "late-ids"       // writes results before ids
	NoNewline    Fault = "no-newline"     // answers calls with a line that never ends
	StringIDs    Fault = "string-ids"     // before each answer, the same for the request's id as text
)

// Faults at the end.
const (
	Lingers Fault = "lingers" // ignores the end of stdin and SIGTERM
)

// Faults in the list.
const (
	Malformed    Fault = "malformed"     // among good tools: no name, bad hints, a number for a schema, null, a string
	Duplicate    Fault = "duplicate"     // one name twice
	HugeTool     Fault = "huge-tool"     // a description of 10 MB
	DeepSchema   Fault = "deep-schema"   // a schema of 5,000 levels
	InvalidUTF8  Fault = "invalid-utf8"  // bytes that are not text
	Pages        Fault = "pages"         // one tool a page
	CyclicPages  Fault = "cyclic-pages"  // the second page has the cursor of the first
	EndlessPages Fault = "endless-pages" // every page has a successor
	NoTools      Fault = "no-tools"      // does not know tools/list
	ListSilent   Fault = "list-silent"   // never answers tools/list
	ListNoArray  Fault = "list-no-array" // "tools" is an object
	ListRefused  Fault = "list-refused"  // answers with an error
	StopsReading Fault = "stops-reading" // reads nothing after the handshake
	OtherTools   Fault = "other-tools"   // lists other tools than without this fault
	Restless     Fault = "restless"      // the same once the tool "news" was called
	NewEachTime  Fault = "new-each-time" // the same from its second start on; see [Again]
	BigSchema    Fault = "big-schema"    // a schema of 51 KB
	ListCrash    Fault = "list-crash"    // exits when its tools are requested
	ListNull     Fault = "list-null"     // "result": null
	ListTwice    Fault = "list-twice"    // answers twice, the second time with an error
)

// Main serves and exits if this process was started by the definition that
// [Server] returns; otherwise it does nothing. Call it first in TestMain.
func Main() {
	faults, ok := os.LookupEnv(variable)
	if !ok {
		return
	}
	s := &server{faults: map[Fault]bool{}, cancelled: map[string]chan struct{}{}}
	for f := range strings.SplitSeq(faults, ",") {
		s.faults[Fault(f)] = true
	}
	os.Exit(s.serve())
}

// Again returns a server with the fault [NewEachTime], which counts its starts
// in a file in dir.
func Again(name, dir string) config.Server {
	s := Server(name, NewEachTime)
	s.Env[starts] = filepath.Join(dir, name+".starts")
	return s
}

// Server returns the definition of a stdio server with the given faults.
func Server(name string, faults ...Fault) config.Server {
	words := make([]string, len(faults))
	for i, f := range faults {
		words[i] = string(f)
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return config.Server{
		Name: name, Type: config.Stdio, Command: exe,
		// Under the race detector a process would sleep a second before it exits.
		Env:          config.Secrets{variable: strings.Join(words, ","), "GORACE": "atexit_sleep_ms=0"},
		StartTimeout: config.DefaultStartTimeout, CallTimeout: time.Minute,
	}
}
