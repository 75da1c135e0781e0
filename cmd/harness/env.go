package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/cmd/internal/output"
	"github.com/usetools/usetools/cmd/internal/progress"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// env holds a command's streams and resources. They are closed when the command ends.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	line           *progress.Line        // progress; nil with -q
	typist         *typist               // see typing
	cluster        *cluster.Cluster      // see connected
	closing        []func()              // run when the command ends
	word           string                // under the cursor, see completing
	words          map[cli.Flag][]string // values of flags, see choice
}

// close closes the command's resources, the latest first.
func (e *env) close() {
	e.endLine()
	for _, end := range slices.Backward(e.closing) {
		end()
	}
	e.closing, e.cluster = nil, nil
}

// files opens the catalog that the flags name.
func (e *env) files(c *cli.Command) *catalog.Files {
	f := &catalog.Files{Configs: c.StringSlice("config"), Registry: c.String("registry"), NoMemory: c.Bool("no-memory"),
		NoObserve: c.Bool("no-observe"), NoUsage: c.Bool("no-usage")}
	e.closing = append(e.closing, func() { f.Close() })
	if !c.Bool("q") {
		e.endLine()
		e.line = progress.New(e.stderr, "harness")
		log := e.line.Over(e.stderr)
		f.Log = func(line string) { fmt.Fprintln(log, "harness:", line) }
		f.Progress = e.line.Event()
	}
	return f
}

// endLine removes the progress line.
func (e *env) endLine() {
	e.line.Close()
	e.line = nil
}

// harness opens a harness for the scripts of a command.
func (e *env) harness(c *cli.Command, o *harness.Options) *harness.Harness {
	o.BestEffort, o.Version = c.String("sandbox") == bestEffort, thisBuild().Version
	h := harness.New(o)
	e.closing = append(e.closing, func() { h.Close() })
	return h
}

// known is the registry and its index, for commands that call no tool.
type known struct {
	catalog  *catalog.Catalog
	registry *registry.Registry
	index    *discovery.Index
	view     *wrappers.View
}

// known loads, or builds, the registry that the flags name.
func (e *env) known(ctx context.Context, c *cli.Command) (*known, error) {
	cat, err := e.files(c).Catalog(ctx)
	e.endLine()
	if err != nil {
		return nil, err
	}
	k := &known{catalog: cat, registry: cat.Registry}
	if k.index, err = cat.Index(); err != nil {
		return nil, err
	}
	k.view, err = cat.View()
	return k, err
}

// on returns a command's action that loads a T and calls do with it.
func on[T any](load func(context.Context, *cli.Command) (T, error), do func(context.Context, *cli.Command, T) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		x, err := load(ctx, c)
		if err != nil {
			return err
		}
		return do(ctx, c, x)
	}
}

// hasServer returns an error if no server has this name. "" means any server.
func (k *known) hasServer(name string) error {
	if _, ok := k.registry.Server(name); ok || name == "" {
		return nil
	}
	var names []string
	for _, s := range k.registry.Servers {
		names = append(names, s.Name)
	}
	return noServer(name, names)
}

// noTool returns the error for a tool that is not found, with the nearest names.
func noTool(cat *catalog.Catalog, name string) error {
	if ids := cat.Nearest(name); len(ids) > 0 {
		return notFound("there is no tool %q; the nearest are %s", name, strings.Join(ids, ", "))
	}
	return notFound("there is no tool %q; harness search finds tools by what they do", name)
}

// noServer returns an error that lists the existing servers.
func noServer(name string, names []string) error {
	return usageError{fmt.Sprintf("there is no server %q, there are: %s", name, strings.Join(names, ", "))}
}

// pointless returns an error for given flags that would do nothing. why also has the fix.
func pointless(c *cli.Command, is bool, why string, flags ...string) error {
	for _, name := range flags {
		if is && c.IsSet(name) {
			return usageError{fmt.Sprintf("-%s does nothing %s", name, why)}
		}
	}
	return nil
}

// atLeast returns a validator for numbers.
func atLeast(least int) func(int) error {
	return func(n int) error {
		if n < least {
			return fmt.Errorf("want %d or more", least)
		}
		return nil
	}
}

// choice returns a flag whose value is one of words. Completion offers the words. They are
// appended to a usage that ends with a colon.
func choice[T ~string](e *env, name, usage string, value T, words ...T) cli.Flag {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	list := strings.Join(all, ", ")
	if strings.HasSuffix(usage, ":") {
		usage += " " + list
	}
	f := &cli.StringFlag{Name: name, Usage: usage, Value: string(value), Validator: func(s string) error {
		if !slices.Contains(all, s) {
			return fmt.Errorf("want one of %s", list)
		}
		return nil
	}}
	if e.words == nil {
		e.words = map[cli.Flag][]string{}
	}
	e.words[f] = all
	return f
}

// maxMemory is the largest permitted memory of a worker, in MB.
const maxMemory = 1 << 20

// memoryFlag returns the flag for the memory of a worker.
func memoryFlag(usage string) cli.Flag {
	return &cli.IntFlag{Name: "memory", Usage: usage, Value: 512, Validator: memoryFits}
}

func memoryFits(mb int) error {
	if mb < 1 || mb > maxMemory {
		return fmt.Errorf("want 1 to %d MB", maxMemory)
	}
	return nil
}

// memoryOf returns the value of the memory flag in bytes.
func (e *env) memoryOf(c *cli.Command) int64 {
	memory := int64(c.Int("memory")) << 20
	if memory < harness.MinMemory && !c.Bool("q") {
		fmt.Fprintf(e.stderr, "harness: -memory %d: a script's process needs %d MB for itself, and gets them\n",
			c.Int("memory"), harness.MinMemory>>20)
	}
	return memory
}

// show writes a document to stdout, on a terminal with colours and lines that fit its width.
func (e *env) show(d present.Document) error {
	o := &present.Options{Width: cmp.Or(lifetime.Width(e.stdout), -1), Colour: lifetime.Terminal(e.stdout)}
	o.ASCII = lifetime.Device(e.stdout) != nil && ascii()
	return d.Terminal(e.stdout, o)
}

// output writes v as JSON if -json is given, else a document that shows the same.
func (e *env) output(c *cli.Command, v any, d present.Document) error {
	if c.Bool("json") {
		return e.print(v)
	}
	return e.show(d)
}

// print writes v as indented JSON.
func (e *env) print(v any) error { return output.JSON(e.stdout, v, "  ") }

// printLine writes v as JSON on one line.
func (e *env) printLine(v any) error { return output.JSON(e.stdout, v, "") }

// printLines writes each element of a list as JSON on a line of its own.
func printLines[T any](e *env, all []T) error {
	for _, v := range all {
		if err := e.printLine(v); err != nil {
			return err
		}
	}
	return nil
}

// notifyTyping prints a message if a person types at stdin.
func (e *env) notifyTyping(what string) {
	if e.typed() {
		e.tell(what)
	}
}

// say prints a note on stderr unless -q is given.
func (e *env) say(c *cli.Command, format string, args ...any) {
	if !c.Bool("q") {
		e.tell(fmt.Sprintf(format, args...))
	}
}

// tell writes a message to stderr.
func (e *env) tell(message string) {
	fmt.Fprintln(e.stderr, "harness:", registry.PrintableText(message, 16<<10))
}

// maxScript is the largest size of a script in bytes. One more byte is read, so that the
// parser can report longer scripts.
const maxScript = 1 << 20

// script reads the script that the command names. "-" is stdin.
func (e *env) script(c *cli.Command) (string, error) {
	return e.source(c.Args().First())
}

// source reads a script from a file. "-" is stdin.
func (e *env) source(name string) (string, error) {
	in := e.stdin
	if name == "-" {
		e.notifyTyping("reading the script from this terminal; Ctrl-D ends it")
	} else {
		f, err := os.Open(name)
		if err != nil {
			return "", usageError{fmt.Sprintf("reading the script: %v", err)}
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxScript))
	if err != nil {
		return "", usageError{fmt.Sprintf("reading the script: %v", err)}
	}
	return string(b), nil
}
