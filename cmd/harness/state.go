package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// stateVariable is the environment variable with the folder, used without a flag.
const stateVariable = "USETOOLS_STATE"

// stateFlag returns the flag for the folder with the records of runs.
func stateFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "state", Usage: usage} }

// recordsFlag returns the flag for commands that read the records of runs.
func recordsFlag() cli.Flag {
	return stateFlag("the `DIR` with the records (default: $USETOOLS_STATE, else usetools in your state folder)")
}

// stateDir returns the folder with the records of runs: from the flag, else the variable
// USETOOLS_STATE, else usetools in the user's state folder. given reports whether the flag
// names it. c may be nil.
func stateDir(c *cli.Command) (dir string, given bool, err error) {
	if c != nil && c.IsSet("state") {
		if dir = c.String("state"); dir == "" {
			return "", true, usageError{"-state wants the name of a folder"}
		}
		return dir, true, nil
	}
	if dir = os.Getenv(stateVariable); dir != "" {
		return dir, false, nil
	}
	if dir, err = userStateDir(); err != nil {
		return "", false, usageError{fmt.Sprintf("locating the records of runs: %v; -state DIR says where they are", err)}
	}
	return filepath.Join(dir, "usetools"), false, nil
}

// userStateDir returns the user's folder for program state: data that is not configuration
// and cannot be computed again.
func userStateDir() (string, error) {
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return dir, nil
		}
		return "", errors.New("%LocalAppData% is not set")
	case "darwin", "ios":
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "Application Support"), err
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // its specification ignores relative paths
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}

// lines returns a function that formats commands with the config and the records of c.
// They work from any folder.
func lines(c *cli.Command) func(args ...string) string {
	var flags []string
	abs := func(name, path string) {
		if full, err := filepath.Abs(path); err == nil {
			path = full
		}
		flags = append(flags, "-"+name, path)
	}
	files := catalog.Files{Configs: c.StringSlice("config")}
	if all := files.AllConfigs(); !slices.Equal(all, []string{config.UserFile()}) {
		for _, file := range all {
			abs("config", file)
		}
	}
	if file := c.String("registry"); file != "" {
		abs("registry", file)
	}
	dir := cmp.Or(c.String("state"), c.String("record"), os.Getenv(stateVariable))
	switch url := join.URL(c); {
	case url != "":
		if !strings.Contains(url, "@") { // a URL with a password stays in its variable
			flags = append(flags, "-cluster", url)
		}
		for _, name := range []string{"cluster-creds", "cluster-ca", "cluster-cert", "cluster-key"} {
			if file := c.String(name); file != "" {
				abs(name, file)
			}
		}
	case dir != "":
		abs("state", dir)
	}
	return registry.Command(flags...)
}
