package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// checkWait limits a check, including the wait for its turn.
const checkWait = 20 * time.Second

// edited is the data of the editor page.
type edited struct {
	Script string
	// Name and About describe the saved script, Run is the ID of the run the script comes
	// from, and Tool is the tool it is an example for. Most of them are empty.
	Name, About, Run, Tool string
	Inputs                 []scriptInput
	Check                  *checked // nil if the script was not checked
	Ledger                 *ledger  // nil if Run is not a dry run, or was resumed after approval
	Names                  []string // the first saved scripts
	CanSave                bool
}

// scriptInput is a value that a script reads with Input.
type scriptInput struct {
	library.Input
	Text string // as typed: JSON or plain text
}

// Key identifies the run, tool or saved script being edited.
func (d *edited) Key() string {
	switch {
	case d.Run != "":
		return "run " + d.Run
	case d.Tool != "":
		return "tool " + d.Tool
	}
	return "script " + d.Name
}

// editor shows the script of a run, a saved script, an example for a tool, or an empty script.
func (c *Console) editor(v *view) error {
	q := v.r.URL.Query()
	d := &edited{}
	values := map[string]json.RawMessage{}
	var live []string
	switch {
	case q.Get("run") != "":
		r, err := v.load(q.Get("run"))
		if err != nil {
			return err
		}
		s, err := scriptOf(r)
		if err != nil {
			v.say("bad", "The script of run %s cannot be edited. %s", r.Begin.ID, sentence(err))
			return v.goTo("/runs/" + url.PathEscape(r.Begin.ID))
		}
		d.Script, d.Run, values = s.Source, r.Begin.ID, s.Inputs
		if r.Begin.Dry && !r.Live() {
			if d.Ledger, err = v.ledgerOf(r); err != nil {
				return err
			}
			if d.Ledger.UnderWay {
				live = []string{topicRun(r.Begin.ID)}
			}
		}
	case q.Get("script") != "":
		lib := v.library()
		if lib == nil {
			return notFound("No script library is configured.")
		}
		s, err := lib.Load(q.Get("script"))
		if err != nil { // includes invalid names
			return notFound("No saved script with this name can be read.")
		}
		d.Script, d.Name, d.About = s.Source, s.Name, s.About
	case q.Get("tool") != "":
		k, err := v.known()
		if err != nil {
			return err
		}
		var t *wrappers.Tool
		if k != nil {
			t, _ = k.view.Tool(q.Get("tool"))
		}
		if t == nil || !k.offers(t) {
			return notFound("Your scripts may not call a tool with this name, or it does not exist.")
		}
		d.Script, d.Tool = t.Script(), t.ID
	}
	d.Script = strings.ReplaceAll(d.Script, "\r\n", "\n")
	d.Inputs = inputsOf(d.Script)
	for i := range d.Inputs {
		in := &d.Inputs[i]
		in.Text = in.typed(values[in.Name])
	}
	return v.showEditor(d, live)
}

func (v *view) showEditor(d *edited, live []string) error {
	if lib := v.library(); lib != nil {
		d.CanSave = true
		if names, err := lib.Names(); err == nil {
			d.Names = names[:min(len(names), 200)]
		}
	}
	return v.show("editor.html", &Page{Title: "Editor", Nav: "editor", Class: "edpage", Module: "editor.js", Live: live, Data: d})
}

// sent returns the contents of a submitted editor form.
func (v *view) sent() *edited {
	f := v.r.PostForm
	d := &edited{Script: strings.ReplaceAll(f.Get("script"), "\r\n", "\n"), Name: strings.TrimSpace(f.Get("name")),
		About: text.Cut(strings.TrimSpace(f.Get("about")), 500), Run: f.Get("run")}
	d.Inputs = v.filled(inputsOf(d.Script))
	return d
}

// filled sets the values of inputs from the submitted form.
func (v *view) filled(inputs []scriptInput) []scriptInput {
	for i := range inputs {
		inputs[i].Text = v.r.PostForm.Get("in." + inputs[i].Name)
	}
	return inputs
}

// script returns the script with the inputs that have a value.
func (d *edited) script() *Script { return newScript(d.Script, d.Inputs) }

func newScript(source string, inputs []scriptInput) *Script {
	s := &Script{Source: source, Inputs: map[string]json.RawMessage{}}
	for i := range inputs {
		if in := &inputs[i]; in.Text != "" {
			s.Inputs[in.Name] = in.value()
		}
	}
	return s
}

// asksForJSON reports whether the editor's JavaScript sent the request; it inserts the
// answer into the page.
func asksForJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func (v *view) json(data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Write(b)
	return nil
}

// checkScript answers with the errors and warnings of a script.
func (c *Console) checkScript(v *view) error {
	d := v.sent()
	err := v.check(d)
	if !asksForJSON(v.r) {
		if err != nil {
			v.say("bad", "The script was not checked: %s", v.why(err))
		}
		return v.showEditor(d, nil)
	}
	if err != nil {
		return err
	}
	answer := struct {
		OK    bool        `json:"ok"`
		May   string      `json:"may"`
		Label string      `json:"label"`
		Marks []checkMark `json:"marks"`
		// Parts of the page.
		Inputs  string `json:"inputs"`
		Checked string `json:"checked"`
	}{OK: d.Check.OK, May: d.Check.May, Label: d.Check.Label, Marks: d.Check.Marks}
	if answer.Inputs, err = v.render("editor.html", "inputs", d.Inputs); err != nil {
		return err
	}
	if answer.Checked, err = v.render("editor.html", "checked", d.Check); err != nil {
		return err
	}
	return v.json(&answer)
}

// check checks a submitted script and sets d.Check.
func (v *view) check(d *edited) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), checkWait)
	defer cancel()
	begin := time.Now()
	res, err := v.checks(ctx, d)
	if err != nil {
		return err
	}
	if d.Check, err = v.checked(d, res); err != nil {
		return err
	}
	d.Check.Ms = float64(time.Since(begin).Microseconds()) / 1000
	return nil
}

// checks waits for the viewer's turn and checks a script.
func (v *view) checks(ctx context.Context, d *edited) (*outcome.Result, error) {
	release, err := v.c.checking.take(ctx, v.Viewer)
	if err != nil {
		return nil, fmt.Errorf("waiting for other checks to finish: %w", err)
	}
	defer release()
	return v.c.host.Check(ctx, v.Viewer, d.script())
}

// runScript starts a run or a dry run.
func (c *Console) runScript(v *view) error {
	d := v.sent()
	s := d.script()
	s.Dry = v.r.PostFormValue("dry") != ""
	ctx, cancel := context.WithTimeout(v.r.Context(), beginWait)
	defer cancel()
	id, err := c.host.Execute(ctx, v.Viewer, s)
	switch {
	case err != nil && asksForJSON(v.r):
		return err
	case err != nil:
		v.say("bad", "The script was not started: %s", v.why(err))
		return v.showEditor(d, nil)
	case asksForJSON(v.r):
		return v.json(map[string]string{"run": id})
	case s.Dry:
		return v.goTo("/editor?run=" + url.QueryEscape(id))
	}
	return v.goTo("/runs/" + url.PathEscape(id))
}

// saveScript saves a script under a name if its check finds no error.
func (c *Console) saveScript(v *view) error {
	d := v.sent()
	not := func(why string) error {
		if asksForJSON(v.r) {
			return v.json(map[string]string{"error": why})
		}
		v.say("bad", "The script was not saved: %s", why)
		return v.showEditor(d, nil)
	}
	if err := library.CheckName(d.Name); err != nil {
		return not(err.Error())
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), checkWait)
	defer cancel()
	cat := c.host.Catalog(v.Viewer)
	if cat == nil {
		return not("the servers have not listed their tools yet; try again in a few seconds")
	}
	res, err := v.checks(ctx, d)
	if err != nil {
		return not(v.why(err))
	}
	if d.Check, err = v.checked(d, res); err != nil {
		return err
	}
	if res.Status != outcome.OK {
		return not("the check found errors; correct them first")
	}
	if _, says, ok := library.Header(d.Script); ok && d.About == "" {
		d.About = says
	}
	warning, err := harness.SaveScript(cat, d.Name, d.About, d.Script, res)
	if err != nil {
		return not(v.why(err))
	}
	if warning != "" {
		v.say("wait", "%s", warning)
	}
	v.say("ok", "Saved. RunScript(%q, map[string]any{…}) runs it.", d.Name)
	page := "/editor?script=" + url.QueryEscape(d.Name)
	if asksForJSON(v.r) {
		return v.json(map[string]string{"page": page})
	}
	return v.goTo(page)
}

// inputsOf returns the inputs of a script, without values.
func inputsOf(source string) []scriptInput {
	var out []scriptInput
	for _, in := range library.Inputs(source) {
		out = append(out, scriptInput{Input: in})
	}
	return out
}

// value returns the typed text as JSON: unchanged if it is valid JSON, else as a string.
func (in *scriptInput) value() json.RawMessage {
	typed := strings.TrimSpace(in.Text)
	if json.Valid([]byte(typed)) && (in.Kind != "string" || strings.HasPrefix(typed, `"`)) {
		return json.RawMessage(typed)
	}
	b, _ := json.Marshal(in.Text)
	return b
}

// typed returns the text of the form field for a JSON value.
func (in *scriptInput) typed(raw json.RawMessage) string {
	var s string
	if in.Kind == "string" && json.Unmarshal(raw, &s) == nil && !strings.HasPrefix(s, `"`) && s != "" {
		return s
	}
	return string(raw)
}
