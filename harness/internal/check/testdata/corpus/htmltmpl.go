package main

import (
	"fmt"
	"html/template"
	"os"
	"strings"
)

type Link struct {
	URL, Text string
}

func (l Link) Safe() template.HTML { return template.HTML("<b>" + l.Text + "</b>") }

type Page struct {
	Title string
	Links []Link
	JS    map[string]any
	Style template.CSS
	User  *User
}
type User struct{ Name string }

func (u *User) Greeting(s string) string { return s + ", " + u.Name }

const page = `<h1>{{.Title}}</h1>
<ul>{{range .Links}}<li><a href="{{.URL}}" title='{{.Text}}'>{{.Text}}</a>{{.Safe}}</li>{{end}}</ul>
<script>var x = {{.JS}}; var s = "{{.Title}}";</script><p style="{{.Style}}">{{with .User}}{{.Greeting "Hi"}}{{else}}anon{{end}}</p>
`

func main() {
	p := Page{"A <b> & \"c\"", []Link{{"http://x/?a=1&b=é", "one"}, {"javascript:alert(1)", "<two>"}}, map[string]any{"k": []int{1}, "s": "</script>"}, "color: red", &User{"Z"}}
	t := template.Must(template.New("p").Parse(page))
	if err := t.Execute(os.Stdout, p); err != nil {
		fmt.Println("ERR", err)
	}
	p.User = nil
	var sb strings.Builder
	if err := t.Execute(&sb, &p); err != nil {
		fmt.Println("ERR", err)
	}
	fmt.Println(strings.Contains(sb.String(), "anon"), template.HTMLEscapeString("<>"))
	_, err := template.New("bad").Parse("{{if}}")
	fmt.Println(err)
}
