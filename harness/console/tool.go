package console

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

const (
	// latestRuns limits the runs on a tool's page; they are from the last latestDays.
	latestRuns, latestDays = 5, 31
	// maxSchemaShown limits a displayed schema or example, in bytes.
	maxSchemaShown = 64 << 10
	// maxExamples and phrasesShown limit the displayed examples and phrases.
	maxExamples, phrasesShown = 10, 12
)

// signature is the Go declaration of a tool, with its class and the decision of the policy.
type signature struct {
	*wrappers.Tool
	K        *known
	Category string
	Lines    [][]span // Go declaration
	ClassWhy string   // reason for its class
	// Decision is the decision of the viewer's policy.
	Decision policy.Decision
}

func (k *known) signature(t *wrappers.Tool) *signature {
	s := &signature{Tool: t, K: k, Lines: highlight(t.Doc(), k.hueOfPackage), Decision: k.decide(t.Tool)}
	if d, err := k.index.Describe([]string{t.ID}, ""); err == nil && len(d.Tools) > 0 {
		s.Category = d.Tools[0].Category
	}
	_, s.ClassWhy = k.cat.Class(t.Tool)
	return s
}

// toolData is the data of a tool's page.
type toolData struct {
	*signature
	Server *serverHead
	Form   *form
	// Asks reports whether a call is shown for confirmation before it is sent.
	Asks     bool
	Wrong    []*argument // fields with an error
	JSONOpen bool        // arguments are entered as JSON
	Ask      *askData    // the call to be confirmed, or nil
	Script   [][]span
	Input    [][]span
	Output   [][]span
	Hints    [][]span
	Examples []exampleData
	// Seen is the inferred result type, or "" if it is unknown or declared.
	Seen      string
	SeenTimes int
	Used      *usage.Tool // nil if not counted, or if the viewer may not see it
	Runs      []*record.Summary
	Phrases   []memory.Entry
}

// exampleData is an example of arguments.
type exampleData struct {
	Lines [][]span
	Href  string // address of the form with the example
	Made  bool   // made from the schema
}

// askData is a call shown for confirmation before it is sent.
type askData struct {
	Args  string // as they will be sent
	Lines [][]span
	Rule  string // rule that requires approval; empty if the call just has effects
	// May reports whether the viewer may confirm the call. If so, Digest identifies the call.
	May    bool
	Digest string
	Again  string // why another confirmation is necessary
}

// tool returns the tool named in the path, if the viewer may see it.
func (c *Console) tool(v *view) (*known, *wrappers.Tool, error) {
	k, err := v.known()
	if err != nil {
		return nil, nil, err
	}
	if k == nil {
		return nil, nil, &problem{Status: http.StatusServiceUnavailable, Title: "Not yet",
			Text: "The tools are being loaded.", Next: "/tools", Do: "Show the tools"}
	}
	id := v.r.PathValue("id")
	t, ok := k.view.Tool(id)
	if !ok || !k.shows(t.Tool) { // the same message for both
		p := &problem{Status: http.StatusNotFound, Title: "No such tool",
			Text: fmt.Sprintf("Tool %s does not exist; it may have been renamed or removed.", visible(text.First(id, 200))),
			Next: "/tools?" + url.Values{"q": {text.First(id, 200)}}.Encode(), Do: "Search for it"}
		return nil, nil, p
	}
	return k, t, nil
}

func (c *Console) toolPage(v *view) error {
	k, t, err := c.tool(v)
	if err != nil {
		return err
	}
	f := newForm(t.Fields())
	d, err := k.toolData(t, f)
	if err != nil {
		return err
	}
	if n, err := strconv.Atoi(v.r.URL.Query().Get("example")); err == nil {
		if examples := examplesOf(t); n >= 0 && n < len(examples) {
			d.JSONOpen = !f.fill(examples[n].args)
		}
	}
	return v.show("tool.html", d.page(topicServers, topicRuns))
}

func (d *toolData) page(live ...string) *Page {
	return &Page{Title: d.Go(), Nav: "tools", Class: "toolspage", Live: live, Module: "tools.js", Data: d}
}

// toolData returns the data of a tool's page with a form.
func (k *known) toolData(t *wrappers.Tool, f *form) (*toolData, error) {
	d := &toolData{signature: k.signature(t), Form: f, Server: k.serverHead(t.Server),
		Script: highlight(t.Script(), k.hueOfPackage), Input: shownJSON(t.Input), Output: shownJSON(t.Output)}
	class, _ := k.cat.Class(t.Tool)
	d.Asks = class != record.Read || d.Decision.Verdict == policy.NeedsApproval
	if f.JSON == "" {
		f.JSON = "{}"
	}
	d.JSONOpen = len(f.Fields) == 0
	if t.Annotations != nil {
		hints, err := json.Marshal(t.Annotations)
		if err != nil {
			return nil, err
		}
		d.Hints = shownJSON(hints)
	}
	for i, x := range examplesOf(t) {
		d.Examples = append(d.Examples, exampleData{shownJSON(x.args), fmt.Sprintf("%s?example=%d#try", toolHref(t.ID), i), x.made})
	}
	if outline, n, ok := t.Seen(); ok {
		d.Seen, d.SeenTimes = outline, n
	}
	if k.cat.Usage != nil && k.v.Operator {
		used, err := k.cat.Usage.Of(t.ID)
		if err == nil {
			d.Used = &used
		}
	}
	if k.cat.Memory != nil && k.v.Operator { // phrases of all tokens
		entries, err := k.cat.Memory.List()
		if err != nil {
			k.v.c.log.Warn("reading the phrases of a tool", "error", err)
		}
		for _, e := range entries {
			if e.Tool == t.ID && len(d.Phrases) < phrasesShown {
				d.Phrases = append(d.Phrases, e)
			}
		}
	}
	return d, k.latest(d, t)
}

// latest lists the latest runs that called a tool.
func (k *known) latest(d *toolData, t *wrappers.Tool) error {
	c := k.v.c
	if err := c.reading.Acquire(k.v.r.Context(), 1); err != nil {
		return err
	}
	defer c.reading.Release(1)
	filter := k.v.Filter()
	filter.Tool, filter.Limit, filter.Since = t.ID, latestRuns, time.Now().AddDate(0, 0, -latestDays)
	for sum, err := range c.store.List(k.v.r.Context(), filter) {
		if err == nil {
			d.Runs = append(d.Runs, sum)
		}
	}
	return nil
}

// example is an example of arguments. made reports whether it is made from the schema, not given by
// the server.
type example struct {
	args json.RawMessage
	made bool
}

func examplesOf(t *wrappers.Tool) []example {
	var out []example
	given := t.Examples
	if len(given) == 0 {
		var schema struct {
			Examples []json.RawMessage `json:"examples"`
		}
		if json.Unmarshal(t.Input, &schema) == nil {
			given = schema.Examples
		}
	}
	for _, x := range given {
		if len(out) < maxExamples && len(x) <= maxSchemaShown {
			out = append(out, example{args: x})
		}
	}
	if made := schema.Example(t.Input); len(out) == 0 && made != nil && len(made) <= maxSchemaShown {
		out = append(out, example{made, true})
	}
	return out
}

// shownJSON returns JSON as spans over several lines, or nil for no JSON.
func shownJSON(raw json.RawMessage) [][]span {
	if len(raw) == 0 {
		return nil
	}
	return highlight(text.CutBytes(indented(raw), maxSchemaShown), func(string) string { return "" })
}

// try calls a tool with the submitted arguments. A read call is sent at once. Other calls are first
// shown as they will be sent, and sent after confirmation.
func (c *Console) try(v *view) error {
	k, t, err := c.tool(v)
	if err != nil {
		return err
	}
	sent, f := v.r.PostForm, newForm(t.Fields())
	var args json.RawMessage
	var ok bool
	switch {
	case sent.Has("args"): // from a confirmation
		args, ok = f.readJSON(sent.Get("args"))
	case sent.Has("json"):
		args, ok = f.readJSON(sent.Get("json"))
	default:
		args, ok = f.read(sent)
	}
	asJSON := sent.Has("json") || sent.Has("args") && ok && !f.fill(args)
	form := func(status int) error {
		if sent.Has("json") && ok {
			f.fill(args) // show the errors beside the fields
		}
		d, err := k.toolData(t, f)
		if err != nil {
			return err
		}
		d.JSONOpen = d.JSONOpen || asJSON
		d.Wrong = wrongFields(f.Fields)
		v.write(status, "tool.html", d.page())
		return nil
	}
	if !ok {
		return form(http.StatusUnprocessableEntity)
	}
	if sent.Has("back") {
		return form(http.StatusOK)
	}
	read := registry.ReadArgs(args)
	if err := k.cat.CheckArguments(t.Tool, read); err != nil {
		f.place(argumentError(err))
		return form(http.StatusUnprocessableEntity)
	}
	decision := k.cat.DecideCall(k.policy, t.Tool, read, nil, nil)
	if t.Held {
		decision = policy.Decision{Verdict: policy.IsDenied, Rule: t.Error}
	}
	class, _ := k.cat.Class(t.Tool)
	needs := decision.Verdict == policy.NeedsApproval
	ask := func(again string) error {
		d, err := k.toolData(t, f)
		if err != nil {
			return err
		}
		d.Ask = &askData{Args: string(args), Lines: allJSON(args), May: !needs || v.MayAnswer(v.Subject), Again: again}
		if needs {
			d.Ask.Rule = decision.Rule
		}
		if d.Ask.May {
			if d.Ask.Digest, err = confirmDigest(c.store, v.Viewer, t, args); err != nil {
				return err
			}
		}
		v.write(http.StatusOK, "tool.html", d.page())
		return nil
	}
	switch {
	case decision.Verdict == policy.IsDenied:
		f.Error = "Denied: " + visible(decision.Rule) + ". The call was not sent."
		return form(http.StatusForbidden)
	case class == record.Read && !needs:
	case !sent.Has("yes"):
		return ask("")
	case needs && !v.MayAnswer(v.Subject):
		return ask("")
	default:
		switch err := confirmCall(c.store, v.Viewer, t, args, sent.Get("yes"), time.Now()); {
		case errors.Is(err, errConfirmed):
			return &problem{Status: http.StatusConflict, Title: "Called once",
				Text: "This call was already sent. It was not sent again.",
				Next: "/runs?" + url.Values{"tool": {t.ID}}.Encode(), Do: "Runs of " + t.Go()}
		case err != nil:
			return ask("The call has changed or the confirmation has expired. Check it again.")
		}
	}
	run, err := c.host.CallTool(v.r.Context(), v.Viewer, t.ID, args, needs)
	var wrong *catalog.ArgumentsError
	var approval *ApprovalError
	switch {
	case err == nil:
		return v.goTo("/runs/" + run)
	case errors.As(err, &approval): // after the decision above
		needs, decision.Rule = true, approval.Rule
		return ask("The rules have changed. Check the call again.")
	case errors.As(err, &wrong):
		f.place(argumentError(wrong))
	case errors.Is(err, context.Canceled):
		return err
	default:
		f.Error = "The call was not sent: " + v.why(err)
	}
	return form(http.StatusUnprocessableEntity)
}

// argumentError returns an error about arguments.
func argumentError(err error) string {
	return registry.Printable(strings.TrimPrefix(err.Error(), "wrong arguments: "), 1000)
}

// allJSON returns full JSON as spans.
func allJSON(raw json.RawMessage) [][]span {
	return highlight(indented(raw), func(string) string { return "" })
}

// confirmFor is how long a confirmation is valid.
const confirmFor = time.Hour

// errConfirmed is returned for a confirmation that was already used.
var errConfirmed = errors.New("already confirmed")

// confirmDigest returns the digest of a call shown to a viewer, which a confirmation sends back. It
// begins with the time and a random number.
func confirmDigest(store *store.Store, v *Viewer, t *wrappers.Tool, args json.RawMessage) (string, error) {
	return shownDigest(store, v, t, args, fmt.Sprintf("%d-%s", time.Now().Unix(), rand.Text()[:10]))
}

func shownDigest(store *store.Store, v *Viewer, t *wrappers.Tool, args json.RawMessage, when string) (string, error) {
	sum, err := store.MAC("console call", v.Name, v.Subject, t.ID, t.Hash, string(args), when)
	if err != nil {
		return "", fmt.Errorf("requesting confirmation of a call: %w", err)
	}
	return when + "-" + hex.EncodeToString(sum[:16]), nil
}

// confirmCall checks a digest and marks it as used, for all processes that share the store.
func confirmCall(store *store.Store, v *Viewer, t *wrappers.Tool, args json.RawMessage, digest string, now time.Time) error {
	i := strings.LastIndexByte(digest, '-')
	if i < 0 || len(digest) > 100 {
		return errors.New("no digest")
	}
	when, _, _ := strings.Cut(digest, "-")
	seconds, err := strconv.ParseInt(when, 10, 64)
	if err != nil {
		return err
	}
	want, err := shownDigest(store, v, t, args, digest[:i])
	if err != nil {
		return err
	}
	if age := now.Sub(time.Unix(seconds, 0)); !hmac.Equal([]byte(want), []byte(digest)) || age > confirmFor || age < -time.Minute {
		return errors.New("digest of another call, or expired")
	}
	first, err := store.Once("console call "+digest, time.Unix(seconds, 0).Add(confirmFor))
	if err == nil && !first {
		err = errConfirmed
	}
	return err
}
