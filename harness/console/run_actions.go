package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry/text"
)

const (
	beginWait  = 30 * time.Second // limit for starting a run
	replayWait = 2 * time.Minute
)

// scriptOf returns the script of a run with its inputs, ready to run again. It returns an
// error if the script or an input is missing, redacted or unreadable.
func scriptOf(r *record.Run) (*Script, error) {
	switch {
	case r.Begin.Script.IsZero():
		return nil, errors.New("it is a single call without a script")
	case r.Begin.Script.Redacted:
		return nil, errors.New("its script is redacted in the record")
	}
	source, err := r.Text(r.Begin.Script)
	if err != nil || source == "" {
		return nil, errors.New("its script cannot be read")
	}
	s := &Script{Source: source, Name: r.Begin.Name, Inputs: map[string]json.RawMessage{}}
	for name, d := range r.Begin.Inputs {
		if d.Redacted {
			return nil, fmt.Errorf("its input %s is redacted in the record", present.Visible(name, 60, false))
		}
		raw, err := r.Value(d)
		if err != nil {
			return nil, fmt.Errorf("its input %s cannot be read", present.Visible(name, 60, false))
		}
		if raw == nil {
			raw = json.RawMessage("null")
		}
		s.Inputs[name] = raw
	}
	return s, nil
}

// rerun starts a new run of the same script with the same inputs.
func (c *Console) rerun(v *view, r *record.Run) error {
	s, err := scriptOf(r)
	if err != nil {
		return v.cannot(r, "Run "+r.Begin.ID+" cannot be repeated:", err.Error())
	}
	s.Dry = v.r.PostFormValue("dry") != ""
	ctx, cancel := context.WithTimeout(v.r.Context(), beginWait)
	defer cancel()
	id, err := c.host.Execute(ctx, v.Viewer, s)
	if err != nil {
		return v.cannot(r, "The script was not started:", v.why(err))
	}
	return v.goTo("/runs/" + link(id))
}

// cannot returns to the page of a run with a message: the failed action and its reason.
func (v *view) cannot(r *record.Run, what, why string) error {
	v.say("bad", "%s %s", what, text.Cut(why, 1000))
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// replay runs a script from its record, without servers, and reports the first
// difference.
func (c *Console) replay(v *view, r *record.Run) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), replayWait)
	defer cancel()
	begin := time.Now()
	got, err := c.host.Replay(ctx, v.Viewer, &harness.Replay{Run: r})
	if err != nil {
		return v.cannot(r, "The run cannot be replayed:", v.why(err))
	}
	took := present.Duration(float64(time.Since(begin).Microseconds()) / 1000)
	if d := got.Difference; d == nil {
		v.say("ok", "The replay gave the same result: %s answered from the record in %s.", text.Count(got.Calls, "call"), took)
	} else {
		what := "The replay differs: " + text.Cut(d.Text, 1000)
		if d.Want != "" || d.Got != "" {
			what += fmt.Sprintf(" · in the record: %s · now: %s", text.Cut(strings.TrimSpace(d.Want), 400), text.Cut(strings.TrimSpace(d.Got), 400))
		}
		v.say("bad", "%s", present.Visible(what, 2000, false))
	}
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// library returns the viewer's script library, or nil if none is configured.
func (v *view) library() *library.Library {
	if cat := v.c.host.Catalog(v.Viewer); cat != nil {
		return cat.Scripts
	}
	return nil
}

// saveRun saves the script of a run.
func (c *Console) saveRun(v *view, r *record.Run) error {
	name, about := strings.TrimSpace(v.r.PostFormValue("name")), strings.TrimSpace(v.r.PostFormValue("about"))
	lib := v.library()
	const not = "The script was not saved:"
	if err := library.CheckName(name); err != nil {
		return v.cannot(r, not, err.Error())
	}
	if lib == nil {
		return v.cannot(r, not, "no script library is configured")
	}
	warning, err := harness.SaveRun(lib, r, name, text.Cut(about, 500))
	if err != nil {
		return v.cannot(r, not, v.why(err))
	}
	if warning != "" {
		v.say("wait", "%s", warning)
	}
	v.say("ok", "Saved. RunScript(%q, map[string]any{…}) runs it.", name)
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// operators reads the run named in the path, for actions reserved for the operator.
func (v *view) operators() (*record.Run, error) {
	if !v.Operator {
		return nil, forbidden("Only the operator may do that.")
	}
	return v.named()
}

// settle records the operator's statement about a call whose outcome is unknown.
func (c *Console) settle(v *view, r *record.Run) error {
	back := func(err error) error { return v.cannot(r, "The call was not settled:", err.Error()) }
	st := &record.Settle{Who: v.Name, How: "said"}
	if _, err := fmt.Sscan(v.r.PostFormValue("call"), &st.N); err != nil {
		return badRequest("The form lacks the number of a call.")
	}
	switch v.r.PostFormValue("what") {
	case "happened":
		st.Happened = true
		given, err := approval.GivenResult([]byte(v.r.PostFormValue("result")))
		if err != nil {
			return back(fmt.Errorf("the result: %w", err))
		}
		st.Result = given
	case "not":
	default:
		return badRequest("Choose whether the call happened or not.")
	}
	var misfit *approval.MisfitError
	switch err := approval.Settle(c.store, r, st, v.r.PostFormValue("force") != "", c.callTimeout); {
	case errors.Is(err, store.ErrNotUnknown):
		return back(fmt.Errorf("the outcome of call %d is known", st.N))
	case errors.As(err, &misfit):
		return back(fmt.Errorf("the result %w", misfit))
	case err != nil:
		return back(err)
	}
	c.Changed(topicRun(r.Begin.ID), topicRuns)
	v.say("ok", "Settled: call %d %s.", st.N, map[bool]string{true: "happened", false: "did not happen"}[st.Happened])
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// callTimeout returns the timeout for calls of a tool.
func (c *Console) callTimeout(tool string) time.Duration {
	files := c.opts.Files
	if files == nil {
		files = &catalog.Files{}
	}
	return files.CallTimeout(tool)
}

// closeRun closes a stopped run; it cannot be resumed afterwards.
func (c *Console) closeRun(v *view, r *record.Run) error {
	if err := c.store.EndRun(r.Begin.ID, v.Name, text.Cut(strings.TrimSpace(v.r.PostFormValue("why")), 500)); err != nil {
		return v.cannot(r, "The run was not closed:", v.why(err))
	}
	c.Changed(topicRun(r.Begin.ID), topicRuns, topicApprovals)
	v.say("ok", "The run is closed; it cannot be resumed.")
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// resume resumes a stopped run.
func (c *Console) resume(v *view, r *record.Run) error {
	if n := len(r.Open()); n > 0 || len(r.Unknown()) > 0 {
		return v.cannot(r, "The run cannot be resumed:", "a call needs approval or is unresolved")
	}
	if err := c.host.Resume(r.Begin.ID); err != nil {
		return v.cannot(r, "The run cannot be resumed here:", v.why(err)+"."+v.terminal("resume", r.Begin.ID))
	}
	c.RunChanged(r.Begin.ID)
	v.say("ok", "The run resumes: calls that were sent are answered from the record.")
	return v.goTo("/runs/" + link(r.Begin.ID))
}

// recordFile sends the full record as one JSON file.
func (c *Console) recordFile(v *view) error {
	release, err := v.sends()
	if err != nil {
		return err
	}
	defer release()
	r, _, err := v.loadUpTo(v.r.PathValue("id"), record.MaxRecord)
	if err != nil {
		return err
	}
	v.downloads(r.Begin.ID + ".json")
	w := bufio.NewWriterSize(v.w, 64<<10)
	err = present.WriteFullRecord(w, r)
	if err == nil {
		err = w.Flush()
	}
	if err != nil && v.r.Context().Err() == nil { // otherwise the browser disconnected
		v.c.log.Error("sending a record", "run", r.Begin.ID, "error", err)
		panic(http.ErrAbortHandler) // aborts the response, so that the client sees that the file is incomplete
	}
	return nil
}

// sendWait limits the wait for a turn to download a file, and sendFor the download.
const sendWait, sendFor = 10 * time.Second, 10 * time.Minute

// sends waits for a turn to send a file that may be large.
func (v *view) sends() (release func(), err error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), sendWait)
	defer cancel()
	if release, err = v.c.sending.take(ctx, v.Viewer); err != nil {
		return nil, &problem{Status: http.StatusServiceUnavailable, Title: "The server is busy",
			Text: "Other downloads are in progress. Try again later."}
	}
	v.w = &timedWriter{v.w, time.Now().Add(sendFor)}
	return release, nil
}

// timedWriter fails writes after end.
type timedWriter struct {
	http.ResponseWriter
	end time.Time
}

func (w *timedWriter) Write(p []byte) (int, error) {
	if time.Now().After(w.end) {
		return 0, os.ErrDeadlineExceeded
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap gives http.ResponseController access to the connection.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// comparable is the data of the page that chooses a run to compare with.
type comparable struct {
	ID, Title string
	Runs      []*record.Summary
	Asked     string
}

// compareWith lists runs to compare with, runs of the same script first.
func (c *Console) compareWith(v *view, r *record.Run) error {
	if other := strings.TrimSpace(v.r.URL.Query().Get("with")); other != "" {
		if _, err := v.load(other); err != nil {
			return &problem{Status: http.StatusNotFound, Title: "Run not found", Text: "No single run has an ID with this prefix.",
				Next: "/runs/" + link(r.Begin.ID) + "/diff", Do: "Choose another"}
		}
		return v.goTo(comparePath(r.Begin.ID, other))
	}
	sum := r.Summary()
	f := v.Filter()
	f.Limit = 200
	d := &comparable{ID: r.Begin.ID, Title: titled(sum)}
	var others []*record.Summary
	for s, err := range c.store.List(v.r.Context(), f) {
		switch {
		case err != nil || s.ID == r.Begin.ID || s.Status == record.Running:
		case s.Name == sum.Name && s.Title == sum.Title:
			d.Runs = append(d.Runs, s)
		default:
			others = append(others, s)
		}
	}
	d.Runs = append(d.Runs, others...)
	d.Runs = d.Runs[:min(len(d.Runs), 30)]
	return v.show("compare.html", &Page{Title: "Compare run " + d.ID, Nav: "runs", Data: d})
}
