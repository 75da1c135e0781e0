// JSON with custom marshalers at every level: fields, elements, keys, embedded.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

type Level int

const (
	Low Level = iota
	Mid
	High
)

var levelNames = []string{"low", "mid", "high"}

func (l Level) String() string { return levelNames[l] }
func (l Level) MarshalText() ([]byte, error) {
	if l < Low || l > High {
		return nil, fmt.Errorf("bad level %d", int(l))
	}
	return []byte(l.String()), nil
}
func (l *Level) UnmarshalText(b []byte) error {
	i := slices.Index(levelNames, string(b))
	if i < 0 {
		return fmt.Errorf("unknown level %q", b)
	}
	*l = Level(i)
	return nil
}

type Duration struct{ time.Duration }

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }
func (d *Duration) UnmarshalJSON(b []byte) (err error) {
	var v any
	if err = json.Unmarshal(b, &v); err != nil {
		return
	}
	switch x := v.(type) {
	case float64:
		d.Duration = time.Duration(x) * time.Second
	case string:
		d.Duration, err = time.ParseDuration(x)
	default:
		err = fmt.Errorf("duration: unexpected %T", v)
	}
	return
}

type Base struct {
	ID   int    `json:"id"`
	Note string `json:"note,omitempty"`
}

type Task struct {
	Base
	*Owner
	Level   Level           `json:"level"`
	Counts  map[Level]int   `json:"counts,omitempty"`
	History []Level         `json:"history"`
	Timeout Duration        `json:"timeout,omitzero"`
	Extra   json.RawMessage `json:"extra,omitempty"`
	Ratio   *float64        `json:"ratio"`
	Big     int64           `json:"big,string"`
	Skip    string          `json:"-"`
	private int
}

type Owner struct {
	Name string `json:"owner"`
	Tags [2]string
}

func main() {
	t := Task{Base: Base{ID: 7}, Level: High, Counts: map[Level]int{High: 2, Low: 1}, History: []Level{Mid, High},
		Timeout: Duration{90 * time.Second}, Extra: json.RawMessage(`{"a":[1, 2]}`), Big: 1 << 60, Skip: "x", private: 1}
	b, err := json.Marshal(t)
	fmt.Println(string(b), err)
	t.Owner, t.Ratio, t.Timeout = &Owner{"ann", [2]string{"<x>", "&"}}, new(0.25), Duration{}
	b, _ = json.MarshalIndent(t, "", "  ")
	fmt.Println(string(b))

	var back Task
	in := `{"ID":9,"note":"hi","owner":"bob","Tags":["q"],"level":"mid","counts":{"low":3,"high":4},
	"history":["high","low"],"timeout":"1m30s","extra":[true,null],"ratio":1e-3,"big":"12","unknown":{}}`
	if err := json.Unmarshal([]byte(in), &back); err != nil {
		fmt.Println("unexpected", err)
	}
	fmt.Println(back.ID, back.Note, back.Name, back.Tags, back.Level, back.Counts, back.History, back.Timeout, string(back.Extra), *back.Ratio, back.Big)

	for _, bad := range []string{
		`{"level":"huge"}`, `{"counts":{"tiny":1}}`, `{"timeout":"5 parsecs"}`, `{"timeout":[]}`, `{"big":12}`,
		`{"history":["low",5]}`, `{"id":"seven"}`, `{"id":1.5}`, `{"id":1}}`, `{"id":`, `[]`, `{"Tags":{}}`,
	} {
		var x Task
		err := json.Unmarshal([]byte(bad), &x)
		var ute *json.UnmarshalTypeError
		var se *json.SyntaxError
		switch {
		case errors.As(err, &ute):
			fmt.Printf("%-28s type: value=%s field=%q offset=%d\n", bad, ute.Value, ute.Field, ute.Offset)
		case errors.As(err, &se):
			fmt.Printf("%-28s syntax at %d: %v\n", bad, se.Offset, se)
		default:
			fmt.Printf("%-28s %v\n", bad, err)
		}
	}
	_, err = json.Marshal(map[string]any{"x": []any{Level(9)}})
	fmt.Println(err)
	dec := json.NewDecoder(strings.NewReader(`{"id":1,"nope":2}`))
	dec.DisallowUnknownFields()
	fmt.Println(dec.Decode(&back), back.ID)
	dec = json.NewDecoder(strings.NewReader(`{"n": 12345678901234567890, "f": 1.0} {"n": 2} oops`))
	dec.UseNumber()
	for {
		var m map[string]any
		if err := dec.Decode(&m); err != nil {
			fmt.Println("stop:", err)
			break
		}
		fmt.Printf("%v %T\n", m, m["n"])
	}
}
