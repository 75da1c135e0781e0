// A shell-like splitter: quotes, escapes, variables, pipelines, redirections, expansion with errors, alias recursion.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

type Mode int

const (
	Plain Mode = iota
	Single
	Double
)

type QuoteError struct {
	Mode
	At int
}

func (q QuoteError) Error() string {
	return fmt.Sprintf("unterminated %s quote at %d", map[Mode]string{Single: "single", Double: "double"}[q.Mode], q.At)
}

type Env map[string]string

func (e Env) Expand(name string) (string, error) {
	name, def, hasDef := strings.Cut(name, ":-")
	if v, ok := e[name]; ok {
		return v, nil
	}
	if hasDef {
		return def, nil
	}
	return "", fmt.Errorf("%s: unbound variable", name)
}

func Split(s string, env Env) (words []string, err error) {
	var cur strings.Builder
	mode, started, openAt := Plain, false, 0
	flush := func() {
		if started {
			words = append(words, cur.String())
			cur.Reset()
			started = false
		}
	}
	defer func() {
		if err == nil && mode != Plain {
			err = QuoteError{mode, openAt}
		}
		if err != nil {
			words = append(words, "<"+cur.String()+">")
		}
	}()
	rs := []rune(s)
	for i := 0; i < len(rs); i++ {
		r := rs[i]
		switch {
		case mode == Single && r != '\'':
			cur.WriteRune(r)
		case r == '\'' && mode != Double, r == '"' && mode != Single:
			started = true
			if mode == Plain {
				openAt = i
				mode = map[rune]Mode{'\'': Single, '"': Double}[r]
			} else {
				mode = Plain
			}
		case r == '\\':
			if i++; i == len(rs) {
				return words, io.ErrUnexpectedEOF
			}
			if mode == Double && !strings.ContainsRune(`"\$`, rs[i]) {
				cur.WriteByte('\\')
			}
			cur.WriteRune(rs[i])
			started = true
		case r == '$':
			name := ""
			if i+1 < len(rs) && rs[i+1] == '{' {
				end := slices.Index(rs[i:], '}')
				if end < 0 {
					return words, errors.New("missing }")
				}
				name, i = string(rs[i+2:i+end]), i+end
			} else {
				for i+1 < len(rs) && (rs[i+1] == '_' || rs[i+1] >= 'A' && rs[i+1] <= 'Z') {
					i++
					name += string(rs[i])
				}
			}
			v, err := env.Expand(name)
			if err != nil {
				return words, err
			}
			if mode == Double {
				cur.WriteString(v)
				continue
			}
			for j, f := range strings.Fields(v) {
				if j > 0 {
					flush()
				}
				cur.WriteString(f)
				started = true
			}
		case mode == Plain && r == ' ':
			flush()
		case mode == Plain && strings.ContainsRune("|<>", r):
			flush()
			words = append(words, string(r))
		default:
			cur.WriteRune(r)
			started = true
		}
	}
	flush()
	return
}

type Cmd struct {
	Args    []string
	In, Out string
}

type builtin func(args []string, in string) (string, error)

type Shell struct {
	Env
	files   map[string]string
	aliases map[string]string
	cmds    map[string]builtin
}

func (sh *Shell) parse(words []string) (pipe []Cmd, err error) {
	c := Cmd{}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; w {
		case "|":
			if len(c.Args) == 0 {
				return pipe, errors.New("empty command")
			}
			pipe, c = append(pipe, c), Cmd{}
		case "<", ">":
			if i++; i == len(words) {
				return pipe, fmt.Errorf("%s needs a file", w)
			}
			if w == "<" {
				c.In = words[i]
			} else {
				c.Out = words[i]
			}
		default:
			c.Args = append(c.Args, w)
		}
	}
	if len(c.Args) == 0 {
		return pipe, errors.New("no command at the end")
	}
	return append(pipe, c), nil
}

func (sh *Shell) Run(line string) (out string, err error) {
	for depth := 0; ; depth++ {
		head, rest, _ := strings.Cut(line, " ")
		a, ok := sh.aliases[head]
		if !ok {
			break
		}
		if line = a + " " + rest; depth > 3 {
			return "", fmt.Errorf("alias %s loops", head)
		}
	}
	words, err := Split(line, sh.Env)
	if err != nil {
		return strings.Join(words, "·"), err
	}
	pipe, err := sh.parse(words)
	if err != nil {
		return
	}
	for _, c := range pipe {
		if c.In != "" {
			out = sh.files[c.In]
		}
		f, ok := sh.cmds[c.Args[0]]
		if !ok {
			return out, fmt.Errorf("%s: not found", c.Args[0])
		}
		if out, err = f(c.Args[1:], out); err != nil {
			return out, fmt.Errorf("%s: %w", c.Args[0], err)
		}
		if c.Out != "" {
			sh.files[c.Out], out = out, ""
		}
	}
	return
}

func main() {
	sh := &Shell{Env{"USER": "ann lee", "X": "v"}, map[string]string{}, map[string]string{"ll": "echo long", "loop": "loop2", "loop2": "loop"}, nil}
	sh.cmds = map[string]builtin{
		"echo":  func(a []string, _ string) (string, error) { return strings.Join(a, " ") + "\n", nil },
		"upper": func(_ []string, in string) (string, error) { return strings.ToUpper(in), nil },
		"count": func(a []string, in string) (string, error) {
			if len(a) != 1 {
				return "", fmt.Errorf("want 1 argument, got %d", len(a))
			}
			return fmt.Sprintln(strings.Count(in, a[0])), nil
		},
	}
	for _, s := range []string{`a  b`, `'a b' "c d"e`, `"x $USER" $USER pre$X`, `a\ b "q\"w\n" ''`, `'open`, `x "y`, `tail\`, `$NOPE`, `${NOPE:-dflt} ${X`, `é|ü>f`} {
		w, err := Split(s, sh.Env)
		var qe QuoteError
		fmt.Printf("%-24s %q %v %t\n", s, w, err, errors.As(err, &qe))
	}
	for _, line := range []string{`echo hi | upper`, `echo "a b a" > f`, `count a < f`, `upper < f | count A`, `ll x`, `loop`, `echo |`, `| x`, `echo >`, `count < f`, `nope`, `echo "`, `echo $USER | nope2`} {
		out, err := sh.Run(line)
		fmt.Printf("%-22s %q %v\n", line, out, err)
	}
	fmt.Println(slices.Sorted(maps.Keys(sh.files)), sh.files["f"])
	defer func() { fmt.Println(recover()) }()
	sh.Run("")
}
