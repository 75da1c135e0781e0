package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"html"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
)

func (e *env) consoleCommand() *cli.Command {
	return &cli.Command{
		Name:  "console",
		Usage: "open a page on runs, tools, servers and pending approvals",
		Description: `Serves a page on this machine: runs, with their calls beside the lines of the script;
pending calls; tools, and why a phrase finds them; servers, policy, and an editor that
checks scripts while you type. It shows the runs of the state folder, as harness runs
does. It serves no clients: harness serve -http serves them and the same page.

The printed link opens the page once, within ten minutes; the browser stays signed in.
Ctrl-C ends the command.

  harness console                      the page of this config and state folder
  harness console -open                and open it in a browser
  harness console -state runs          with the records of another folder`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "http", Usage: "serve the page at `ADDRESS` of this machine, host:port; port 0: a free one",
				Value: "127.0.0.1:0"},
			&cli.BoolFlag{Name: "open", Usage: "open the page in a browser"},
			recordsFlag(),
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of a script", Value: 30 * time.Second, Validator: positive},
			memoryFlag("`MB` of memory for each script's process"),
			&cli.BoolFlag{Name: "no-watch", Usage: "take the registry as it is; do not watch the servers"},
			e.sandboxFlag(),
		}, slices.Concat(e.policyFlags(), join.Flags())...),
		Action: e.console,
	}
}

func (e *env) console(ctx context.Context, c *cli.Command) error {
	addr := c.String("http")
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return usageError{fmt.Sprintf("-http %q: want host:port, as in 127.0.0.1:7337", addr)}
	}
	page := &serve.HTTP{Endpoint: transport.Endpoint{Address: addr}, ConsoleOnly: true, Secret: make([]byte, 32)}
	rand.Read(page.Secret)
	if err := page.Check(); err != nil {
		return usageError{fmt.Sprintf("-http %s is not a loopback address; to serve the page to others: harness serve -http "+
			"with -token-file", addr)}
	}
	if err := page.Listen(); err != nil {
		return usageError{err.Error()}
	}
	dir, _, err := stateDir(c)
	if err != nil {
		return err
	}
	log := e.serveLog(c)
	files := e.servedFiles(c, log)
	opts, err := e.serveOptions(c, files, log)
	if err != nil {
		return err
	}
	if join.URL(c) == "" {
		err = os.MkdirAll(dir, 0o700) // so that runs that begin later appear
	}
	if err == nil {
		opts.Records, err = e.store(c, storeOptions(files))
	}
	if err != nil {
		return usageError{err.Error()}
	}
	if err := shared(ctx, c, e.cluster, files); err != nil {
		return err
	}
	opts.KeptFor, opts.Command = "the records are in "+opts.Records.Dir(), lines(c)
	link := page.ConsoleLink()
	s, err := serve.New(opts)
	if err != nil {
		return usageError{err.Error()}
	}
	defer s.Close()
	fmt.Fprintln(e.stdout, link)
	if c.Bool("open") {
		defer e.shownIn(link)()
	}
	return s.HTTP(ctx, page)
}

// shownIn opens a link in a browser. Call forget at the end.
func (e *env) shownIn(link string) (forget func()) {
	forget, err := browse(link)
	if err != nil {
		e.notifyTyping("no browser started; open the link: " + err.Error())
		return func() {}
	}
	return forget
}

// browse opens a link in the user's browser. The link is in a file that only this user can
// read, since all users of a machine see the arguments of a program. forget removes the file.
func browse(link string) (forget func(), err error) {
	dir, err := os.MkdirTemp("", "usetools-console")
	if err != nil {
		return nil, err
	}
	page := filepath.Join(dir, "open.html")
	text := `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><title>UseTools</title>`
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", page)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", page)
	default:
		cmd = exec.Command("xdg-open", page)
	}
	cmd.Stderr = os.Stderr
	if err = os.WriteFile(page, []byte(text), 0o600); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	go cmd.Wait()
	return func() { os.RemoveAll(dir) }, nil
}
