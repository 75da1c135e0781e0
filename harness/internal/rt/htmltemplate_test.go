package rt

import (
	htmltemplate "html/template"
	"io"
	"runtime"
	"strings"
	"testing"
	"weak"
)

// What was made of a set to execute it goes with the set, though a function of
// the set holds it.
func TestAnExecutedSetIsCollected(t *testing.T) {
	m := New(Config{})
	const sets = 50
	var made []weak.Pointer[htmltemplate.Template]
	for range sets {
		made = append(made, executedSet(t, m))
	}
	runtime.GC()
	left := 0
	for _, w := range made {
		if w.Value() != nil {
			left++
		}
	}
	if left > sets/2 { // one may still be on the stack
		t.Errorf("%d of %d executed sets are kept", left, sets)
	}
	runtime.KeepAlive(m)
}

//go:noinline
func executedSet(t *testing.T, m *Machine) weak.Pointer[htmltemplate.Template] {
	t.Helper()
	set := htmltemplate.New("page")
	set.Funcs(htmltemplate.FuncMap{"include": func(x any) (string, error) {
		var b strings.Builder
		err := m.htmlExecuteTemplate(set, &b, "part", x)
		return b.String(), err
	}})
	htmltemplate.Must(set.Parse(`{{define "part"}}<b>{{.}}</b>{{end}}<p>{{include .}}</p>`))
	for range 2 {
		if err := m.htmlExecute(set, io.Discard, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.htmlParse(set, "y"); err == nil {
		t.Fatal("an executed set can still be parsed into")
	}
	return weak.Make(set)
}
