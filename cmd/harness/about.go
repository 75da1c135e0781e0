package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v3"
)

// version is set by release builds.
var version string

// buildInfo identifies this program's build.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() buildInfo {
	b := buildInfo{Version: "dev", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			b.Version = v
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.time":
				b.Time = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	if version != "" {
		b.Version = version
	}
	return b
}

func (e *env) versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Description: `Version, revision, Go version and platform.

  harness version
  harness -json version`,
		Action: func(_ context.Context, c *cli.Command) error {
			b := thisBuild()
			if c.Bool("json") {
				return e.print(b)
			}
			line := "harness " + b.Version
			if b.Revision != "" && !strings.Contains(b.Version, b.Revision[:min(12, len(b.Revision))]) {
				line += " " + b.Revision[:min(12, len(b.Revision))]
			}
			_, err := fmt.Fprintln(e.stdout, line, b.Go, b.Platform)
			return err
		},
	}
}

func (e *env) guideCommand() *cli.Command {
	return &cli.Command{
		Name:  "guide",
		Usage: "print a text for system prompts: the tools and how to use them",
		Description: `Summarizes the servers, their categories and instructions in at most 300 tokens. The
instructions are text of the servers; read them before you use the guide.

  harness guide >>system-prompt.md`,
		Action: on(e.known, func(_ context.Context, c *cli.Command, known *known) error {
			text, err := known.catalog.Guide()
			switch {
			case err != nil:
				return err
			case c.Bool("json"):
				return e.print(map[string]any{"guide": text})
			}
			_, err = io.WriteString(e.stdout, text)
			return err
		}),
	}
}
