package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

type Event struct {
	ID      int             `json:"id"`
	Type    string          `json:"type"`
	At      time.Time       `json:"at"`
	Payload json.RawMessage `json:"payload"`
}

type Payload interface{ Apply(*State) error }

type Created struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}
type Renamed struct {
	From, To string
}
type Deleted struct {
	Reason *string `json:"reason"`
}

type State struct {
	Names   map[string]int `json:"names"`
	History []string       `json:"history"`
	Last    *time.Time     `json:"last,omitempty"`
	Dur     Duration       `json:"dur"`
}

type Duration struct{ time.Duration }

func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }
func (d *Duration) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch x := v.(type) {
	case float64:
		d.Duration = time.Duration(x)
	case string:
		var err error
		d.Duration, err = time.ParseDuration(x)
		return err
	default:
		return fmt.Errorf("invalid duration %v (%T)", x, x)
	}
	return nil
}

func (c Created) Apply(s *State) error {
	s.Names[c.Name] = len(c.Tags)
	s.History = append(s.History, "+"+c.Name)
	return nil
}
func (r *Renamed) Apply(s *State) error {
	n, ok := s.Names[r.From]
	if !ok {
		return fmt.Errorf("rename: %q unknown", r.From)
	}
	delete(s.Names, r.From)
	s.Names[r.To] = n
	s.History = append(s.History, r.From+"->"+r.To)
	return nil
}
func (d Deleted) Apply(s *State) error {
	if d.Reason == nil {
		return errors.New("delete: no reason")
	}
	clear(s.Names)
	s.History = append(s.History, "clear:"+*d.Reason)
	return nil
}

var registry = map[string]func() Payload{
	"created": func() Payload { return &Created{} },
	"renamed": func() Payload { return new(Renamed) },
	"deleted": func() Payload { return &Deleted{} },
}

func decode(e Event) (Payload, error) {
	mk, ok := registry[e.Type]
	if !ok {
		return nil, fmt.Errorf("event %d: unknown type %q", e.ID, e.Type)
	}
	p := mk()
	dec := json.NewDecoder(bytes.NewReader(e.Payload))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("event %d: %w", e.ID, err)
	}
	return p, nil
}

const stream = `
{"id":1,"type":"created","at":"2024-03-01T10:00:00Z","payload":{"name":"a","tags":["x","y"]}}
{"id":2,"type":"renamed","at":"2024-03-01T10:00:05.25+02:00","payload":{"from":"a","TO":"b"}}
{"id":3,"type":"moved","at":"2024-03-01T10:01:00Z","payload":null}
{"id":4,"type":"created","at":"2024-03-01T10:02:00Z","payload":{"name":"c","oops":1}}
{"id":5,"type":"renamed","at":"2024-03-01T10:03:00Z","payload":{"from":"q","to":"r"}}
{"id":6,"type":"created","at":"2024-03-01T10:03:00Z","payload":{"name":7}}
{"id":7,"type":"deleted","at":"2024-03-01T10:04:00Z","payload":{}}
{"id":8,"type":"deleted","at":"2024-03-01T10:04:00Z","payload":{"reason":"done"}}
{"id":"9"}
`

func main() {
	st := &State{Names: map[string]int{}, Dur: Duration{90 * time.Second}}
	dec := json.NewDecoder(strings.NewReader(stream))
	var first time.Time
	for {
		var e Event
		err := dec.Decode(&e)
		if err == io.EOF {
			break
		}
		if err != nil {
			var te *json.UnmarshalTypeError
			if errors.As(err, &te) {
				fmt.Println("type error:", te.Field, te.Value, te.Type, err)
				break
			}
			fmt.Println("fatal:", err)
			break
		}
		if first.IsZero() {
			first = e.At
		}
		p, err := decode(e)
		if err == nil {
			err = p.Apply(st)
		}
		if err != nil {
			fmt.Println("skip:", err)
			continue
		}
		fmt.Printf("%d %T %v\n", e.ID, p, e.At.Sub(first))
		st.Last = &e.At
	}
	b, _ := json.Marshal(st)
	fmt.Println(string(b))
	var back State
	fmt.Println(json.Unmarshal(b, &back), back.Dur, back.History, back.Last.UTC().Format(time.RFC1123))
	fmt.Println(json.Unmarshal([]byte(`{"dur":[1]}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"dur":"5 parsecs"}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"dur":1500000000}`), &back), back.Dur)
}
