// A command dispatcher that ends with os.Exit(3) after printing; deferred calls do not run.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

type Ctx struct {
	Args  []string
	Flags map[string]string
}

type Command struct {
	Usage string
	Run   func(*Ctx) error
}

type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return fmt.Sprintf("exit %d: %v", e.code, e.err) }
func (e exitError) Unwrap() error { return e.err }

var errUsage = errors.New("usage")

func parse(argv []string) (name string, c *Ctx, err error) {
	c = &Ctx{Flags: map[string]string{}}
	if len(argv) == 0 {
		return "", c, errUsage
	}
	name = argv[0]
	for i := 1; i < len(argv); i++ {
		flag, ok := strings.CutPrefix(argv[i], "--")
		switch {
		case !ok:
			c.Args = append(c.Args, argv[i])
		case flag == "":
			c.Args = append(c.Args, argv[i+1:]...)
			return
		case strings.Contains(flag, "="):
			k, v, _ := strings.Cut(flag, "=")
			c.Flags[k] = v
		default:
			c.Flags[flag] = "true"
		}
	}
	return
}

var commands map[string]Command

func init() {
	commands = map[string]Command{
		"sum": {"sum N...", func(c *Ctx) error {
			total := 0
			for _, a := range c.Args {
				n, err := strconv.Atoi(a)
				if err != nil {
					return exitError{2, err}
				}
				total += n
			}
			fmt.Printf("%0*d\n", len(c.Flags["pad"]), total)
			return nil
		}},
		"echo": {Usage: "echo [--upper] ARGS", Run: func(c *Ctx) error {
			out := strings.Join(c.Args, " ")
			if c.Flags["upper"] == "true" {
				out = strings.ToUpper(out)
			}
			_, err := fmt.Println(out)
			return err
		}},
		"help": {"help", help},
	}
}

func help(*Ctx) error {
	for _, n := range slices.Sorted(maps.Keys(commands)) {
		fmt.Printf("  %-6s %s\n", n, commands[n].Usage)
	}
	return exitError{3, errUsage}
}

func dispatch(line string) (code int, err error) {
	name, c, err := parse(strings.Fields(line))
	if err != nil {
		return 1, err
	}
	cmd, ok := commands[name]
	if !ok {
		return 127, fmt.Errorf("unknown command %q", name)
	}
	err = cmd.Run(c)
	if ee, ok := errors.AsType[exitError](err); ok {
		code = ee.code
	}
	return
}

func main() {
	defer fmt.Println("never printed")
	fmt.Println(len(os.Args) > 0)
	for _, line := range []string{"sum 1 2 3 --pad=xxxxx", "echo --upper a -- --b c", "", "nope", "sum 1 x", "help"} {
		code, err := dispatch(line)
		fmt.Printf("%q -> %d %v\n", line, code, err)
		if code == 3 {
			os.Exit(code)
		}
	}
}
