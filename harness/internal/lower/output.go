package lower

import (
	"go/types"
	"strings"
)

// The text of a function while it is emitted. A call is a statement of its own,
// with a variable for its result, which costs about as much as a quarter of the
// call: each variable of a function is allocated when it is called. So the last
// calls are held back, and go into the statement that follows where that means
// the same:
//
//	var t_1 int = f_fib_2(n_3 - 1)
//	var t_4 int = f_fib_2(n_3 - 2)
//	return t_1 + t_4                    return f_fib_2(n_3-1) + f_fib_2(n_3-2)
//
// It does when all else in the statement is numbers, sums and names of variables
// that no call can change, when the calls stand in the order in which they were
// written, and when their results are of basic types, which are copied. A new
// variable takes any result, if that is all that it gets.
type output struct {
	text  strings.Builder
	calls []heldCall
}

// A heldCall is a call that has not been written.
type heldCall struct {
	name string // of its result
	set  string // the statement that it is otherwise
	text string
	typ  string // of the result
	// basic: the result is copied where it is used, and can be an operand.
	// lifted: the callee is a function of the lowered program.
	basic, lifted bool
}

func (o *output) WriteString(s string) {
	if s != "" {
		o.flush()
		o.text.WriteString(s)
	}
}

func (o *output) String() string {
	o.flush()
	return o.text.String()
}

func (o *output) flush() {
	for _, c := range o.calls {
		o.text.WriteString(c.set)
	}
	o.calls = o.calls[:0]
}

// hoistCall is hoist for a call.
func (f *fn) hoistCall(c called, typ string) string {
	_, basic := c.results.At(0).Type().Underlying().(*types.Basic)
	before, text := split(bare(c.text))
	if before != "" {
		f.out.WriteString(before)
	} else if i := strings.IndexByte(text, '('); c.lifted && strings.HasSuffix(text, ")") {
		text = text[:i+1] + f.takeOperands(text[i+1:len(text)-1], true) + ")"
	}
	name, set := f.temp(typ, text)
	f.out.calls = append(f.out.calls, heldCall{name, set, text, typ, basic, c.lifted})
	return name
}

// takeCalls puts calls that are held back into a statement.
func (f *fn) takeCalls(text string) string {
	if len(f.out.calls) == 0 || strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		return text
	}
	line := text[:len(text)-1]
	if x, ok := strings.CutPrefix(line, "return "); ok && !isName(x) { // one name: see tailCall
		return "return " + f.takeOperands(x, false) + "\n"
	}
	left, x, ok := strings.Cut(line, " = ")
	if !ok {
		left, x, ok = strings.Cut(line, " += ")
	}
	declared, isNew := strings.CutPrefix(left, "var ")
	switch {
	case !ok || !isNew && !f.own[left]:
		return text
	case isName(x):
		return f.takeResult(text, left, x, declared, isNew)
	}
	return line[:len(line)-len(x)] + f.takeOperands(x, false) + "\n"
}

// takeResult puts the last call, if x is its result, into an assignment to
// left, or to what is declared.
func (f *fn) takeResult(text, left, x, declared string, isNew bool) string {
	last := len(f.out.calls) - 1
	c := f.out.calls[last]
	_, typ, _ := strings.Cut(declared, " ")
	switch {
	case c.name != x:
		return text
	case isNew && typ != c.typ: // the interpreter is to convert it
		return text
	case !isNew && (!c.basic || !c.lifted):
		return text
	}
	f.out.calls = f.out.calls[:last]
	return strings.TrimSuffix(text, x+"\n") + c.text + "\n"
}

// takeOperands puts calls that are held back into an expression, or a list of
// them.
func (f *fn) takeOperands(x string, list bool) string {
	calls := f.out.calls
	where, ok := f.ownNames(x, list)
	if !ok {
		return x
	}
	end := len(x)
	n := len(calls)
	for n > 0 {
		at := where[calls[n-1].name]
		if len(at) != 1 || at[0] >= end || !calls[n-1].basic {
			break
		}
		n--
		x = x[:at[0]] + calls[n].text + x[at[0]+len(calls[n].name):]
		end = at[0]
	}
	f.out.calls = calls[:n]
	return x
}

// ownNames finds the names in a text that has nothing in it but numbers, sums,
// products and variables that only this function can change.
func (f *fn) ownNames(x string, list bool) (where map[string][]int, ok bool) {
	where = map[string][]int{}
	operand := false // one has just ended
	for i := 0; i < len(x); i++ {
		switch c := x[i]; {
		case isLetter(c):
			end := i
			for end < len(x) && isLetter(x[end]) {
				end++
			}
			name := x[i:end]
			if !isNumber(name) && !f.own[name] {
				return nil, false
			}
			where[name] = append(where[name], i)
			i, operand = end-1, true
		case c == ' ':
		case c == '(':
			if operand {
				return nil, false
			}
		case c == ')':
		case c == '+' || c == '-' || c == '*' || c == ',' && list:
			if !operand {
				return nil, false
			}
			operand = false
		default:
			return nil, false
		}
	}
	return where, true
}

func isLetter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
