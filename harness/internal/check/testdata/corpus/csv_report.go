package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

const data = `date,region,product,units,price
2026-01-03,EU,Widget,10,2.50
2026-01-04,US,"Gadget, large",3,19.99
2026-01-09,EU,Widget,x,2.50
2026-02-01,EU,"Gizmo ""X""",7,4.00
2026-02-11,US,Widget,20,2.25
2026-02-30,US,Widget,1,1
2026-03-01,APAC,Widget
2026-03-05,APAC,Gadget,2,18.5
`

type Sale struct {
	Date            time.Time
	Region, Product string
	Units           int
	Price           float64
}

func (s Sale) Revenue() float64 { return float64(s.Units) * s.Price }

type RowError struct {
	Row   int
	Field string
	Err   error
}

func (e *RowError) Error() string {
	return "row " + strconv.Itoa(e.Row) + ", " + e.Field + ": " + e.Err.Error()
}
func (e *RowError) Unwrap() error { return e.Err }

func read(r io.Reader) (sales []Sale, errs []error) {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = -1
	head, err := cr.Read()
	if err != nil {
		return nil, []error{err}
	}
	idx := make(map[string]int, len(head))
	for i, h := range head {
		idx[h] = i
	}
	for row := 2; ; row++ {
		rec, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if len(rec) != len(head) {
			errs = append(errs, &RowError{row, "*", fmt.Errorf("%d fields, want %d", len(rec), len(head))})
			continue
		}
		fail := func(f string, err error) { errs = append(errs, &RowError{row, f, err}) }
		var s Sale
		if s.Date, err = time.Parse(time.DateOnly, rec[idx["date"]]); err != nil {
			fail("date", err)
			continue
		}
		if s.Units, err = strconv.Atoi(rec[idx["units"]]); err != nil {
			fail("units", err)
			continue
		}
		if s.Price, err = strconv.ParseFloat(rec[idx["price"]], 64); err != nil {
			fail("price", err)
			continue
		}
		s.Region, s.Product = rec[idx["region"]], rec[idx["product"]]
		sales = append(sales, s)
	}
	return
}

type Group struct {
	Name  string
	Sales []Sale
}

func (g *Group) Total() (t float64) {
	for _, s := range g.Sales {
		t += s.Revenue()
	}
	return
}
func (g Group) Best() Sale {
	return slices.MaxFunc(g.Sales, func(a, b Sale) int { return cmp.Compare(a.Revenue(), b.Revenue()) })
}

var tmpl = template.Must(template.New("r").Funcs(template.FuncMap{
	"money": func(f float64) string { return fmt.Sprintf("€%.2f", f) },
	"upper": strings.ToUpper,
}).Parse(`{{range $i, $g := .Groups}}{{if $i}}
{{end}}{{$g.Name | upper | printf "%-6s"}} {{money $g.Total}}
{{- range .Sales}}
  {{.Date.Format "Jan 02"}} {{printf "%-14q" .Product}} {{.Units}}×{{printf "%.2f" .Price}}{{if gt .Revenue 50.0}} *{{end}}
{{- else}} none{{end}}
  best: {{with .Best}}{{.Product}} in {{.Date.Month}}{{end}}{{end}}
{{len .Errors}} errors{{range .Errors}}
 - {{.}}{{end}}
`))

func main() {
	sales, errs := read(strings.NewReader(data))
	groups := map[string]*Group{}
	for _, s := range sales {
		g := groups[s.Region]
		if g == nil {
			g = &Group{Name: s.Region}
			groups[s.Region] = g
		}
		g.Sales = append(g.Sales, s)
	}
	gs := slices.SortedFunc(maps.Values(groups), func(a, b *Group) int { return cmp.Compare(b.Total(), a.Total()) })
	err := tmpl.Execute(os.Stdout, struct {
		Groups []*Group
		Errors []error
	}{gs, errs})
	if err != nil {
		fmt.Println("template:", err)
	}
	var ne *strconv.NumError
	for _, e := range errs {
		fmt.Println(errors.As(e, &ne), errors.Is(e, strconv.ErrSyntax))
	}
	w := csv.NewWriter(os.Stdout)
	w.Comma = ';'
	for _, s := range sales {
		w.Write([]string{s.Product, fmt.Sprint(s.Units), s.Date.Weekday().String()})
	}
	w.Flush()
	_, err = csv.NewReader(strings.NewReader("a,\"b\nc")).ReadAll()
	fmt.Printf("%v | %T\n", err, err)
}
