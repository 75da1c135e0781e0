package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"text/template"
	"time"
)

// Data like that which an issue tracker's tool would return.
const raw = `{"total_count":5,"items":[
{"number":101,"title":"Crash on start","state":"open","labels":[{"name":"bug"},{"name":"p1"}],"user":{"login":"ann"},"created_at":"2024-01-10T09:00:00Z","comments":4,"assignee":null},
{"number":99,"title":"Docs typo","state":"closed","labels":[{"name":"docs"}],"user":{"login":"bob"},"created_at":"2024-01-02T10:30:00Z","closed_at":"2024-01-03T10:30:00Z","comments":0,"assignee":{"login":"ann"}},
{"number":120,"title":"Add dark mode","state":"open","labels":[],"user":{"login":"cy"},"created_at":"2024-02-01T00:00:00Z","comments":12,"assignee":{"login":"bob"}},
{"number":121,"title":"Slow \"search\" | table","state":"open","labels":[{"name":"perf"},{"name":"bug"}],"user":{"login":"ann"},"created_at":"2024-02-11T23:59:59Z","comments":3,"assignee":{"login":"ann"}},
{"number":88,"title":"Old bug","state":"closed","labels":[{"name":"bug"}],"user":{"login":"dee"},"created_at":"2023-12-24T18:00:00Z","closed_at":"2024-02-01T18:00:00Z","comments":7,"assignee":null}]}`

type User struct {
	Login string `json:"login"`
}
type Label struct{ Name string }
type Issue struct {
	Number   int        `json:"number"`
	Title    string     `json:"title"`
	State    string     `json:"state"`
	Labels   []Label    `json:"labels"`
	User     User       `json:"user"`
	Assignee *User      `json:"assignee"`
	Created  time.Time  `json:"created_at"`
	Closed   *time.Time `json:"closed_at"`
	Comments int        `json:"comments"`
}

func (i Issue) HasLabel(name string) bool {
	return slices.ContainsFunc(i.Labels, func(l Label) bool { return l.Name == name })
}
func (i *Issue) Age(now time.Time) time.Duration {
	end := now
	if i.Closed != nil {
		end = *i.Closed
	}
	return end.Sub(i.Created)
}
func (i Issue) LabelList() string {
	names := make([]string, len(i.Labels))
	for k, l := range i.Labels {
		names[k] = l.Name
	}
	return strings.Join(names, ", ")
}
func (i Issue) Who() string {
	if i.Assignee == nil {
		return "—"
	}
	return "@" + i.Assignee.Login
}

type Summary struct {
	Open, Closed int
	ByLabel      map[string]int
	ByUser       map[string][]int
	Oldest       *Issue `json:",omitempty"`
	AvgClose     string
}

const md = `## Issues ({{len .Issues}})
| # | Title | Labels | Assignee |
|---|-------|--------|----------|
{{- range .Issues}}
| {{.Number}} | {{.Title | esc}} | {{.LabelList}} | {{.Who}} |
{{- end}}
{{define "labels"}}{{range $k, $v := .}}{{$k}}:{{$v}} {{end}}{{end}}
Labels: {{template "labels" .Sum.ByLabel}}
{{with .Sum.Oldest}}Oldest open: #{{.Number}} by {{.User.Login}}{{if .HasLabel "bug"}} (bug!){{end}}{{else}}none{{end}}
{{printf "%d/%d" .Sum.Open .Sum.Closed}} {{if and (gt .Sum.Open 2) (lt .Sum.Closed 5)}}busy{{end}} {{index .Sum.ByUser "ann"}} {{not true}} {{eq .Sum.AvgClose "x" "480h0m0s"}}
`

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	log.SetPrefix("[report] ")
	var resp struct {
		Total int     `json:"total_count"`
		Items []Issue `json:"items"`
	}
	if err := json.NewDecoder(strings.NewReader(raw)).Decode(&resp); err != nil {
		log.Fatal(err)
	}
	now := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	sum := Summary{ByLabel: map[string]int{}, ByUser: map[string][]int{}}
	var closing time.Duration
	for i, is := range resp.Items {
		switch is.State {
		case "open":
			sum.Open++
			if sum.Oldest == nil || is.Created.Before(sum.Oldest.Created) {
				sum.Oldest = &resp.Items[i]
			}
		case "closed":
			sum.Closed++
			closing += is.Age(now)
		}
		for _, l := range is.Labels {
			sum.ByLabel[l.Name]++
		}
		sum.ByUser[is.User.Login] = append(sum.ByUser[is.User.Login], is.Number)
	}
	sum.AvgClose = (closing / time.Duration(sum.Closed)).String()
	slices.SortFunc(resp.Items, func(a, b Issue) int {
		return cmp.Or(strings.Compare(b.State, a.State), cmp.Compare(b.Comments, a.Comments))
	})
	t, err := template.New("md").Funcs(template.FuncMap{"esc": func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }}).Parse(md)
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Execute(os.Stdout, map[string]any{"Issues": resp.Items, "Sum": sum}); err != nil {
		log.Println("execute:", err)
	}
	out, _ := json.MarshalIndent(sum, "", " ")
	log.Printf("%s", out)
	for _, is := range resp.Items {
		fmt.Printf("%-4d %-22.22q %8s %6.1fd\n", is.Number, is.Title, is.Created.Format("Jan _2"), is.Age(now).Hours()/24)
	}
	if _, err := template.New("bad").Parse("{{.X"); err != nil {
		fmt.Println(err)
	}
	err = template.Must(template.New("e").Parse("{{.Nope}}")).Execute(os.Stdout, sum)
	fmt.Println(err)
	log.Fatalf("fatal: %d issues", resp.Total)
}
