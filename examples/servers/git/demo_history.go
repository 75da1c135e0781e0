package main

import "github.com/go-git/go-git/v5/plumbing/object"

var demoAuthors = map[string]object.Signature{
	"mara":  {Name: "Mara Lindqvist", Email: "mara@example.org"},
	"tomas": {Name: "Tomas Okafor", Email: "tomas@example.org"},
	"yuki":  {Name: "Yuki Tanaka", Email: "yuki@example.org"},
}

// demoStep is one commit of the demonstration's history.
type demoStep struct {
	hoursAgo int
	author   string
	on       string // branch; main when empty
	merges   string // branch that becomes the second parent
	message  string
	tagged   bool
	changes  []demoChange
}

func (s demoStep) branch() string {
	if s.on == "" {
		return "main"
	}
	return s.on
}

// demoChange writes new to path; where old is given, it stands in for old in
// the file; where from is given, that file is moved to path instead.
type demoChange struct{ path, old, new, from string }

// demoHistory is the program of a tea house's timer. A merge repeats the
// changes of the branch it merges.
var demoHistory = []demoStep{
	{hoursAgo: 35 * 24, author: "mara", message: "Say what the timer is for", changes: []demoChange{
		{path: "README.md", new: "# steep\n\nA timer for tea.\n"},
		{path: ".gitignore", new: "/steep\n"},
	}},
	{hoursAgo: 34*24 - 3, author: "mara", message: "Start with a fixed time", changes: []demoChange{
		{path: "main.go", new: "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc main() {\n\ttime.Sleep(3 * " +
			"time.Minute)\n\tfmt.Println(\"ready\")\n}\n"},
		{path: "go.mod", new: "module example.org/steep\n\ngo 1.26\n"},
	}},
	{hoursAgo: 31 * 24, author: "tomas", message: "Know the usual teas", changes: []demoChange{
		{path: "teas.go", new: "package main\n\nimport \"time\"\n\nvar teas = map[string]time.Duration{\n\t\"green\": 2 * " +
			"time.Minute,\n\t\"black\": 4 * time.Minute,\n}\n"},
	}},
	{hoursAgo: 29*24 + 5, author: "tomas",
		message: "Take the tea from the command line\n\nWithout a name it stays with three minutes.", changes: []demoChange{
			{path: "main.go", old: "\t\"fmt\"\n\t\"time\"\n", new: "\t\"fmt\"\n\t\"os\"\n\t\"time\"\n"},
			{path: "main.go", old: "\ttime.Sleep(3 * time.Minute)\n",
				new: "\td := 3 * time.Minute\n\tif len(os.Args) > 1 {\n\t\td = teas[os.Args[1]]\n\t}\n\ttime.Sleep(d)\n"},
		}},
	{hoursAgo: 26*24 + 2, author: "yuki", message: "Steep sencha shorter than other greens", changes: []demoChange{
		{path: "teas.go", old: "\t\"black\":", new: "\t\"sencha\": 90 * time.Second,\n\t\"black\":"},
	}},
	{hoursAgo: 24 * 24, author: "yuki", message: "Refuse teas that nobody knows", changes: []demoChange{
		{path: "main.go", old: "\t\td = teas[os.Args[1]]\n",
			new: "\t\tknown := false\n\t\tif d, known = teas[os.Args[1]]; !known {\n\t\t\tfmt.Fprintln(os.Stderr, \"no such " +
				"tea:\", os.Args[1])\n\t\t\tos.Exit(1)\n\t\t}\n"},
	}},
	{hoursAgo: 22*24 - 4, author: "mara", message: "Explain how to call it", changes: []demoChange{
		{path: "README.md", old: "A timer for tea.\n", new: "A timer for tea.\n\n    steep sencha\n"},
	}},
	{hoursAgo: 20 * 24, author: "tomas", on: "countdown", message: "Show the time that is left", changes: []demoChange{
		{path: "countdown.go", new: "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc countdown(d " +
			"time.Duration) {\n\tfor ; d > 0; d -= time.Second {\n\t\tfmt.Printf(\"\\r%v \", " +
			"d)\n\t\ttime.Sleep(time.Second)\n\t}\n}\n"},
	}},
	{hoursAgo: 19*24 - 2, author: "tomas", on: "countdown", message: "Count down instead of sleeping",
		changes: []demoChange{
			{path: "main.go", old: "\ttime.Sleep(d)\n", new: "\tcountdown(d)\n"},
		}},
	{hoursAgo: 18*24 + 7, author: "yuki", message: "Add oolong and white tea", changes: []demoChange{
		{path: "teas.go", old: "\t\"black\":",
			new: "\t\"oolong\": 3 * time.Minute,\n\t\"white\": 5 * time.Minute,\n\t\"black\":"},
	}},
	{hoursAgo: 17 * 24, author: "mara", merges: "countdown", message: "Merge branch 'countdown'", changes: []demoChange{
		{path: "countdown.go", new: "package main\n\nimport (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc countdown(d " +
			"time.Duration) {\n\tfor ; d > 0; d -= time.Second {\n\t\tfmt.Printf(\"\\r%v \", " +
			"d)\n\t\ttime.Sleep(time.Second)\n\t}\n}\n"},
		{path: "main.go", old: "\ttime.Sleep(d)\n", new: "\tcountdown(d)\n"},
	}},
	{hoursAgo: 14*24 + 3, author: "mara", message: "Test that every tea has a time", changes: []demoChange{
		{path: "teas_test.go", new: "package main\n\nimport \"testing\"\n\nfunc TestEveryTeaHasATime(t *testing.T) " +
			"{\n\tfor name, d := range teas {\n\t\tif d <= 0 {\n\t\t\tt.Errorf(\"%s: %v\", name, d)\n\t\t}\n\t}\n}\n"},
	}},
	{hoursAgo: 13 * 24, author: "yuki", message: "Call the table leaves: herbs are no tea", changes: []demoChange{
		{path: "leaves.go", from: "teas.go"},
		{path: "leaves_test.go", from: "teas_test.go"},
	}},
	{hoursAgo: 11*24 - 5, author: "tomas", message: "End the countdown on a line of its own", changes: []demoChange{
		{path: "countdown.go", old: "\t\ttime.Sleep(time.Second)\n\t}\n",
			new: "\t\ttime.Sleep(time.Second)\n\t}\n\tfmt.Println()\n"},
	}},
	{hoursAgo: 9*24 + 1, author: "mara", message: "Write down what changed for 0.1", tagged: true, changes: []demoChange{
		{path: "CHANGES.md", new: "# Changes\n\n## 0.1.0\n\n* seven teas\n* a countdown\n"},
	}},
	{hoursAgo: 6*24 + 8, author: "yuki", message: "List the teas when asked for an unknown one", changes: []demoChange{
		{path: "main.go", old: "\t\t\tos.Exit(1)\n",
			new: "\t\t\tfor name := range teas {\n\t\t\t\tfmt.Fprintln(os.Stderr, \" \", name)\n\t\t\t}\n\t\t\tos.Exit(1)\n"},
	}},
	{hoursAgo: 5 * 24, author: "tomas", on: "sound", message: "Ring the bell at the end", changes: []demoChange{
		{path: "main.go", old: "fmt.Println(\"ready\")", new: "fmt.Println(\"ready\\a\")"},
	}},
	{hoursAgo: 3*24 + 6, author: "yuki", message: "List them in order", changes: []demoChange{
		{path: "main.go", old: "\t\t\tfor name := range teas {\n",
			new: "\t\t\tfor _, name := range slices.Sorted(maps.Keys(teas)) {\n"},
		{path: "main.go", old: "\t\"fmt\"\n\t\"os\"\n", new: "\t\"fmt\"\n\t\"maps\"\n\t\"os\"\n\t\"slices\"\n"},
	}},
	{hoursAgo: 2*24 - 1, author: "tomas", message: "Correct the number of teas", changes: []demoChange{
		{path: "CHANGES.md", old: "* seven teas\n", new: "* five teas\n"},
	}},
	{hoursAgo: 20, author: "mara", message: "Mention the list of teas", changes: []demoChange{
		{path: "README.md", old: "    steep sencha\n",
			new: "    steep sencha\n\nA tea that it does not know makes it list those that it does.\n"},
	}},
}
