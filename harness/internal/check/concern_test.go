package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFaultsSayWhatTheyAreAbout: each fault that is about a server, as code
// package.name.member.
func TestFaultsSayWhatTheyAreAbout(t *testing.T) {
	for script, want := range map[string][]string{
		"fmt.Println(totl)": {"undefined totl"},
		"import \"servers/quays\"\nquays.List(quays.ListParams{}); quays.Close()":                               {"no_server quays", "no_server quays.List", "no_server quays.Close"},
		"import \"servers/quays\"\nquays.List(quays.ListInput{A: 1})":                                           {"no_server quays", "no_server quays.List"},
		"quays.List(quays.ListParams{}); quays.Close()":                                                         {"no_server quays.List"},
		"var x []quays.Quay\n_ = x":                                                                             {"no_server quays.Quay"},
		"fmt.Println(quays.Size)":                                                                               {"undefined quays"},
		"result := 1\nfmt.Println(reslt.Foo(), result)":                                                         {"undefined reslt"},
		"quaysList, err := quays.List()\nprintln(quaysList, err)":                                               {"no_server quays.List"},
		"_, _ = git.Lgo(git.LgoParams{})":                                                                       {"no_name git.Lgo"},
		"import g \"servers/git\"\n_, _ = g.Lgo(g.LgoParams{})":                                                 {"no_name git.Lgo"},
		"var x git.Foo\n_ = x":                                                                                  {"no_name git.Foo"},
		"_, _ = git.Log(git.LogParams{Count: 3})":                                                               {"no_field git.LogParams.Count"},
		"r, _ := git.Log(git.LogParams{})\nprintln(r.Commit, r.Foo())":                                          {"no_field git.LogResult.Commit", "no_field git.LogResult.Foo"},
		"r, _ := git.Log(git.LogParams{})\nprintln(r.Commits[0].Who)":                                           {"no_field git.LogCommit.Who"},
		"r, _ := git.Log(git.LogParams{})\nprintln(r.Commits.Author)":                                           {"type git.LogCommit"},
		"_, _ = harbour.BookBerths()":                                                                           {"call harbour.BookBerths"},
		"_, _ = git.Log(\".\")":                                                                                 {"call git.Log"},
		"_, _ = git.Log(map[string]any{\"n\": 1})":                                                              {"call git.Log"},
		"_, _ = git.Log(context.Background(), git.LogParams{})":                                                 {"call git.Log"},
		"r := git.Log(git.LogParams{})\nprintln(r.Total)":                                                       {"call git.Log"},
		"println(git.Status().Text())":                                                                          {"call git.Status"},
		"_ = git.Log{}":                                                                                         {"call git.Log"},
		"_, _ = git.Log(git.LogParams{MaxCount: \"x\"})":                                                        {"type git.LogParams.MaxCount"},
		"_, _ = git.Log(git.LogParams{Paths: []string{1}})":                                                     {"type git.LogParams.Paths"},
		"r, _ := git.Log(git.LogParams{})\nprintln(r.Commits[0][\"author\"])":                                   {"type git.LogCommit"},
		"r, _ := git.Log(git.LogParams{})\nvar s []string = r.Text()\n_ = s":                                    nil,
		"r, _ := git.Log(git.LogParams{})\nprintln(\"a\" + r, len(r))":                                          {"type git.LogResult", "type git.LogResult"},
		"var p git.LogParams\np.RepoPath = 1\n_ = p":                                                            {"type git.LogParams.RepoPath"},
		"r, _ := git.Log(git.LogParams{})\nfor _, c := range r {\n\t_ = c\n}":                                   {"type git.LogResult"},
		"r, _ := git.Log(git.LogParams{})\nvar s string = r\n_ = s":                                             {"type git.LogResult"},
		"r, _ := git.Status()\nvar v string\nr.JSON(&v, 1)":                                                     {"call git.StatusResult.JSON"},
		"memory.SearchNodes(memory.SearchNodesParams{})":                                                        {"required memory.SearchNodesParams.Query"},
		"harbour.BookBerths(harbour.BookBerthsParams{Ship: \"x\", Kind: \"y\"})":                                {"enum harbour.BookBerthsParams.Kind"},
		"harbour.Plan(harbour.PlanParams{A: 1})":                                                                {"call harbour.Plan"},
		"harbour.BookBerths(harbour.BookBerthsParams{Ship: \"x\", Items: []harbour.Foo{{A: 1, Berth: \"b\"}}})": {"no_name harbour.Foo", "no_field harbour.Stay.A"},
	} {
		var got []string
		for _, d := range diagnose(script) {
			if d.Kind == Warning {
				t.Errorf("%s: only warned of: %v", script, d)
			}
			if d.Code != "" {
				name := strings.Trim(strings.Join([]string{d.Package, d.Name, d.Member}, "."), ".")
				got = append(got, d.Code+" "+name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s%v", script, diff, diagnose(script))
		}
	}
}

func TestStrictTellsMendsBesideFaults(t *testing.T) {
	o := testOptions()
	o.Strict = true
	_, bad := parse(t, "harbour.Plan(harbour.PlanParams{})\nPrintln(totl)").Check(o)
	var got []string
	for _, d := range bad {
		got = append(got, d.Kind+" "+d.Message)
	}
	want := []string{
		"compile harbour.Plan(harbour.PlanParams{}): write harbour.Plan()",
		"compile Println(…): write fmt.Println(…)",
		"compile undefined: totl",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNamesTellTheFieldsThatAreWritten(t *testing.T) {
	s := parse(t, `
r, err := quays.List(quays.ListParams{Port: "x", Stops: []quays.Stop{{At: 1}, {Name: "y"}}, Main: quays.Stop{At: 2, Long: 3}})
quays.Find(map[string]any{"captain": "x", key: 1, "`+strings.Repeat("a", 61)+`": 2})
quays.Many(quays.Stop{`+numbered("F%d: 1,", 30)+`})
_ = map[string]*quays.Berth{"a": {Size: 1}}
`)
	got := map[string]string{}
	for _, n := range s.Used() {
		got[n.Name] = strings.Join(n.Fields, " ")
	}
	want := map[string]string{"List": "", "ListParams": "Port Stops Main", "Find": "captain", "Many": "", "Berth": "Size",
		"Stop": "At Name Long F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNamesOfATextThatIsNoGoAreGuessed(t *testing.T) {
	phrases, names := Mentions([]byte(`import (
	q "servers/quays"
	"strings"
)
UseTools("list the quays", x, "book " + "a berth")
r, err := q.List(q.ListParams{Port: "x", Stops: []q.Stop{{At: 1}, {Name: strings.ToUpper("y")}}, Deep: foo{Bar: 1}})
for _, s := range r.Quays { fmt.Println(s.Name(), r.Text()) }
ships.find(map[string]any{"captain": "x"})
a.b.c(1); http.Get("x"); discovery.Find(1)
if x ? 1 : 2 {
`))
	if diff := cmp.Diff([]Phrase{{"list the quays", 5, 10, false}, {"book ", 5, 31, false}, {"a berth", 5, 41, false}}, phrases); diff != "" {
		t.Error(diff)
	}
	want := []Name{
		{"quays", "List", 6, 11, true, false, nil},
		{"quays", "ListParams", 6, 18, true, false, []string{"Port", "Stops", "Deep"}},
		{"quays", "Stop", 6, 51, true, false, []string{"At", "Name"}},
		{"ships", "find", 8, 1, false, false, []string{"captain"}},
		{"http", "Get", 9, 11, false, false, nil},
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if _, names = Mentions([]byte(numbered("a.F%d();", 5000))); len(names) != maxMentioned {
		t.Errorf("%d names", len(names))
	}
	if phrases, names = Mentions([]byte("UseTools(\"a\")\x00")); phrases != nil || names != nil {
		t.Error("a text that is no source says something")
	}
}
