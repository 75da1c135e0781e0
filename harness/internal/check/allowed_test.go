package check

import (
	"strconv"
	"strings"
	"testing"
)

// tracker is a server package with allowed values and alternatives, as package
// wrappers writes them.
const tracker = `package tracker

type ListParams struct {
	State    string ` + "`json:\"state\" enum:\"[\\\"open\\\",\\\"closed\\\"]\"`" + `
	Levels   []int ` + "`json:\"levels\" enum:\"[1,2]\"`" + `
	Labels   []string ` + "`json:\"labels\" enum:\"[\\\"bug\\\",\\\"it's \\\\\\\"new\\\\\\\"\\\"]\"`" + `
	Where    any ` + "`json:\"where\" enum:\"[true,\\\"all\\\"]\"`" + `
	Filter   Filter ` + "`json:\"filter\"`" + `
	set_     uint64
}

type Filter struct {
	ByUser *ByUser ` + "`json:\"by_user\" use:\"variant\"`" + `
	ByDate *ByDate ` + "`json:\"by_date\" use:\"variant\"`" + `
	set_   uint64
}

type ByUser struct { Name string ` + "`json:\"name\" use:\"required\"`" + ` }
type ByDate struct { Day string }

func List(p ListParams) error { return nil }
`

func TestConstantsAndAlternativesAreCheckedBeforeARun(t *testing.T) {
	for script, want := range map[string]string{
		`tracker.ListParams{State: "open"}`:                                                     "",
		`tracker.ListParams{State: "opne"}`:                                                     `1: "opne" is not a value of tracker.ListParams.State | did you mean "open"? allowed: "open", "closed"`,
		`tracker.ListParams{State: ""}`:                                                         `1: "" is not a value of tracker.ListParams.State | allowed: "open", "closed"; leave the field out to send nothing`,
		`tracker.ListParams{Levels: []int{1, 3}}`:                                               `1: 3 is not a value of tracker.ListParams.Levels | allowed: 1, 2`,
		`tracker.ListParams{Labels: []string{"it's \"new\"", "bug"}}`:                           "",
		`tracker.ListParams{Where: true}`:                                                       "",
		`tracker.ListParams{Where: false}`:                                                      `1: false is not a value of tracker.ListParams.Where | allowed: true, "all"`,
		"var p tracker.ListParams\np.State = \"x\"\ntracker.List(p)":                            `2: "x" is not a value of tracker.ListParams.State | allowed: "open", "closed"`,
		"const s = \"closd\"\nq := &tracker.ListParams{}\nq.State = s":                          `3: "closd" is not a value of tracker.ListParams.State | did you mean "closed"? allowed: "open", "closed"`,
		"s := \"known at run time only\"\ntracker.List(tracker.ListParams{State: s})":           "",
		`tracker.ListParams{Filter: tracker.Filter{ByUser: &tracker.ByUser{Name: "a"}}}`:        "",
		`tracker.ListParams{Filter: tracker.Filter{}}`:                                          `1: tracker.Filter needs one of its fields | write exactly one of ByUser, ByDate`,
		`tracker.Filter{ByUser: &tracker.ByUser{Name: "a"}, ByDate: &tracker.ByDate{Day: "d"}}`: `1: ByUser and ByDate of tracker.Filter cannot be written together: they are alternatives | write exactly one of ByUser, ByDate`,
		"var f tracker.Filter\nf.ByDate = &tracker.ByDate{Day: \"d\"}":                          "",
	} {
		if !strings.Contains(script, "\n") {
			script = "tracker.List(" + script + ")"
			if strings.HasPrefix(script, "tracker.List(tracker.Filter") {
				script = "_ = " + script[len("tracker.List("):len(script)-1]
			}
		}
		s, bad := Parse([]byte(script))
		if len(bad) > 0 {
			t.Fatal(script, bad)
		}
		_, bad = s.Check(&Options{Units: []Unit{{Path: "servers/tracker", Source: tracker}}})
		got := ""
		for _, d := range bad {
			got += strings.TrimSpace(strings.Join([]string{strconv.Itoa(d.Line) + ": " + d.Message, d.Hint}, " | "))
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", script, got, want)
		}
	}
}
