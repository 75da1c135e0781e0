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

	"github.com/usetools/usetools/cmd/harness/help"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/clients"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/skills"
	"github.com/usetools/usetools/registry"
)

// completeFlag is the last argument of a shell's request for completions. The word under
// the cursor is the argument before it. The package cli reads the other words and calls
// complete.
const completeFlag = "--generate-shell-completion"

func (e *env) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: `Tools, servers and categories are those of the registry that the command line
names. Completion reads the registry file as it is and starts no servers.

  source <(harness completion bash)                    in ~/.bashrc
  source <(harness completion zsh)                     in ~/.zshrc, after compinit
  harness completion fish | source                     in ~/.config/fish/config.fish`,
		Action: func(_ context.Context, c *cli.Command) error {
			script, ok := completions[c.Args().First()]
			if !ok {
				return usageError{"completion wants one of bash, zsh, fish"}
			}
			_, err := io.WriteString(e.stdout, script)
			return err
		},
	}
}

// completions are the functions for the shells. Those of the package cli evaluate the
// command line, in which the name of a server could run a command; these do not.
var completions = map[string]string{
	"bash": `# harness in bash: source <(harness completion bash)
_harness() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("${line%%$'\t'*}")
	done < <("${1/#\~/$HOME}" "${COMP_WORDS[@]:1:COMP_CWORD}" --generate-shell-completion 2>/dev/null)
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
	done < <("${(Q)words[1]/#\~/$HOME}" "${(@Q)words[2,CURRENT]}" --generate-shell-completion 2>/dev/null)
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
    $words[1] $words[2..-1] "$current" --generate-shell-completion 2>/dev/null
end
complete -c harness -f -n 'test (count (__harness_complete)) -gt 0' -a '(__harness_complete)'
`,
}

// typeable matches words that every shell reads as plain text. Names of tools and servers
// come from servers, and the user may run a completed word by pressing return.
var typeable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_./:@+-]+$`) })

// completing removes the word under the cursor from the arguments of a shell's request.
// bash passes -flag=value as three words.
func (e *env) completing(args []string) []string {
	n := len(args) - 2
	if n < 1 || args[n+1] != completeFlag {
		return args
	}
	e.word = args[n]
	if e.word == "=" {
		e.word = ""
	}
	var out []string
	for i, w := range args[:n] {
		switch {
		case w == "=" || i == 1 && w == "help":
		case i > 1 && args[i-1] == "=":
			out[len(out)-1] += "=" + w
		default:
			out = append(out, w)
		}
	}
	if out[len(out)-1] == "--" { // or the package cli takes it for the word under the cursor
		out = append(out, e.word)
	}
	return append(out, completeFlag)
}

// complete prints the completions with descriptions. If it prints none, the shell
// completes file names. It is the ShellComplete of all commands.
func (e *env) complete(_ context.Context, c *cli.Command) {
	for _, w := range e.candidates(c) {
		word, about, _ := strings.Cut(w, "\t")
		if strings.HasPrefix(word, e.word) && typeable().MatchString(word) {
			fmt.Fprintf(e.stdout, "%s\t%s\n", word, about)
		}
	}
}

func (e *env) candidates(c *cli.Command) (out []string) {
	args := c.Args().Slice()
	var last string // a flag without its value
	if len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		last = strings.TrimLeft(args[len(args)-1], "-")
	}
	dashes := "--"[:min(2, len(e.word)-len(strings.TrimLeft(e.word, "-")))]
	for _, f := range append(c.VisibleFlags(), c.VisiblePersistentFlags()...) {
		usage := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			usage = d.GetUsage()
		}
		switch {
		case slices.Contains(f.Names(), last) && e.words[f] != nil:
			return e.words[f]
		case slices.Contains(f.Names(), last):
			_, kind, _ := strings.Cut(usage, "`")
			kind, _, _ = strings.Cut(kind, "`")
			return values(c, kind)
		case dashes != "":
			out = append(out, dashes+f.Names()[0]+"\t"+strings.ReplaceAll(usage, "`", ""))
		}
	}
	if dashes != "" {
		return out
	}
	if len(args) == 0 {
		for _, sub := range c.VisibleCommands() {
			out = append(out, sub.Name+"\t"+sub.Usage)
		}
	}
	if kinds := strings.Fields(strings.Trim(c.ArgsUsage, "[]")); len(kinds) > 0 {
		at := min(len(args), len(kinds)-1)
		if kind, more := strings.CutSuffix(strings.Trim(kinds[at], "[]"), "…"); at == len(args) || more {
			out = append(out, values(c, kind)...)
		}
	}
	return out
}

// values returns the completions for a placeholder of the usage. The shell completes file
// names and all others.
func values(c *cli.Command, kind string) (out []string) {
	files := &catalog.Files{Configs: c.StringSlice("config"), Registry: c.String("registry")}
	switch kind {
	case "bash|zsh|fish", "happened|not":
		return strings.Split(kind, "|")
	case "CLIENT":
		return clients.Names()
	case "STATUS":
		return append(slices.Clip(outcome.Statuses), record.Running, record.Died, present.NotOK)
	case "NAME":
		if saved := files.Scripts(); saved != nil && strings.Contains(c.FullName(), " scripts ") {
			out, _ = saved.Names()
		}
	case "RUN", "APPROVAL":
		return latest(c, kind == "APPROVAL")
	case "TOOL", "SERVER", "CATEGORY", "PATTERN", "SKILL":
		out = registered(files.Path(), kind)
		if set, err := skills.New(&catalog.Catalog{Scripts: files.Scripts()}, nil, help.Pages); err == nil && kind == "SKILL" {
			for _, uri := range set.URIs() {
				out = append(out, ownSkill(uri))
			}
		}
	}
	return out
}

// registered returns names from the registry, if there is one.
func registered(path, kind string) (out []string) {
	reg, err := registry.Load(path)
	if err != nil {
		return nil
	}
	for _, s := range reg.Servers {
		if kind == "SERVER" || kind == "PATTERN" {
			out = append(out, s.Name)
		}
		for _, k := range s.Skills {
			if kind == "SKILL" {
				out = append(out, registry.SkillID(s.Name, k.Name))
			}
		}
	}
	for _, t := range reg.Tools {
		switch {
		case kind == "TOOL" || kind == "PATTERN":
			out = append(out, t.ID)
		case kind == "CATEGORY" && t.Category != "":
			out = append(out, string(t.Category))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// latest returns the IDs of the latest runs, or of the calls that need approval.
func latest(c *cli.Command, approvals bool) (out []string) {
	dir, _, _ := stateDir(c)
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	records, err := store.Open(dir, nil)
	if err != nil {
		return nil
	}
	filter := &store.Filter{Limit: 50}
	if approvals {
		for p, err := range approval.List(context.Background(), records, filter) {
			if err == nil {
				out = append(out, p.ID)
			}
		}
		return out
	}
	out = []string{last}
	for s, err := range records.List(context.Background(), filter) {
		if err == nil {
			out = append(out, s.ID)
		}
	}
	return out
}
