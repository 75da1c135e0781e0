package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

func (e *env) logsCommand() *cli.Command {
	return &cli.Command{
		Name:      "logs",
		Usage:     "show what servers wrote to stderr",
		ArgsUsage: "[SERVER]",
		Description: `Prints the last lines of a SERVER's log, with times in UTC, or lists the logs. The
stderr of every server process is kept in your cache folder, at most 2 MB per server,
without the values of env and headers. Lines that begin with -- report when a process
started and ended.

  harness logs
  harness logs git
  harness logs -n 1000 git
  harness -json logs | jq '.logs[].file'`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "the last `N` lines", Value: 100, Validator: atLeast(1)},
		},
		Action: e.logs,
	}
}

// serverLog is the log of a server.
type serverLog struct {
	Server string    `json:"server"`
	File   string    `json:"file"`
	Bytes  int64     `json:"bytes"` // of the file and its predecessor
	Last   time.Time `json:"last"`  // the time of the last write
}

func (e *env) logs(_ context.Context, c *cli.Command) error {
	cfg, err := config.Load(e.files(c).AllConfigs()...)
	if err != nil {
		return usageError{err.Error()}
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	all := []serverLog{}
	name := c.Args().First()
	for _, s := range cfg.Servers {
		if s.Type != config.Stdio || name != "" && s.Name != name {
			continue
		}
		path, err := mcp.LogFile(folder, s.File, s.Name)
		if err != nil {
			return err
		}
		l := serverLog{Server: s.Name, File: path}
		for _, p := range []string{path + ".1", path} {
			if info, err := os.Stat(p); err == nil {
				l.Bytes, l.Last = l.Bytes+info.Size(), info.ModTime()
			}
		}
		if l.Bytes > 0 {
			all = append(all, l)
		}
	}
	switch {
	case name != "" && len(all) == 0:
		return noLog(cfg, name)
	case c.Bool("json"):
		return e.print(map[string]any{"logs": all})
	case name != "":
		return e.tail(all[0].File, c.Int("n"))
	case len(all) == 0:
		e.say(c, "no server of this config has been started yet")
		return nil
	}
	t := &present.Table{Header: true, Columns: present.Columns("server", "kB", "last", "file")}
	t.Columns[1].Number, t.Columns[3].Wrap = true, true
	for _, l := range all {
		t.Rows = append(t.Rows, present.Cells(l.Server, fmt.Sprint((l.Bytes+1023)/1024), l.Last.Format(time.DateTime), l.File))
	}
	return e.show(present.Document{t})
}

// noLog returns why a server has no log.
func noLog(cfg *config.Config, name string) error {
	s, ok := cfg.Server(name)
	switch {
	case !ok:
		var names []string
		for _, s := range cfg.Servers {
			names = append(names, s.Name)
		}
		return noServer(name, names)
	case s.Type != config.Stdio:
		return notFound("%q has no log: it is not a process on this machine, but %s", name, s.Type)
	}
	return notFound("%q has not been started yet", name)
}

// tail prints the last lines of a log and its predecessor.
func (e *env) tail(path string, n int) error {
	text, err := mcp.LogTail(path, n)
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, registry.PrintableText(string(text), len(text)))
	return err
}
