package manifest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/procgroup"
)

const (
	// MaxOutput bounds the stored part of each of a program's two streams, in bytes. The rest is
	// read and dropped, so that the exit code is the program's own.
	MaxOutput = 8 << 20
	// pipeGrace is how long the streams of an ended program are still read, because its
	// background processes may hold them open.
	pipeGrace = 500 * time.Millisecond
	// codeInvalidParams is JSON-RPC's code for invalid arguments.
	codeInvalidParams = -32602
)

// arguments are the arguments of a tool.
type arguments struct {
	Args  []string `json:"args"`
	Stdin string   `json:"stdin"`
	Cwd   string   `json:"cwd"`
}

// output is the result of a tool.
type output struct {
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	ExitCode  int    `json:"exitCode"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Call implements backend.Backend. It takes at most the server's CallTimeout.
func (m *manifest) Call(ctx context.Context, req *backend.Request) (*backend.Result, error) {
	name := req.Tool
	fail := func(err error) (*backend.Result, error) {
		return nil, fmt.Errorf("server %q: calling %q: %w", m.server.Name, name, err)
	}
	refuse := func(why string) (*backend.Result, error) {
		return nil, &backend.RefusedError{Server: m.server.Name, Tool: name, Code: codeInvalidParams, Message: why}
	}
	if m.ctx.Err() != nil {
		return fail(backend.ErrClosed)
	}
	ctx, cancel := context.WithTimeout(ctx, m.server.CallTimeout)
	defer cancel()
	defer context.AfterFunc(m.ctx, cancel)()

	t, err := m.tool(name)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return refuse("unknown tool")
	}
	if err := req.Args.Err(); err != nil {
		return fail(err)
	}
	var args arguments
	dec := json.NewDecoder(bytes.NewReader(req.Args.JSON()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&args); err != nil {
		return refuse(strings.TrimPrefix(err.Error(), "json: ") + "; want args (a list of strings), stdin and cwd (strings)")
	}
	dir, err := m.folder(args.Cwd)
	if err != nil {
		return refuse(err.Error())
	}
	path, err := m.find(ctx, *t, false)
	if err != nil {
		return nil, m.unavailable(name, err)
	}
	out, err := run(ctx, req.Send, path, args.Args, args.Stdin, dir)
	if err != nil {
		became := req.Send.Outcome(err)
		switch {
		case m.ctx.Err() != nil:
			err = backend.ErrClosed
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			err = fmt.Errorf("it did not end within %v and was killed: %w", m.server.CallTimeout, ctx.Err())
		case ctx.Err() != nil:
			err = ctx.Err()
		}
		return fail(&backend.OutcomeError{Outcome: became, Err: err})
	}
	return out.result()
}

// tool returns a tool of the manifest by name, or nil.
func (m *manifest) tool(name string) (*tool, error) {
	_, tools, _, err := m.read()
	if err != nil {
		return nil, err
	}
	for i := range tools {
		if tools[i].ID == name {
			return &tools[i], nil
		}
	}
	return nil, nil
}

// result returns the output as the result of a call: as structured content, with stdout as text.
func (o *output) result() (*backend.Result, error) {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Content    []text  `json:"content"`
		Structured *output `json:"structuredContent"`
	}{[]text{{"text", o.Stdout}}, o})
	if err != nil {
		return nil, err
	}
	return backend.DecodeResult(bytes.TrimSpace(b.Bytes()))
}

// run runs a program to its end, or until ctx ends: then it kills the program and its
// descendants. A call counts as sent when its program starts. send may be nil.
func run(ctx context.Context, send *backend.Send, path string, args []string, stdin, dir string) (*output, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, procgroup.Environ()
	if abs, err := filepath.Abs(dir); err == nil && dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+abs)
	}
	var stdout, stderr capped
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = pipeGrace
	cmd.Cancel = func() error {
		procgroup.Kill(cmd)
		return nil
	}
	if err := send.Begin(ctx); err != nil {
		return nil, err
	}
	release, err := procgroup.Start(cmd)
	if err == nil {
		err = cmd.Wait()
		release()
	}
	var exit *exec.ExitError
	switch {
	case cmd.Process == nil:
		return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: fmt.Errorf("running %q: %w", path, err)}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("running %q: %w", path, err)
	}
	return &output{
		Stdout: stdout.text(), Stderr: stderr.text(),
		ExitCode: cmd.ProcessState.ExitCode(), Truncated: stdout.dropped || stderr.dropped,
	}, nil
}

// capped keeps the first MaxOutput bytes written to it.
type capped struct {
	buf     bytes.Buffer
	dropped bool
}

func (c *capped) Write(b []byte) (int, error) {
	n := min(len(b), MaxOutput-c.buf.Len())
	c.buf.Write(b[:n])
	c.dropped = c.dropped || n < len(b)
	return len(b), nil
}

// text returns the kept bytes; invalid UTF-8 is replaced.
func (c *capped) text() string { return strings.ToValidUTF8(c.buf.String(), "\ufffd") }
