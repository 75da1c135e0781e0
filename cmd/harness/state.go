package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"
)

// stateVariable names the folder where no flag does.
const stateVariable = "USETOOLS_STATE"

// stateFlag is the folder with the records of runs.
func stateFlag(usage string) cli.Flag { return &cli.StringFlag{Name: "state", Usage: usage} }

// stateDir is the folder with the records of runs: that of the flag, else of the
// variable USETOOLS_STATE, else usetools in the user's state folder. given: the
// flag names it. Of a nil command there is no flag.
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

// userStateDir is the folder in which programs keep what is neither configuration
// nor can be made again.
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
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // its specification ignores others
		return dir, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}

// stateFlagOf is the flag by which other commands find the records that a command
// keeps, "" where they find them without.
func stateFlagOf(c *cli.Command) string {
	for _, name := range []string{"state", "record"} {
		dir := c.String(name)
		if dir == "" {
			continue
		}
		found, _, err := stateDir(nil)
		if there, err2 := filepath.Abs(dir); err == nil && err2 == nil {
			if found, err = filepath.Abs(found); err == nil && found == there {
				return ""
			}
		}
		return "-state " + shellWord(dir)
	}
	return ""
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
