package console

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/present"
)

// track is something over time, as a path of 1000 by 20.
type track struct {
	Class, Name, Value string
	Path               template.HTML
}

// maxSamples is how many samples of a run's use of the machine are drawn.
const maxSamples = 1000

// everySecond keeps one of two samples, the one with more memory.
func everySecond(all []present.Sample) []present.Sample {
	half := make([]present.Sample, 0, len(all)/2+1)
	for i := 0; i < len(all); i += 2 {
		s := all[i]
		if i+1 < len(all) && all[i+1].Memory > s.Memory {
			s = all[i+1]
		}
		half = append(half, s)
	}
	return half
}

// tracks are CPU and memory over time.
func (m *scoreMaker) tracks() []track {
	v := m.view
	if len(v.Usage) < 2 {
		return nil
	}
	most := 1.0 // cores
	for _, s := range v.Usage {
		most = max(most, s.CPU)
	}
	var cpu, memory strings.Builder
	cpu.WriteString("M0 20")
	memory.WriteString("M0 20")
	usage := v.Usage
	for len(usage) > maxSamples { // of a record that the harness did not write
		usage = everySecond(usage)
	}
	for _, s := range usage {
		x := m.axis.x(s.At) * 10
		fmt.Fprintf(&cpu, "V%.1fH%.1f", 20-18*s.CPU/most, x)
		fmt.Fprintf(&memory, "L%.1f %.1f", x, 20-18*float64(s.Memory)/float64(max(v.Peak, 1)))
	}
	draw := func(line string) template.HTML { // of numbers alone
		return template.HTML(fmt.Sprintf(`<path class="area" d="%sV20L0 20Z"/><path d="%s"/>`, line, line))
	}
	return []track{
		{"CPU", "CPU", present.Duration(v.CPU), draw(cpu.String())},
		{"memory", "memory", fmt.Sprintf("%d MB", v.Peak>>20), draw(memory.String())},
	}
}

// flight is how many calls were under way over time, and at most.
func (m *scoreMaker) flight() (template.HTML, int) {
	type edge struct {
		x float64
		d int
	}
	var edges []edge
	for _, s := range m.view.Sources {
		for _, p := range s.Places {
			for _, b := range p.Calls {
				if b.End > b.Start || b.State == present.Running {
					end := b.End
					if b.State == present.Running {
						end = m.axis.total
					}
					edges = append(edges, edge{m.axis.x(b.Start), 1}, edge{m.axis.x(end), -1})
				}
			}
		}
	}
	if len(edges) == 0 {
		return "", 0
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.d, b.d)) })
	most, k := 1, 0
	for _, e := range edges {
		k += e.d
		most = max(most, k)
	}
	// of what happens within a thousandth the most counts
	var path strings.Builder
	path.WriteString("M0 20")
	k = 0
	for i := 0; i < len(edges); {
		x := math.Floor(edges[i].x * 10)
		peak := k
		for i < len(edges) && math.Floor(edges[i].x*10) == x {
			k += edges[i].d
			peak = max(peak, k)
			i++
		}
		if len(edges) <= 400 {
			peak = k
		}
		fmt.Fprintf(&path, "H%.0fV%.1f", x, 20-18*float64(peak)/float64(most))
		if peak != k {
			fmt.Fprintf(&path, "H%.0fV%.1f", x+1, 20-18*float64(k)/float64(most))
		}
	}
	d := path.String()
	return template.HTML(`<path class="area" d="` + d + `H1000V20Z"/><path d="` + d + `"/>`), most
}
