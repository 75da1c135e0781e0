// A rules engine: JSON rules decoded into closures, facts as any, conflict resolution, explanations, recovery.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

type Facts map[string]any

type Cond func(Facts) (bool, error)

type Rule struct {
	Name     string   `json:"name"`
	Salience int      `json:"salience,omitempty"`
	When     Expr     `json:"when"`
	Then     []Action `json:"then"`
}

type Expr struct {
	Cond
	src string
}

type Action struct {
	Set string  `json:"set"`
	To  any     `json:"to,omitempty"`
	Mul float64 `json:"mul,omitempty"`
}

type OpError struct{ Op string }

func (o OpError) Error() string { return "unknown operator " + o.Op }

var errMissing = errors.New("missing fact")

func (e *Expr) UnmarshalJSON(b []byte) (err error) {
	e.src = string(b)
	var obj map[string]json.RawMessage
	if err = json.Unmarshal(b, &obj); err != nil {
		return fmt.Errorf("expr: %w", err)
	}
	for op, raw := range obj {
		switch op {
		case "all", "any":
			var subs []Expr
			if err = json.Unmarshal(raw, &subs); err != nil {
				return
			}
			want := op == "any"
			e.Cond = func(f Facts) (bool, error) {
				for _, s := range subs {
					if ok, err := s.Cond(f); err != nil || ok == want {
						return ok, err
					}
				}
				return !want, nil
			}
		case "not":
			var sub Expr
			err = json.Unmarshal(raw, &sub)
			e.Cond = func(f Facts) (bool, error) { ok, err := sub.Cond(f); return !ok, err }
		case "eq", "gt", "in":
			var args []any
			if err = json.Unmarshal(raw, &args); err != nil {
				return
			}
			name := args[0].(string)
			e.Cond = func(f Facts) (ok bool, err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("%s %s: %v", op, name, r)
					}
				}()
				v, found := f[name]
				if !found {
					return false, fmt.Errorf("%s: %w", name, errMissing)
				}
				switch op {
				case "eq":
					return v == args[1], nil
				case "gt":
					return v.(float64) > args[1].(float64), nil
				}
				return slices.Contains(args[1].([]any), v), nil
			}
		default:
			return OpError{op}
		}
	}
	return
}

func (a Action) Apply(f Facts) (change string) {
	old := f[a.Set]
	defer func() { change = fmt.Sprintf("%s: %v→%v", a.Set, old, f[a.Set]) }()
	if a.Mul != 0 {
		n, _ := old.(float64)
		f[a.Set] = n * a.Mul
		return
	}
	f[a.Set] = a.To
	return "never seen"
}

func Run(rules []Rule, f Facts, limit int) (trace []string, err error) {
	rules = slices.SortedStableFunc(slices.Values(rules), func(a, b Rule) int { return cmp.Compare(b.Salience, a.Salience) })
	fired := map[string]bool{}
again:
	for range limit {
		for _, r := range rules {
			if fired[r.Name] {
				continue
			}
			ok, e := r.When.Cond(f)
			if e != nil {
				err = errors.Join(err, fmt.Errorf("rule %s: %w", r.Name, e))
				fired[r.Name] = true
				continue
			}
			if ok {
				fired[r.Name] = true
				var cs []string
				for _, a := range r.Then {
					cs = append(cs, a.Apply(f))
				}
				trace = append(trace, r.Name+"{"+strings.Join(cs, ", ")+"}")
				continue again
			}
		}
		return
	}
	return trace, errors.Join(err, fmt.Errorf("stopped after %d", limit))
}

func main() {
	var rules []Rule
	err := json.Unmarshal([]byte(`[
	{"name":"bulk","when":{"gt":["qty",9]},"then":[{"set":"price","mul":0.9}]},
	{"name":"vip","salience":10,"when":{"any":[{"eq":["tier","gold"]},{"in":["country",["NO","IS"]]}]},"then":[{"set":"discount","to":true},{"set":"price","mul":0.5}]},
	{"name":"chain","when":{"all":[{"eq":["discount",true]},{"not":{"gt":["price",100]}}]},"then":[{"set":"note","to":["cheap",1]}]},
	{"name":"broken","salience":-1,"when":{"gt":["tier",1]},"then":[]},
	{"name":"absent","when":{"eq":["ghost",1]},"then":[]}]`), &rules)
	fmt.Println(len(rules), err, rules[0].When.src)
	for _, f := range []Facts{{"qty": 10.0, "price": 200.0, "tier": "gold", "country": "DE"}, {"qty": 1.0, "price": 300.0, "tier": "x", "country": "NO"}, {"price": 1}} {
		trace, err := Run(rules, f, 5)
		fmt.Println(strings.Join(trace, " "))
		fmt.Println(" ", f)
		fmt.Println(" ", strings.ReplaceAll(fmt.Sprint(err), "\n", " / "), errors.Is(err, errMissing))
	}
	fmt.Println(Run(rules, Facts{"qty": 99.0, "price": 1.0, "tier": "gold", "country": "", "ghost": 1.0}, 1))
	for _, bad := range []string{`{"when":{"xor":[]}}`, `{"when":{"all":[{"nor":1}]}}`, `{"when":5}`, `{"when":{"eq":"x"}}`} {
		var r Rule
		err := json.Unmarshal([]byte(bad), &r)
		var oe OpError
		fmt.Println(err, errors.As(err, &oe), oe.Op)
	}
}
