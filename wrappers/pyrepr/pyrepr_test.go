package pyrepr

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

var pythonTests = []struct{ text, want string }{ // want "" means refused
	{`[{'a': None, 'b': True, 'c': False}]`, `[{"a":null,"b":true,"c":false}]`},
	{` {'it\'s': "it's", "q": 'a "b"'} ` + "\n", `{"it's":"it's","q":"a \"b\""}`},
	{`(1, -2, 1.5, 1e-05, -0.0, 1e+16, 123456789012345678901)`, `[1,-2,1.5,1e-05,-0.0,1e+16,123456789012345678901]`},
	{`[(), (1,), [], {}, ((2, 3),)]`, `[[],[1],[],{},[[2,3]]]`},
	{`{5: 'int', 2.5: 'float', True: 'bool', None: 'none', -3: [0]}`,
		`{"5":"int","2.5":"float","true":"bool","null":"none","-3":[0]}`},
	{`['\n\t\r\\\'\"\a\b\f\v', '\x41\xe9\u20ac\U0001f600\101\0', 'é€😀']`,
		`["\u000a\u0009\u000d\\'\"\u0007\u0008\u000c\u000b","Aé€😀A\u0000","é€😀"]`},
	{`['\ud83d\ude00']`, `["\ud83d\ude00"]`},
	{`['<a href="x">&']`, `["<a href=\"x\">&"]`},
	{"[1,\n  2,\n]", `[1,2]`},
	{`[-0]`, `[0]`},

	{``, ``},
	{`None`, ``},
	{`'text'`, ``},
	{`[INFO] started`, ``},
	{`(none)`, ``},
	{`(1)`, ``},
	{`[1`, ``},
	{`[1]]`, ``},
	{`[1] and more`, ``},
	{`[,]`, ``},
	{`[1 2]`, ``},
	{`{1, 2}`, ``},
	{`{'a': 1, 'b'}`, ``},
	{`{(1, 2): 3}`, ``},
	{`{'at': datetime.datetime(2026, 1, 2)}`, ``},
	{`[b'bytes']`, ``},
	{`[r'\d']`, ``},
	{`['''three''']`, ``},
	{`['a' 'b']`, ``},
	{`[inf, nan]`, ``},
	{`[-inf]`, ``},
	{`[1e999]`, ``},
	{`[1_000]`, ``},
	{`[0x1f]`, ``},
	{`[007]`, ``},
	{`[+1]`, ``},
	{`[1.]`, ``},
	{`[1j]`, ``},
	{`[1+2]`, ``},
	{`[-True]`, ``},
	{`[true]`, ``},
	{`[null]`, ``},
	{`[...]`, ``},
	{`[<object at 0x7f>]`, ``},
	{"['a\nb']", ``},
	{`['\d']`, ``},
	{`['\x4']`, ``},
	{`['\x4g']`, ``},
	{`['\u+123']`, ``},
	{`['\U00110000']`, ``},
	{`['\N{BULLET}']`, ``},
	{`['open`, ``},
	{`['open\`, ``},
	{"['\xff']", ``},
}

func TestPythonLiterals(t *testing.T) {
	for _, c := range pythonTests {
		got, ok := JSON(c.text)
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", c.text, got, ok, c.want)
		}
	}
}

func TestPythonIsBounded(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"deep", nested(maxDepth + 1), true},
		{"too deep", nested(maxDepth + 2), false},
		{"far too deep", strings.Repeat("[", maxText), false},
		{"long", "['" + strings.Repeat("x", maxText-4) + "']", true},
		{"too long", "['" + strings.Repeat("x", maxText) + "']", false},
	} {
		if _, ok := JSON(c.text); ok != c.ok {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
}

// TestPythonMeansWhatPythonDoes asks Python for the JSON of what is accepted.
func TestPythonMeansWhatPythonDoes(t *testing.T) {
	bin, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here to compare with")
	}
	var texts []string
	for _, c := range pythonTests {
		if c.want != "" {
			texts = append(texts, c.text)
		}
	}
	cmd := exec.CommandContext(t.Context(), bin, "-c",
		"import ast, json, sys\nfor t in json.load(sys.stdin.buffer): print(json.dumps(ast.literal_eval(t.strip())))")
	stdin, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(lines), len(texts))
	}
	for i, text := range texts {
		got, _ := JSON(text)
		if a, b := decoded(t, got), decoded(t, lines[i]); a != b {
			t.Errorf("%s\ngot    %s\nPython %s", text, a, b)
		}
	}
}

// decoded writes JSON again in one way, as far as it means the same.
func decoded(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func FuzzJSON(f *testing.F) {
	for _, c := range pythonTests {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, ok := JSON(text)
		if !ok {
			return
		}
		d := json.NewDecoder(bytes.NewReader(out))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil || d.More() {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		switch v.(type) {
		case []any, map[string]any:
		default:
			t.Fatalf("%q became %q", text, out)
		}
	})
}
