package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

type Reading struct {
	Station string    `json:"station"`
	At      time.Time `json:"at"`
	TempC   *float64  `json:"temp_c"`
	Wind    struct {
		Speed float64 `json:"speed"`
		Dir   string  `json:"dir,omitempty"`
	} `json:"wind"`
	Flags []string `json:"flags,omitempty"`
}
type Agg struct {
	N          int      `json:"n"`
	Min        float64  `json:"min"`
	Max        float64  `json:"max"`
	Avg        float64  `json:"avg"`
	Missing    int      `json:"missing,omitempty"`
	Directions []string `json:"directions"`
	sum        float64
}

const feed = `{"station":"OSL","at":"2026-01-05T06:00:00Z","temp_c":-7.5,"wind":{"speed":3.2,"dir":"N"}}
{"station":"OSL","at":"2026-01-05T12:00:00+02:00","temp_c":-1,"wind":{"speed":5,"dir":"NW"},"flags":["gust"]}
{"station":"BGO","at":"2026-01-05T06:00:00Z","temp_c":4.25,"wind":{"speed":11.5,"dir":"W"},"flags":["rain","gust"]}
{"station":"BGO","at":"2026-01-06T06:00:00Z","temp_c":null,"wind":{}}
{"station":"OSL","at":"2026-01-06","temp_c":1,"wind":{}}
{"station":"TOS","at":"2026-01-06T07:30:00Z","temp_c":"cold","wind":{"speed":1}}
{"station":"TOS","at":"2026-01-06T07:30:00Z","temp_c":-12.75,"wind":{"speed":0.5,"dir":"N"}}`

func decode[T any](lines iter.Seq[string]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for l := range lines {
			var v T
			err := json.Unmarshal([]byte(l), &v)
			if err != nil {
				err = fmt.Errorf("%.20s…: %w", l, err)
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
func groupBy[K comparable, V any](seq iter.Seq[V], key func(V) K) iter.Seq2[K, []V] {
	m := map[K][]V{}
	var order []K
	for v := range seq {
		k := key(v)
		if _, ok := m[k]; !ok {
			order = append(order, k)
		}
		m[k] = append(m[k], v)
	}
	return func(yield func(K, []V) bool) {
		for _, k := range order {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
func aggregate(rs []Reading) (a Agg) {
	dirs := map[string]int{}
	for i, r := range rs {
		if r.Wind.Dir != "" {
			dirs[r.Wind.Dir]++
		}
		if r.TempC == nil {
			a.Missing++
			continue
		}
		t := *r.TempC
		if i == 0 || a.N == 0 {
			a.Min, a.Max = t, t
		}
		a.Min, a.Max, a.sum, a.N = min(a.Min, t), max(a.Max, t), a.sum+t, a.N+1
	}
	if a.N > 0 {
		a.Avg = a.sum / float64(a.N)
	}
	a.Directions = slices.Sorted(maps.Keys(dirs))
	return
}

type key struct {
	station string
	day     string
}

func (k key) MarshalText() ([]byte, error) { return []byte(k.station + "@" + k.day), nil }

func main() {
	var rs []Reading
	for r, err := range decode[Reading](strings.Lines(feed)) {
		if err != nil {
			fmt.Println("bad:", err)
			continue
		}
		rs = append(rs, r)
	}
	out := map[key]Agg{}
	for k, g := range groupBy(slices.Values(rs), func(r Reading) key { return key{r.Station, r.At.UTC().Format(time.DateOnly)} }) {
		out[k] = aggregate(g)
		fmt.Printf("%v %+v\n", k, out[k])
	}
	b, err := json.MarshalIndent(out, "", "  ")
	fmt.Println(string(b), err)
	hottest := slices.MaxFunc(rs, func(a, b Reading) int {
		switch {
		case a.TempC == nil:
			return -1
		case b.TempC == nil:
			return 1
		}
		return cmp.Compare(*a.TempC, *b.TempC)
	})
	fmt.Println(hottest.Station, *hottest.TempC, hottest.At, hottest.Wind)
	flags := map[string][]string{}
	for _, r := range rs {
		for _, f := range r.Flags {
			flags[f] = append(flags[f], r.Station)
		}
	}
	fmt.Println(flags)
	b, _ = json.Marshal(rs[2])
	fmt.Println(string(b))
	var any1 map[string]any
	json.Unmarshal(b, &any1)
	w := any1["wind"].(map[string]any)
	sp, ok := w["speed"].(int)
	fmt.Println(sp, ok, w["speed"].(float64), any1["flags"].([]any)[1])
	for d, n := range maps.All(map[string]int{"only": 1}) {
		fmt.Println(d, n)
	}
	sorted := slices.Collect(maps.Keys(flags))
	slices.SortFunc(sorted, func(a, b string) int { return cmp.Or(-cmp.Compare(len(flags[a]), len(flags[b])), cmp.Compare(a, b)) })
	fmt.Println(sorted)
}
