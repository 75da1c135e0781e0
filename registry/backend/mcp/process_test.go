package mcp

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
)

// A server may be gone before the first message is written. What it said then
// is still to come from the reader, and is not cut off by an error of Write.
func TestLastWordsOfAServerThatWentBeforeItWasAsked(t *testing.T) {
	s := mcptest.Server("s", mcptest.RubbishExit)
	s.MaxMessage = 1 << 20
	p, err := startProcess(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	<-p.exited
	for range 100 {
		if !p.waitExit(0) {
			t.Fatal("it is gone and waited for")
		}
	}
	if err := p.Write(t.Context(), &jsonrpc.Request{Method: "initialize"}); err != nil {
		t.Errorf("Write: %v", err)
	}
	if m, err := p.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Read: %v, %v", m, err)
	}
	if !p.died() {
		t.Error("it is not said to have gone by itself")
	}
	if words := p.lastWords(s.Redactor()); !strings.Contains(words, "Welcome to the worst server") {
		t.Errorf("last words %q", words)
	}
}
