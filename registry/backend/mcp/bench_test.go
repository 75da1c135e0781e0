package mcp_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
)

// BenchmarkCallStdio compares one call over this package with the same call
// over the SDK's own transport and decoding; the difference is the overhead.
func BenchmarkCallStdio(b *testing.B) {
	args := json.RawMessage(`{"zeta":1,"alpha":"twenty bytes of text"}`)
	b.Run("usetools", func(b *testing.B) { calls(b, open(b, mcptest.Server("s"), nil), args) })
	b.Run("sdk", func(b *testing.B) {
		def := mcptest.Server("s")
		cmd := exec.Command(def.Command)
		cmd.Env = cmd.Environ()
		for k, v := range def.Env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
		cs, err := client.Connect(b.Context(), &sdk.CommandTransport{Command: cmd},
			&sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		if err != nil {
			b.Fatal(err)
		}
		defer cs.Close()
		for b.Loop() {
			if _, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// calls measures calls that nobody is asked about, and those that may be sent
// again and may not.
func calls(b *testing.B, s backend.Backend, args json.RawMessage) {
	for _, how := range []string{"plain", "read", "effect"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				req := &backend.Request{Tool: "echo", Args: registry.ReadArgs(args)}
				if how != "plain" {
					req.Send, _ = wiretest.Ask(how == "effect", "", func() error { return nil })
				}
				if _, err := s.Call(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCallHTTP is one call over streamable HTTP on the loopback.
func BenchmarkCallHTTP(b *testing.B) {
	args := json.RawMessage(`{"z":1,"a":"twenty bytes of text"}`)
	def := web(b, "http", streamable(b, &sdk.StreamableHTTPOptions{Stateless: true}))
	b.Run("usetools", func(b *testing.B) { calls(b, open(b, def, nil), args) })
	b.Run("sdk", func(b *testing.B) {
		client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil)
		cs, err := client.Connect(b.Context(), &sdk.StreamableClientTransport{Endpoint: def.URL}, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer cs.Close()
		for b.Loop() {
			if _, err := cs.CallTool(b.Context(), &sdk.CallToolParams{Name: "echo", Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen is the start of a process, the handshake and its end.
func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := mcp.Open(b.Context(), mcptest.Server("s"), nil)
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}
