//go:build integration

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

// TestConformance runs the client scenarios of the protocol's conformance suite
// against this package; testdata/conformance.yml says which of them are not
// claimed, and why. It needs Node 22 or newer, first in PATH:
//
//	npm install node@22.23.3 @modelcontextprotocol/conformance@0.2.0-alpha.12
func TestConformance(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	expected, err := filepath.Abs("testdata/conformance.yml")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "conformance", "client", "--command", exe, "--suite", "all",
		"--expected-failures", expected, "--output-dir", t.TempDir(), "--timeout", "60000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v; the comment on this test says how to install the suite\n%s", err, out)
	}
	t.Logf("%s", out[max(0, len(out)-500):])
}

// scenarioVariable holds the name of the scenario that a client is started for.
const scenarioVariable = "MCP_CONFORMANCE_SCENARIO"

func init() {
	roles = append(roles, func() {
		scenario, ok := os.LookupEnv(scenarioVariable)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second)
		err := conform(ctx, scenario, os.Args[len(os.Args)-1])
		cancel()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	})
}

// conform is the client of one scenario, whose server is at url.
func conform(ctx context.Context, scenario, url string) (err error) {
	var given struct {
		ClientID     string     `json:"client_id"`
		ClientSecret string     `json:"client_secret"`
		Issuer       string     `json:"issuer"` // where the client is registered
		ToolCalls    []toolCall `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return err
		}
	}
	s := config.Server{Name: "s", Type: config.HTTP, URL: url, StartTimeout: 20 * time.Second,
		CallTimeout: 20 * time.Second}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := &mcp.Options{Tokens: dir}
	if strings.HasPrefix(scenario, "auth/") {
		s.OAuth = &config.OAuth{ClientID: given.ClientID, ClientSecret: config.Secret(given.ClientSecret),
			Issuer: given.Issuer}
		if err := mcp.SignIn(ctx, s, o, visit); err != nil {
			return err
		}
	}
	err = attempt(ctx, s, o, scenario, given.ToolCalls)
	for range 2 { // the server wants another sign-in: a person does as the error says
		if err == nil || !strings.Contains(err.Error(), "run: build-registry signin") {
			break
		}
		if _, scope, ok := strings.Cut(err.Error(), `does not cover the scope "`); ok {
			scope, _, _ = strings.Cut(scope, `"`)
			s.OAuth.Scopes = append(s.OAuth.Scopes, strings.Fields(scope)...)
		}
		if err := mcp.SignIn(ctx, s, o, visit); err != nil {
			return err
		}
		err = attempt(ctx, s, o, scenario, given.ToolCalls)
	}
	return err
}

type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// attempt connects, lists and calls as the scenario demands.
func attempt(ctx context.Context, s config.Server, o *mcp.Options, scenario string, calls []toolCall) error {
	b, err := mcp.Open(ctx, s, o)
	if err != nil {
		return err
	}
	defer b.Close()
	l, err := b.List(ctx)
	if err != nil {
		return err
	}
	call := func(tool string, args json.RawMessage) error {
		_, err := b.Call(ctx, &backend.Request{Tool: tool, Args: registry.ReadArgs(args)})
		return err
	}
	switch scenario {
	case "initialize", "request-metadata", "json-schema-ref-no-deref":
		return nil
	case "tools_call":
		return call("add_numbers", json.RawMessage(`{"a":5,"b":3}`))
	case "http-custom-headers":
		for _, c := range calls {
			call(c.Name, c.Arguments) // some are to be refused
		}
		return nil
	case "json-schema-2020-12-preservation":
		for _, t := range l.Tools {
			if t.Name == "json_schema_2020_12_tool" {
				return call("json_schema_echo", fmt.Appendf(nil, `{"schema":%s}`, t.Input))
			}
		}
		return errors.New("no json_schema_2020_12_tool")
	}
	for _, t := range l.Tools {
		err := call(t.Name, nil)
		if refused := (*backend.RefusedError)(nil); err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

// visit does what a person's browser would.
func visit(url string) {
	res, err := http.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer res.Body.Close()
	io.Copy(os.Stderr, io.LimitReader(res.Body, 1000))
}
