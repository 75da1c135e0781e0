package edit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const zed = `// Zed settings
{
  "theme": "One Dark", // at night
  /* servers */
  "context_servers": {
    // files of the project
    "fs": {
      "command": "npx", // from node
      "args": ["-y", "fs"],
    },
    // "old": {"command": "old"},
    "git": { "command": "git-mcp" } // the last
  },
  "vim_mode": true,
}
`

const codex = `model = "o3" # best
# servers below

[mcp_servers.fs]
command = "npx" # node
args = [
  "-y", # yes
  "fs",
]

[mcp_servers.fs.env]
A = "1"

# the repository
[mcp_servers.git]
command = "git-mcp"
# to be continued

[tui]
theme = "dark"
`

var entry = Entry{Name: "usetools", Value: json.RawMessage(`{"command":"harness","args":["serve"]}`)}

func TestSwapLeavesOneEntryAndEveryOtherByte(t *testing.T) {
	for _, test := range []struct {
		name      string
		syntax    Syntax
		text      string
		want      string
		first     string
		takenOut  []string
		wantNames []string
	}{
		{"json with comments", jsonSyntax{"context_servers"}, zed, `// Zed settings
{
  "theme": "One Dark", // at night
  /* servers */
  "context_servers": {
    // files of the project
    "usetools": {
      "command": "harness",
      "args": [
        "serve"
      ]
    }
    // "old": {"command": "old"},
    // the last
  },
  "vim_mode": true,
}
`, "fs", []string{"fs", "git"}, []string{"fs", "git"}},
		{"one line", jsonSyntax{"mcpServers"}, `{"a":1,"mcpServers":{"x":{"command":"x"},"y":{"url":"https://y"}},"b":[1,2]}`,
			"{\"a\":1,\"mcpServers\":{\"usetools\": {\n  \"command\": \"harness\",\n  \"args\": [\n    \"serve\"\n  ]\n} " +
				"},\"b\":[1,2]}", "x", []string{"x", "y"}, []string{"x", "y"}},
		{"no servers yet, tabs and CRLF", jsonSyntax{"mcpServers"}, "{\r\n\t\"a\": 1\r\n}\r\n",
			"{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"usetools\": {\r\n\t\t\t\"command\": " +
				"\"harness\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"serve\"\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}\r\n", "", nil, nil},
		{"an empty file", jsonSyntax{"servers"}, "",
			"{\n  \"servers\": {\n    \"usetools\": {\n      \"command\": \"harness\",\n      \"args\": [\n        " +
				"\"serve\"\n      ]\n    }\n  }\n}\n", "", nil, nil},
		{"toml", tomlSyntax{}, codex, `model = "o3" # best
# servers below

[mcp_servers.usetools]
args = ['serve']
command = 'harness'

# the repository
# to be continued

[tui]
theme = "dark"
`, "fs", []string{"fs", "git"}, []string{"fs", "git"}},
		{"toml without servers", tomlSyntax{}, "model = \"o3\"",
			"model = \"o3\"\n\n[mcp_servers.usetools]\nargs = ['serve']\ncommand = 'harness'\n", "", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, err := test.syntax.Entries([]byte(test.text))
			var names []string
			for _, e := range all {
				names = append(names, e.Name)
			}
			if err != nil || !cmp.Equal(names, test.wantNames) {
				t.Fatalf("entries %q, %v", names, err)
			}
			got, err := test.syntax.Put([]byte(test.text), entry, test.first)
			if err == nil {
				got, err = test.syntax.Remove(got, test.takenOut...)
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Error(diff)
			}
			// And back, also where something else was edited meanwhile.
			if back, ok := Back([]byte(test.text), got, got); !ok || string(back) != test.text {
				t.Errorf("back: %v\n%s", ok, back)
			}
			if test.text == "" {
				return
			}
			later := func(s string) []byte {
				if _, isTOML := test.syntax.(tomlSyntax); isTOML {
					return []byte("# later\n" + s)
				}
				return []byte("// later\n" + s)
			}
			if back, ok := Back([]byte(test.text), got, later(string(got))); ok && string(back) != string(later(test.text)) {
				t.Errorf("back after an edit:\n%s", back)
			} else if !ok {
				t.Error("not undone after an edit elsewhere")
			}
		})
	}
}

func TestEntriesAreTakenWithTheirComments(t *testing.T) {
	got, err := jsonSyntax{"context_servers"}.Entries([]byte(zed))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{"fs", json.RawMessage(`{"command":"npx","args":["-y","fs"]}`),
			"{\n  \"command\": \"npx\", // from node\n  \"args\": [\"-y\", \"fs\"],\n}"},
		{"git", json.RawMessage(`{"command":"git-mcp"}`), `{ "command": "git-mcp" }`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = tomlSyntax{}.Entries([]byte(codex))
	if err != nil {
		t.Fatal(err)
	}
	want = []Entry{
		{"fs", json.RawMessage(`{"args":["-y","fs"],"command":"npx","env":{"A":"1"}}`),
			"[mcp_servers.fs]\ncommand = \"npx\" # node\nargs = [\n  \"-y\", # yes\n  \"fs\",\n]\n\n[mcp_servers.fs.env]\nA " +
				"= \"1\"\n"},
		{"git", json.RawMessage(`{"command":"git-mcp"}`), "[mcp_servers.git]\ncommand = \"git-mcp\"\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEnableAndDisable(t *testing.T) {
	for _, test := range []struct{ syntax, text, off string }{
		{"json", "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\" // c\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"x\": {\n      \"disabled\": true,\n      \"command\": \"x\" // c\n    }\n  }\n}\n"},
		{"json", `{"mcpServers":{"x":{"command":"x"}}}`, `{"mcpServers":{"x":{"disabled": true, "command":"x"}}}`},
		{"toml", "[mcp_servers.x]\ncommand = \"x\"\n", "[mcp_servers.x]\nenabled = false\ncommand = \"x\"\n"},
	} {
		syntax := Of("config."+test.syntax, "mcpServers")
		off, err := syntax.Enable([]byte(test.text), "x", false)
		if err != nil || string(off) != test.off {
			t.Errorf("%v\n%s\nwant\n%s", err, off, test.off)
			continue
		}
		if again, err := syntax.Enable(off, "x", false); err != nil || string(again) != test.off {
			t.Errorf("twice: %v\n%s", err, again)
		}
		if on, err := syntax.Enable(off, "x", true); err != nil || string(on) != test.text {
			t.Errorf("on again: %v\n%s\nwant\n%s", err, on, test.text)
		}
		if _, err := syntax.Enable(off, "y", true); err == nil {
			t.Error("a server that is not there: no error")
		}
	}
}

func TestRemoveTakesTheCommaThatIsNotNeeded(t *testing.T) {
	for text, want := range map[string]string{
		`{"s":{"a":1,"b":2,"c":3}}`:                      `{"s":{"a":1,"c":3}}`,
		"{\"s\":{\"a\":1,\n\"b\":2}}":                    "{\"s\":{\"a\":1\n}}",
		"{\"s\":{\n\"a\":1,\n\"b\":2,\n}}":               "{\"s\":{\n\"a\":1,\n}}",
		"{\"s\":{\"b\":2}}":                              `{"s":{}}`,
		"{\"s\":{\"b\":2 /* two */, \"a\":1 /* one */}}": `{"s":{/* two */ "a":1 /* one */}}`,
	} {
		got, err := jsonSyntax{"s"}.Remove([]byte(text), "b")
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// FuzzEdits: an entry that is put in is there and the others stay as they were;
// taken out, it is gone.
func FuzzEdits(f *testing.F) {
	f.Add([]byte(zed), false)
	f.Add([]byte(codex), true)
	f.Add([]byte(`{"context_servers":{}}`), false)
	f.Add([]byte("[mcp_servers]\nx = {command = 'x'}\nmcp_servers.y.command = 'y'\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, isTOML bool) {
		var syntax Syntax = jsonSyntax{"context_servers"}
		if isTOML {
			syntax = tomlSyntax{}
		}
		was, err := syntax.Entries(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, e := range was {
			if seen[e.Name] || e.Name == entry.Name {
				return // the file itself is ambiguous
			}
			seen[e.Name] = true
		}
		before := ""
		if len(was) > 0 {
			before = was[0].Name
		}
		put, err := syntax.Put(text, entry, before)
		if err != nil {
			return
		}
		is, err := syntax.Entries(put)
		if err != nil {
			t.Fatalf("%v in\n%s", err, put)
		}
		if len(is) != len(was)+1 || find(is, entry.Name) < 0 {
			t.Fatalf("put: %d entries, want %d, in\n%s", len(is), len(was)+1, put)
		}
		for _, e := range was {
			if i := find(is, e.Name); i < 0 || string(is[i].Value) != string(e.Value) {
				t.Fatalf("%q is another one in\n%s", e.Name, put)
			}
		}
		removed, err := syntax.Remove(put, entry.Name)
		if err != nil {
			t.Fatal(err)
		}
		if left, err := syntax.Entries(removed); err != nil || len(left) != len(was) {
			t.Fatalf("removed: %d entries, %v, in\n%s", len(left), err, removed)
		}
	})
}
