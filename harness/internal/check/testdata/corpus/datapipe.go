package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Row struct {
	TS    time.Time
	Host  string
	Kind  string
	Value float64
	Tags  map[string]string
}

type Stage func(in <-chan Row, emit func(Row))

func pipe(src []Row, stages ...Stage) []Row {
	ch := make(chan Row)
	go func() {
		defer close(ch)
		for _, r := range src {
			ch <- r
		}
	}()
	var cur <-chan Row = ch
	for _, st := range stages {
		next := make(chan Row)
		go func(in <-chan Row) {
			defer close(next)
			st(in, func(r Row) { next <- r })
		}(cur)
		cur = next
	}
	var out []Row
	for r := range cur {
		out = append(out, r)
	}
	return out
}

func filter(p func(Row) bool) Stage {
	return func(in <-chan Row, emit func(Row)) {
		for r := range in {
			if p(r) {
				emit(r)
			}
		}
	}
}

func window(d time.Duration, agg func([]float64) float64) Stage {
	return func(in <-chan Row, emit func(Row)) {
		type key struct {
			at         time.Time
			host, kind string
		}
		acc := map[key][]float64{}
		for r := range in {
			k := key{r.TS.Truncate(d), r.Host, r.Kind}
			acc[k] = append(acc[k], r.Value)
		}
		keys := slices.SortedFunc(maps.Keys(acc), func(a, b key) int {
			return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.host, b.host), cmp.Compare(a.kind, b.kind))
		})
		for _, k := range keys {
			emit(Row{TS: k.at, Host: k.host, Kind: k.kind, Value: agg(acc[k])})
		}
	}
}

func delta() Stage {
	last := map[string]float64{}
	return func(in <-chan Row, emit func(Row)) {
		for r := range in {
			k := r.Host + "/" + r.Kind
			prev, ok := last[k]
			last[k] = r.Value
			if ok {
				r.Value -= prev
				emit(r)
			}
		}
	}
}

func parseInflux(line string) (r Row, err error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 {
		return r, fmt.Errorf("want 3 parts, got %d", len(parts))
	}
	kind, tags, _ := strings.Cut(parts[0], ",")
	r.Kind, r.Tags = kind, map[string]string{}
	for t := range strings.SplitSeq(tags, ",") {
		if k, v, ok := strings.Cut(t, "="); ok {
			r.Tags[k] = v
		}
	}
	r.Host = r.Tags["host"]
	delete(r.Tags, "host")
	_, num, ok := strings.Cut(parts[1], "=")
	if !ok {
		return r, fmt.Errorf("field %q", parts[1])
	}
	if r.Value, err = strconv.ParseFloat(num, 64); err != nil {
		return
	}
	ns, err := strconv.ParseInt(parts[2], 10, 64)
	r.TS = time.Unix(0, ns).UTC()
	return
}

func main() {
	var src strings.Builder
	for i := range 24 {
		fmt.Fprintf(&src, "cpu,host=h%d,zone=z v=%d.5 %d\n", i%2, i*i, int64(i)*15e9)
	}
	src.WriteString("bad line\ncpu,host=a v=x 1\ncpu v 1\n")
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	io.WriteString(zw, src.String())
	zw.Close()
	zr, err := gzip.NewReader(&zipped)
	if err != nil {
		fmt.Println(err)
		return
	}
	var rows []Row
	sc := bufio.NewScanner(zr)
	for sc.Scan() {
		r, err := parseInflux(sc.Text())
		if err != nil {
			fmt.Println("skip:", err)
			continue
		}
		rows = append(rows, r)
	}
	out := pipe(rows,
		filter(func(r Row) bool { return r.Value > 2 }),
		window(time.Minute, func(v []float64) float64 { return slices.Max(v) }),
		delta())
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	for _, r := range out {
		w.Write([]string{r.TS.Format(time.RFC3339), r.Host, r.Kind, strconv.FormatFloat(r.Value, 'f', 2, 64)})
	}
	w.Flush()
	fmt.Print(buf.String())
	sum := sha256.Sum256(buf.Bytes())
	fmt.Println(hex.EncodeToString(sum[:6]), base64.RawURLEncoding.EncodeToString(sum[:5]), len(rows))
	b, err := json.Marshal(rows[1])
	fmt.Println(string(b), err)
	var back Row
	fmt.Println(json.Unmarshal(b, &back), back.TS.Equal(rows[1].TS), back.Tags)
}
