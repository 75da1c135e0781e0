package build

import (
	"encoding/json"
	"time"

	"github.com/usetools/usetools/registry"
)

// Report describes a build, server by server in the order of their names.
type Report struct {
	Servers []ServerReport
	Changes registry.Changes // against Options.Previous
	Changed []Change         // details of Changes.Changed
	Pins    error            // why the pins could not be read or written
	Time    time.Duration
}

// ServerReport is the result of asking one server.
type ServerReport struct {
	Name      string
	Transport string
	Tools     int // in the registry, including stale ones
	Skills    int // in the registry
	Hidden    int // removed by the server's include and exclude lists
	Time      time.Duration
	Err       error    // why it could not be asked
	Pending   bool     // it has not answered yet
	Stale     bool     // its tools are those of an earlier build
	Problems  []string // with single tools
}

// OK returns how many servers answered.
func (r *Report) OK() int {
	n := 0
	for _, s := range r.Servers {
		if s.Err == nil {
			n++
		}
	}
	return n
}

// MarshalJSON writes times in milliseconds and errors as text.
func (r *Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Servers []ServerReport   `json:"servers"`
		Changes registry.Changes `json:"changes"`
		Changed []Change         `json:"changed,omitempty"`
		Pins    *string          `json:"pins,omitempty"`
		Ms      float64          `json:"ms"`
	}{r.Servers, r.Changes, r.Changed, errorText(r.Pins), ms(r.Time)})
}

// MarshalJSON writes the time in milliseconds and the error as text.
func (s ServerReport) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name      string   `json:"name"`
		Transport string   `json:"transport"`
		Tools     int      `json:"tools"`
		Skills    int      `json:"skills,omitempty"`
		Hidden    int      `json:"hidden,omitempty"`
		Ms        float64  `json:"ms"`
		Error     *string  `json:"error"`
		Stale     bool     `json:"stale,omitempty"`
		Problems  []string `json:"problems,omitempty"`
	}{s.Name, s.Transport, s.Tools, s.Skills, s.Hidden, ms(s.Time), errorText(s.Err), s.Stale, s.Problems})
}

// errorText returns an error's text, or nil without an error.
func errorText(err error) *string {
	if err == nil {
		return nil
	}
	s := err.Error()
	return &s
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (a *answer) report() ServerReport {
	return ServerReport{
		Name: a.server.Name, Transport: a.server.Transport, Tools: len(a.tools), Skills: len(a.server.Skills), Hidden: a.hidden,
		Time: a.time, Err: a.err, Pending: a.pending(), Stale: a.err != nil && len(a.tools) > 0, Problems: a.server.Problems,
	}
}
