// A batch job: parse messy records, clean, aggregate by station with generics, report as JSON, CSV and text bars.
package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const raw = `station,ts,temp,hum
KA, 2025-01-01T00:00, 3.5 ,81
KA,2025-01-01T06:00,"-1,5",90
HD,2025-01-01T00:00,NA,70
HD,2025-01-01T06:00,7.25,
KA,2025-01-02T00:00,120,50
HD,bad-date,1,1
KA,2025-01-02T06:00,4.0,79.5
,2025-01-02T06:00,4.0,79.5
ZZ,2025-01-03T00:00,0,0`

type Opt[T any] struct {
	V  T
	OK bool
}

func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.OK {
		return []byte("null"), nil
	}
	return json.Marshal(o.V)
}

type Obs struct {
	Station string       `json:"st"`
	At      time.Time    `json:"at"`
	Temp    Opt[float64] `json:"temp"`
	Hum     Opt[float64] `json:"hum"`
}

type RowError struct {
	Row   int
	Field string
	Err   error
}

func (r *RowError) Error() string { return fmt.Sprintf("row %d, %s: %v", r.Row, r.Field, r.Err) }
func (r *RowError) Unwrap() error { return r.Err }

var (
	ErrEmpty = errors.New("empty")
	ErrRange = errors.New("out of range")
)

func number(s string, lo, hi float64) (o Opt[float64], err error) {
	s = strings.TrimSpace(strings.ReplaceAll(s, ",", "."))
	if s == "" || strings.EqualFold(s, "na") {
		return
	}
	if o.V, err = strconv.ParseFloat(s, 64); err != nil {
		return
	}
	if o.V < lo || o.V > hi {
		return Opt[float64]{}, fmt.Errorf("%g: %w", o.V, ErrRange)
	}
	o.OK = true
	return
}

func parse(src string) (out []Obs, err error) {
	cr := csv.NewReader(strings.NewReader(src))
	cr.TrimLeadingSpace = true
	rows, err := cr.ReadAll()
	if err != nil {
		return nil, err
	}
	col := map[string]int{}
	for i, h := range rows[0] {
		col[h] = i
	}
	var errs []error
rows:
	for n, row := range rows[1:] {
		o := Obs{Station: row[col["station"]]}
		for _, f := range []struct {
			name string
			set  func(string) error
		}{
			{"station", func(s string) error {
				if s == "" {
					return ErrEmpty
				}
				return nil
			}},
			{"ts", func(s string) (err error) { o.At, err = time.Parse("2006-01-02T15:04", s); return }},
			{"temp", func(s string) (err error) { o.Temp, err = number(s, -60, 60); return }},
			{"hum", func(s string) (err error) { o.Hum, err = number(s, 0, 100); return }},
		} {
			if err := f.set(row[col[f.name]]); err != nil {
				errs = append(errs, &RowError{n + 1, f.name, err})
				continue rows
			}
		}
		out = append(out, o)
	}
	return out, errors.Join(errs...)
}

type Summary struct {
	N        int
	Min, Max float64
	sum      float64
	Days     map[string]int
}

func (s *Summary) Mean() float64 { return s.sum / float64(s.N) }
func (s *Summary) MarshalJSON() ([]byte, error) {
	type plain Summary
	return json.Marshal(struct {
		*plain
		Mean string `json:"mean"`
		Min  int
	}{(*plain)(s), fmt.Sprintf("%.2f", s.Mean()), int(math.Floor(s.Min))})
}

func aggregate(obs []Obs, pick func(Obs) Opt[float64]) map[string]*Summary {
	out := map[string]*Summary{}
	for _, o := range obs {
		v := pick(o)
		if !v.OK {
			continue
		}
		s := out[o.Station]
		if s == nil {
			s = &Summary{Min: math.Inf(1), Max: math.Inf(-1), Days: map[string]int{}}
			out[o.Station] = s
		}
		s.N++
		s.sum += v.V
		s.Min, s.Max = min(s.Min, v.V), max(s.Max, v.V)
		s.Days[o.At.Weekday().String()[:3]]++
	}
	return out
}

func main() {
	obs, err := parse(raw)
	fmt.Println(len(obs), err)
	var re *RowError
	var pe *time.ParseError
	fmt.Println(errors.As(err, &re), re.Row, errors.Is(err, ErrRange), errors.Is(err, ErrEmpty), errors.As(err, &pe), pe.Value)
	b, _ := json.Marshal(obs[:3])
	fmt.Println(string(b))
	temps := aggregate(obs, func(o Obs) Opt[float64] { return o.Temp })
	b, err = json.MarshalIndent(temps, "", "  ")
	fmt.Println(string(b), err)
	w := bufio.NewWriter(os.Stdout)
	cw := csv.NewWriter(w)
	cw.Comma = ';'
	cw.Write([]string{"station", "n", "mean", "note"})
	for _, st := range slices.SortedFunc(maps.Keys(temps), func(a, b string) int { return cmp.Or(-cmp.Compare(temps[a].N, temps[b].N), cmp.Compare(a, b)) }) {
		s := temps[st]
		cw.Write([]string{st, strconv.Itoa(s.N), strconv.FormatFloat(s.Mean(), 'f', 1, 64), strings.Join(slices.Sorted(maps.Keys(s.Days)), ";")})
	}
	cw.Flush()
	for _, o := range obs {
		bar := "?"
		if o.Temp.OK {
			bar = strings.Repeat("=", max(0, int(o.Temp.V*2))) + fmt.Sprintf(" %.2f", o.Temp.V)
		}
		fmt.Fprintf(w, "%-3s%s|%s\n", o.Station, o.At.Format("02/15h"), bar)
	}
	fmt.Fprintln(w, cw.Error(), w.Flush(), w.Buffered())
	w.Flush()
	_, err = parse("a,b\n1\n")
	fmt.Println(err, errors.Is(err, csv.ErrFieldCount))
	defer func() { fmt.Println("no columns:", recover()) }()
	parse("station\n")
	parse("")
}
