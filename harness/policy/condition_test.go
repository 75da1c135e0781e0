package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry"
)

// holds answers a condition of a call of mail.send.
func holds(t *testing.T, condition, args string) (bool, error) {
	t.Helper()
	c, err := ParseCondition(condition)
	if err != nil {
		t.Fatal(err)
	}
	values := registry.ReadArgs([]byte(args))
	if values.Err() != nil {
		return false, values.Err()
	}
	return c.Holds("mail.send", values.Tree(), nil)
}

func TestConditionsSeeTheArgumentsOfACall(t *testing.T) {
	for _, tc := range []struct {
		condition, args string
		want            bool
		err             string // is part of it
	}{
		{`not (to endsWith "@example.com")`, `{"to": "a@example.com"}`, false, ""},
		{`not (to endsWith "@example.com")`, `{"to": "a@example.org"}`, true, ""},
		{`to not endsWith "@example.com"`, `{"to": "a@example.org"}`, true, ""},
		{`to endsWith "@example.com"`, `{}`, false, "endsWith wants a text, and to is nil"},
		{`to endsWith "@example.com"`, `{"to": ["a@example.com"]}`, false, "and to is a list"},
		{`all(to, # endsWith "@example.com")`, `{"to": ["a@example.com", "b@example.com"]}`, true, ""},
		{`all(to, # endsWith "@example.com")`, `{"to": ["a@example.com", 5]}`, false, "and # is a number"},
		{`any(to, not (lower(#) endsWith "@example.com"))`, `{"to": ["A@EXAMPLE.COM"]}`, false, ""},
		{`tool == "mail.send"`, `{"tool": "other"}`, true, ""},
		{`args.tool == "other" and args["content-type"] == "a"`, `{"tool": "other", "content-type": "a"}`, true, ""},
		{`cc != nil`, `{}`, false, ""},
		{`cc == nil or len(cc) == 0`, `{"cc": []}`, true, ""},
		{`len(name) == 3`, `{"name": "äöü"}`, true, ""},
		{`(amount ?? 0) > 5`, `{}`, false, ""},
		{`a?.b?.c == nil`, `{}`, true, ""},
		{`a.b.c == nil`, `{}`, false, "a is nil, which has no members"},
		{`a.b == nil`, `{"a": {}}`, true, ""},
		{`list[0] == 1 and list[-1] == 3`, `{"list": [1, 2, 3]}`, true, ""},
		{`list[3] == 1`, `{"list": [1, 2, 3]}`, false, "no such element"},

		{`amount > 9007199254740992`, `{"amount": 9007199254740993}`, true, ""},
		{`amount == 9007199254740993.0`, `{"amount": 9007199254740992}`, false, ""},
		{`amount > 100`, `{"amount": 18446744073709551615}`, true, ""},
		{`amount > 100`, `{"amount": 1e300}`, true, ""},
		{`amount > 100`, `{"amount": 1e3000}`, false, "more than 400 digits"},
		{`amount > 100`, `{"amount": 1e-99999999999999999999}`, false, "more than 400 digits"},
		{`amount == 0.1`, `{"amount": 0.10}`, true, ""},
		{`amount == 0.1`, `{"amount": 0.1000000000000000000001}`, false, ""},
		{`price * quantity > 1000`, `{"price": 4611686018427387904, "quantity": 4}`, true, ""},
		{`amount + 0.2 == 0.3`, `{"amount": 0.1}`, true, ""},
		{`amount / 0 > 1`, `{"amount": 1}`, false, "division by zero: 0 is 0"},
		{`amount % 2 == 1`, `{"amount": 3}`, true, ""},
		{`-amount < -1_000`, `{"amount": 1001}`, true, ""},
		{`1 < amount < 3`, `{"amount": 2}`, true, ""},
		{`amount > 100`, `{"amount": "500"}`, false, "cannot compare a text with a number"},
		{`float(amount) > 100`, `{"amount": "500"}`, true, ""},
		{`float(amount) > 100`, `{"amount": "much"}`, false, "a text is not a number"},
		{`amount > 100`, `{}`, false, "> wants numbers or texts, and amount is nil"},
		{`amount in [1, 2]`, `{"amount": 2.0}`, true, ""},
		{`amount in [1, 2]`, `{"amount": "2"}`, false, "cannot compare a text with a number"},
		{`role not in ["admin", "owner"]`, `{"role": "user"}`, true, ""},
		{`role in roles`, `{"role": "user"}`, false, "in wants a list or an object, and roles is nil"},
		{`"x" in args`, `{"x": null}`, true, ""},
		{`path matches "^/(etc|root)/"`, `{"path": "/etc/passwd"}`, true, ""},
		{`sum(items, .price) > 5`, `{"items": [{"price": 2}, {"price": 3.5}]}`, true, ""},
		{`items | filter(.n > 1) | len() == 1`, `{"items": [{"n": 1}, {"n": 2}]}`, true, ""},
		{`count(items, # == 1) == 2 and one(items, # == 2) and none(items, # == 3)`, `{"items": [1, 2, 1]}`, true, ""},
		{`map(items, #index) == [0, 1]`, `{"items": ["a", "b"]}`, true, ""},
		{`"b" in keys(o) and 1 in values(o)`, `{"o": {"a": 1, "b": 2}}`, true, ""},
		{`split(to, "@")[1] == "example.com"`, `{"to": "a@example.com"}`, true, ""},
		{`dry ? false : amount > 1`, `{"dry": false, "amount": 2}`, true, ""},
		{`force`, `{"force": true}`, true, ""},
		{`force`, `{"force": "yes"}`, false, "its value is a text"},
		{`not force`, `{}`, false, "not wants true or false, and force is nil"},
		{`x == y`, `{"x": {"a": [1, 2.0]}, "y": {"a": [1.0, 2]}}`, true, ""},
	} {
		got, err := holds(t, tc.condition, tc.args)
		switch {
		case err == nil && tc.err != "" || err != nil && (tc.err == "" || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%s of %s: error %v, want %q", tc.condition, tc.args, err, tc.err)
		case got != tc.want:
			t.Errorf("%s of %s: %v", tc.condition, tc.args, got)
		}
	}
}

func TestAConditionThatCannotBeMeantIsNoCondition(t *testing.T) {
	for text, want := range map[string]string{
		``:                         "the condition is empty",
		`to not in @example.com`:   "at character 11 of to not in @example.com",
		`to = "x"`:                 "at character 4",
		`not to endsWith "x"`:      "not binds more closely than endsWith; want parentheses: not (… endsWith …)",
		`not a == b`:               "want parentheses",
		`now() > 5`:                "function now cannot be used here",
		`random(to)`:               "unknown function random",
		`to + "x" == "y"`:          `+ wants a number, and "x" is a text`,
		`"yes"`:                    "its value is a text; want true or false",
		`len(to)`:                  "its value is a number",
		`to matches from`:          "matches wants its pattern in quotes, not from",
		`to matches "("`:           "missing closing )",
		`to contains 5`:            "contains wants a text, and 5 is a number",
		`let x = 1; x > 0`:         "want one expression",
		`to.lower() == "x"`:        "only functions can be called",
		`$env.x == 1`:              "unknown name $env",
		`any(to, #acc == 1)`:       "unknown name #acc",
		`x in 1..5`:                "conditions do not support the operator ..",
		`x ** 2 > 4`:               "conditions do not support the operator **",
		`o == {"a": 1}`:            "conditions do not support ",
		`to[0:2] == "x"`:           "conditions do not support ",
		`x in "abc"`:               `in wants a list or an object, and "abc" is a text`,
		`reduce(to, #acc + #) > 1`: "function reduce cannot be used here",
		`all(to, 5)`:               "all wants true or false, and 5 is a number",
		`trim(to, "x") == "y"`:     "trim has 2 arguments, wants 1",
		`x > 99999999999999999999`: "invalid integer literal",
		strings.Repeat("a ", 5000): "the limit is 4096",
		strings.Repeat("a == b and ", 200) + "a == b": "maximum allowed nodes",
	} {
		c, err := ParseCondition(text)
		if err == nil {
			t.Errorf("%.60q is read as %s", text, c.root)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// Arguments are what a script chose: none may keep the harness busy.
func TestNoArgumentsKeepAConditionBusy(t *testing.T) {
	if testing.Short() {
		t.Skip("computes as much as a condition may, in one goroutine")
	}
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	many := func(n int, what string) string {
		return `[` + strings.TrimSuffix(strings.Repeat(what+",", n), ",") + `]`
	}
	for condition, args := range map[string]string{
		`any(a, any(b, # == 2))`:                  `{"a": ` + many(50_000, "1") + `, "b": ` + many(50_000, "1") + `}`,
		`any(a, # in b)`:                          `{"a": ` + many(50_000, "1") + `, "b": ` + many(50_000, "3") + `}`,
		`any(a, lower(b) contains #)`:             `{"a": ` + many(50_000, `"q"`) + `, "b": ` + long(1<<20) + `}`,
		`any(a, b matches "(a|x)*(x|y)*z{1,50}")`: `{"a": ` + many(50_000, `"q"`) + `, "b": ` + long(1<<20) + `}`,
		`any(a, split(b, "")[0] == #)`:            `{"a": ` + many(50_000, `"q"`) + `, "b": ` + long(1<<20) + `}`,
		`sum(a) > 0`:                              `{"a": ` + many(300_000, `1e400`) + `}`,
	} {
		if _, err := holds(t, condition, args); err != errSteps {
			t.Errorf("%s: %v", condition, err)
		}
	}
}

func FuzzConditions(f *testing.F) {
	for _, s := range []string{`not (to endsWith "@example.com")`, `amount * 1.5 > 9007199254740993`, `any(to, # in args.cc)`,
		`a?.b[0] ?? 1 == 2`, `x matches "a{1,9}" ? split(x, "")[0] == "a" : none(keys(args), # == "x")`, `sum(map(l, .n)) % 2 in [0]`} {
		f.Add(s, `{"to": "a@b", "amount": 1e5, "a": {"b": [1]}, "l": [{"n": 1}], "x": "aa"}`)
	}
	f.Fuzz(func(t *testing.T, text, args string) {
		c, err := ParseCondition(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without a word")
			}
			return
		}
		read := registry.ReadArgs([]byte(args))
		if read.Err() != nil {
			return
		}
		values := read.Tree()
		before, _ := json.Marshal(values)
		one, err1 := c.Holds("s.t", values, nil)
		two, err2 := c.Holds("s.t", values, nil)
		if one != two || (err1 == nil) != (err2 == nil) || err1 != nil && (one || err1.Error() != err2.Error()) {
			t.Errorf("%s of %s: %v, %v and %v, %v", text, args, one, err1, two, err2)
		}
		if after, _ := json.Marshal(values); string(after) != string(before) {
			t.Errorf("%s changed the arguments %s to %s", text, before, after)
		}
	})
}

func TestConditionsAskWhereValuesComeFrom(t *testing.T) {
	for condition, want := range map[string]bool{
		"late": true, "explained": false, "planned": false, "foreign(to)": true, "late and not explained": true, "foreign(args)": true,
		"args.late == nil": true, `any(["a"], foreign(#))`: true,
	} {
		c, err := ParseCondition(condition)
		if err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if c.UsesFlow() != !strings.Contains(condition, "args.late") {
			t.Errorf("%s: UsesFlow is %t", condition, c.UsesFlow())
		}
		if got, err := c.Holds("mail.send", map[string]any{"to": "x"}, nil); got != want || err != nil { // nothing is known
			t.Errorf("%s: %t, %v", condition, got, err)
		}
	}
	for condition, want := range map[string]string{
		"foreign()": "has 0 arguments, wants 1", "foreign(late)": "", "lately(x)": "foreign", "late.x": "",
	} {
		if _, err := ParseCondition(condition); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", condition, err)
		}
	}
}
