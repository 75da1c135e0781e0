package check

import (
	"embed"
	"strings"
)

//go:embed testdata/units
var unitFiles embed.FS

// testOptions are units as the generator makes them, and the predeclared names.
func testOptions() *Options {
	o := &Options{Prelude: unitSource("prelude")}
	for _, name := range []string{"depot", "git", "gitextra", "harbour", "memory", "time"} {
		o.Units = append(o.Units, Unit{Path: "servers/" + name, Source: unitSource(name)})
	}
	o.Units = append(o.Units, Unit{Path: "usetools/host", Source: unitSource("host"), Host: true})
	return o
}

func unitSource(name string) string {
	b, err := unitFiles.ReadFile("testdata/units/" + name + ".go.txt")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(b)) + "\n"
}
