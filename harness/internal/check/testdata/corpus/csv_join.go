// CSV: read with headers, join two tables by key, aggregate, quote on write, error positions.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

type Row map[string]string

type Table struct {
	Cols []string
	Rows []Row
}

func Read(r io.Reader, comma rune) (t Table, err error) {
	cr := csv.NewReader(r)
	cr.Comma, cr.Comment, cr.TrimLeadingSpace = comma, '#', true
	for {
		rec, e := cr.Read()
		switch {
		case e == io.EOF:
			return
		case e != nil:
			return t, e
		case t.Cols == nil:
			t.Cols = slices.Clone(rec)
			continue
		}
		row := make(Row, len(rec))
		for i, c := range t.Cols {
			row[c] = rec[i]
		}
		t.Rows = append(t.Rows, row)
	}
}

func Join(a, b Table, on string, outer bool) (out Table) {
	idx := map[string][]Row{}
	for _, r := range b.Rows {
		idx[r[on]] = append(idx[r[on]], r)
	}
	out.Cols = slices.Clone(a.Cols)
	for _, c := range b.Cols {
		if c != on {
			out.Cols = append(out.Cols, c)
		}
	}
	for _, r := range a.Rows {
		matches := idx[r[on]]
		if matches == nil && outer {
			matches = []Row{nil}
		}
		for _, m := range matches {
			j := maps.Clone(r)
			maps.Copy(j, m)
			out.Rows = append(out.Rows, j)
		}
	}
	return
}

func (t Table) Write(w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(t.Cols); err != nil {
		return err
	}
	for _, r := range t.Rows {
		rec := make([]string, len(t.Cols))
		for i, c := range t.Cols {
			rec[i] = r[c]
		}
		cw.Write(rec)
	}
	cw.Flush()
	return cw.Error()
}

func SumBy(t Table, key, val string) (sums map[string]float64, errs error) {
	sums = make(map[string]float64)
	for i, r := range t.Rows {
		v, err := strconv.ParseFloat(r[val], 64)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("row %d: %w", i+1, err))
			continue
		}
		sums[r[key]] += v
	}
	return
}

type limitWriter struct {
	w io.Writer
	n int
}

func (l *limitWriter) Write(p []byte) (int, error) {
	if len(p) > l.n {
		return 0, io.ErrShortWrite
	}
	l.n -= len(p)
	return l.w.Write(p)
}

func main() {
	people, err := Read(strings.NewReader("id,name\n1,Ann\n# note\n2, \"Bob \"\"B\"\" Lee\"\n3,\"multi\nline\"\n"), ',')
	fmt.Println(len(people.Rows), err)
	orders, err := Read(strings.NewReader("id;amount\n1;10.5\n1;4\n3;x\n9;7\n2;1e2\n"), ';')
	fmt.Println(len(orders.Rows), err)
	j := Join(people, orders, "id", false)
	if err := j.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	sums, err := SumBy(j, "name", "amount")
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		fmt.Printf("%q %.2f\n", k, sums[k])
	}
	fmt.Println(err, errors.Is(err, strconv.ErrSyntax))
	Join(orders, people, "id", true).Write(os.Stdout)
	for _, bad := range []string{"a,b\n1,2,3\n", "a\n\"open\n", "a,b\nx\"y,z\n", ""} {
		t, err := Read(strings.NewReader(bad), ',')
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			fmt.Println(pe.StartLine, pe.Line, pe.Column, pe.Err, errors.Is(err, csv.ErrFieldCount))
		} else {
			fmt.Println(t.Cols == nil, err)
		}
	}
	fmt.Println(j.Write(&limitWriter{os.Stdout, 3}))
	cr := csv.NewReader(strings.NewReader("p|q\nr|s|t\n"))
	cr.Comma, cr.FieldsPerRecord = '|', -1
	all, err := cr.ReadAll()
	fmt.Printf("%q %v\n", all, err)
}
