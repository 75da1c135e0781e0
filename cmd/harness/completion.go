package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
)

// completeWord is the first argument with which the shells' functions ask what
// may stand at the cursor; the words of the command line follow, the one under
// the cursor last. It is not a command, so that no flag parser sees the words.
const completeWord = "__complete"

func (e *env) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print what makes a shell complete commands, flags and tools",
		ArgsUsage: "bash|zsh|fish",
		Description: `Tools, servers and categories are those of the registry that the command line
means. It is read as it is: completion starts no server.

  source <(harness completion bash)                    in ~/.bashrc
  source <(harness completion zsh)                     in ~/.zshrc, after compinit
  harness completion fish | source                     in ~/.config/fish/config.fish`,
		Action: func(_ context.Context, c *cli.Command) error {
			script, ok := completions[c.Args().First()]
			if c.Args().Len() != 1 || !ok {
				return usageError{"completion wants one of bash, zsh, fish"}
			}
			_, err := io.WriteString(e.stdout, script)
			return err
		},
	}
}

// completions are the functions for the shells. None of them evaluates what
// stands in the command line.
var completions = map[string]string{
	"bash": `# harness in bash: source <(harness completion bash)
_harness() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("${line%%$'\t'*}")
	done < <("${1/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _harness harness
`,
	"zsh": `#compdef harness
# harness in zsh: source <(harness completion zsh)
_harness() {
	local line
	local -a found
	while IFS= read -r line; do
		found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done < <("${(Q)words[1]/#\~/$HOME}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
	if (( $#found )); then
		_describe harness found
	else
		_files
	fi
}
if [[ $funcstack[1] == _harness ]]; then
	_harness "$@"
else
	compdef _harness harness
fi
`,
	"fish": `# harness in fish: harness completion fish | source
function __harness_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] __complete $words[2..-1] "$current" 2>/dev/null
end
complete -c harness -f -n 'test (count (__harness_complete)) -gt 0' -a '(__harness_complete)'
`,
}

// candidate is a word that may stand at the cursor.
type candidate struct{ word, about string }

// typeable are words that no shell reads as anything but text. The names of
// tools and servers come from servers, and a completed word is run by whoever
// presses return.
var typeable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_./:@+-]+$`) })

// complete writes what may stand for the last of words, a line each: the word,
// a tab, what it is. Nothing means: the name of a file, perhaps.
func complete(out io.Writer, root *cli.Command, words []string) {
	if len(words) == 0 {
		return
	}
	l := line{root: root, command: root}
	for _, w := range words[:len(words)-1] {
		l.read(w)
	}
	current := words[len(words)-1]
	if current == "=" { // bash takes -flag=value apart
		current = ""
	}
	for _, c := range l.candidates(current) {
		if strings.HasPrefix(c.word, current) && typeable().MatchString(c.word) {
			fmt.Fprintf(out, "%s\t%s\n", c.word, c.about)
		}
	}
}

// line is a command line as far as it was read.
type line struct {
	root, command, parent *cli.Command
	flag                  documentedFlag // whose value comes next; nil: none
	arguments             int            // of command
	noFlags               bool           // after --
	files                 harness.Files
	state                 string // the folder with records, where it is named
}

func (l *line) read(w string) {
	switch {
	case w == "=" && l.flag != nil:
	case l.flag != nil:
		l.set(l.flag, w)
		l.flag = nil
	case l.noFlags, w == "-", !strings.HasPrefix(w, "-"):
		if sub := l.command.Command(w); sub != nil && l.arguments == 0 {
			l.parent, l.command = l.command, sub
		} else {
			l.arguments++
		}
	case w == "--":
		l.noFlags = true
	default:
		name, value, has := strings.Cut(strings.TrimLeft(w, "-"), "=")
		for _, f := range l.flags() {
			switch {
			case !slices.Contains(f.Names(), name) || !f.TakesValue():
			case has:
				l.set(f, value)
			default:
				l.flag = f
			}
		}
	}
}

// set notes the flags that decide which registry is meant.
func (l *line) set(f documentedFlag, value string) {
	switch f.Names()[0] {
	case "config":
		l.files.Configs = append(l.files.Configs, value)
	case "registry":
		l.files.Registry = value
	case "state":
		l.state = value
	}
}

type documentedFlag interface {
	cli.Flag
	cli.DocGenerationFlag
}

// flags are those that may stand here.
func (l *line) flags() []documentedFlag {
	all := slices.Clone(l.command.Flags)
	if l.parent != nil && l.parent != l.root {
		for _, f := range l.parent.Flags {
			if local, ok := f.(cli.LocalFlag); !ok || !local.IsLocal() {
				all = append(all, f)
			}
		}
	}
	if l.command != l.root {
		all = append(all, l.root.Flags...)
	}
	var out []documentedFlag
	for _, f := range all {
		visible, ok := f.(cli.VisibleFlag)
		if d, documented := f.(documentedFlag); documented && (!ok || visible.IsVisible()) {
			out = append(out, d)
		}
	}
	return out
}

func (l *line) candidates(current string) []candidate {
	var out []candidate
	switch {
	case l.flag != nil:
		_, kind, _ := strings.Cut(l.flag.GetUsage(), "`")
		kind, about, _ := strings.Cut(kind, "`")
		if _, list, ok := strings.Cut(about, ": "); ok && kind == "WHAT" {
			return candidates(strings.Split(list, ", "))
		}
		return l.values(kind)
	case strings.HasPrefix(current, "-") && !l.noFlags:
		dashes := "-"
		if strings.HasPrefix(current, "--") {
			dashes = "--"
		}
		for _, f := range l.flags() {
			out = append(out, candidate{dashes + f.Names()[0], strings.ReplaceAll(f.GetUsage(), "`", "")})
		}
		return out
	case l.arguments == 0 && len(l.command.Commands) > 0:
		for _, c := range l.command.Commands {
			if !c.Hidden {
				out = append(out, candidate{c.Name, c.Usage})
			}
		}
	}
	usage := strings.Fields(strings.Trim(l.command.ArgsUsage, "[]"))
	if len(usage) == 0 {
		return out
	}
	at := min(l.arguments, len(usage)-1)
	kind, more := strings.CutSuffix(strings.Trim(usage[at], "[]"), "…")
	if l.arguments > at && !more {
		return out
	}
	return append(out, l.values(kind)...)
}

// values are what a word of the usage stands for. FILE and others that are not
// here are left to the shell.
func (l *line) values(kind string) []candidate {
	var words []string
	switch kind {
	case "bash|zsh|fish":
		words = strings.Split(kind, "|")
	case "LEVEL":
		words = texts(discovery.Details)
	case "HOW":
		words = texts([]discovery.Match{discovery.Semantic, discovery.Substring})
	case "POLICY":
		words = []string{require, bestEffort}
	case "WHICH":
		words = texts(harness.Approvals)
	case "RULE":
		words = texts(serve.Resumings)
	case "WHOSE":
		words = texts(serve.AllApprovals)
	case "MODE":
		words = texts(serve.Modes)
	case "CLIENT":
		words = clients.Names()
	case "NAME":
		if l.parent != nil && l.parent.Name == "scripts" {
			words = l.scripts()
		}
	case "STATUS":
		words = append(slices.Clip(harness.Statuses), record.Running, record.Died, show.NotOK)
	case "RUN":
		words = l.runs()
	case "APPROVAL":
		words = l.approvals()
	case "happened|not":
		words = []string{happened, didNot}
	case "TOOL", "SERVER", "CATEGORY", "PATTERN":
		words = l.registered(kind)
	}
	return candidates(words)
}

func candidates(words []string) []candidate {
	out := make([]candidate, len(words))
	for i, w := range words {
		out[i].word = w
	}
	return out
}

func texts[T ~string](values []T) (out []string) {
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// registered are names in the registry, where there is one.
func (l *line) registered(kind string) (out []string) {
	reg, err := registry.Load(l.files.Path())
	if err != nil {
		return nil
	}
	if kind == "SERVER" || kind == "PATTERN" {
		for _, s := range reg.Servers {
			out = append(out, s.Name)
		}
	}
	for _, t := range reg.Tools {
		switch kind {
		case "TOOL", "PATTERN":
			out = append(out, t.ID)
		case "CATEGORY":
			if t.Category != "" {
				out = append(out, string(t.Category))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// scripts are the names of the saved scripts.
func (l *line) scripts() (out []string) {
	dir, err := library.Path(l.files.Path())
	if err != nil || l.files.Path() == "" {
		return nil
	}
	all, err := library.Open(dir).List()
	if err != nil {
		return nil
	}
	for _, s := range all {
		out = append(out, s.Name)
	}
	return out
}

// maxCompletedRuns bounds the runs that are offered.
const maxCompletedRuns = 50

// approvals are the IDs of what waits for a person.
func (l *line) approvals() (out []string) {
	store := l.store()
	if store == nil {
		return nil
	}
	for p, err := range store.Pending(context.Background(), &record.Filter{Limit: maxCompletedRuns}) {
		if err == nil {
			out = append(out, p.ID)
		}
	}
	return out
}

// store has the records, nil where there are none.
func (l *line) store() *record.Store {
	dir := l.state
	if dir == "" {
		var err error
		if dir, _, err = stateDir(nil); err != nil {
			return nil
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	store, err := record.Open(dir, nil)
	if err != nil {
		return nil
	}
	return store
}

// runs are the IDs of the last runs.
func (l *line) runs() []string {
	store := l.store()
	if store == nil {
		return nil
	}
	out := []string{last}
	for s, err := range store.List(context.Background(), &record.Filter{Limit: maxCompletedRuns}) {
		if err == nil {
			out = append(out, s.ID)
		}
	}
	return out
}
