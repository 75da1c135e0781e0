package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

// inventedServers are servers that no model has seen: a harbour with typed
// results, a pottery whose results are texts, moths with nested objects.
func inventedServers(t *testing.T) *registry.Registry {
	t.Helper()
	ro := true
	read := &registry.Annotations{ReadOnly: &ro}
	tool := func(server, name, description, input, output string, a *registry.Annotations) registry.Tool {
		x := registry.Tool{Server: server, Name: name, Description: description, Input: json.RawMessage(input),
			Annotations: a}
		if output != "" {
			x.Output = json.RawMessage(output)
		}
		return x
	}
	const none = `{"type":"object","properties":{}}`
	reg := realServers(t, "mcp-server-git", "git-cyanheads", "github-mcp-server", "memory", "mongodb", "filesystem",
		"everything", "redis")
	reg.Tools = append(reg.Tools,
		tool("harbour", "berths_free", "List the berths of a port that are free on a day",
			`{"type":"object","properties":{"port":{"type":"string","description":"UN/LOCODE of the port"},"day":{"type":"string","description":"ISO date"},"min_length":{"type":"number","description":"in metres"}},"required":["port","day"]}`,
			`{"type":"object","properties":{"berths":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"length":{"type":"number"},"depth":{"type":"number"}},"required":["id","length","depth"]}}},"required":["berths"]}`, read),
		tool("harbour", "berth_plan", "Which ships lie at which berth, by hour",
			`{"type":"object","properties":{"port":{"type":"string"},"berth":{"type":"string"}},"required":["port"]}`, "", read),
		tool("harbour", "tides", "High and low water of a port",
			`{"type":"object","properties":{"port":{"type":"string"},"day":{"type":"integer","description":"days from today","default":0},"datum":{"type":"string","enum":["LAT","MSL","CD"],"default":"LAT"}},"required":["port"]}`,
			`{"type":"object","properties":{"tides":{"type":"array","items":{"type":"object","properties":{"at":{"type":"string"},"kind":{"type":"string"},"cm":{"type":"integer"}},"required":["at","kind","cm"]}}},"required":["tides"]}`, read),
		tool("harbour", "book_berths", "Book berths for stays of a ship",
			`{"type":"object","properties":{"ship":{"type":"string"},"stays":{"type":"array","items":{"type":"object","properties":{"berth":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},"shore_power":{"type":"boolean"}},"required":["berth","from","to"]}}},"required":["ship","stays"]}`,
			`{"type":"object","properties":{"booked":{"type":"integer"}},"required":["booked"]}`, nil),
		tool("harbour", "find_ship", "Look up a ship by its call sign or name",
			`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":["query"]}`, "",
			read),
		tool("harbour", "pilots_on_duty", "The pilots that are on duty now", none,
			`{"type":"object","properties":{"pilots":{"type":"array","items":{"type":"string"}}},"required":["pilots"]}`, read),
		tool("kilnworks", "firing_schedule", "The firings that are planned for a kiln",
			`{"type":"object","properties":{"kiln":{"type":"string"},"week":{"type":"integer"}},"required":["kiln"]}`, "", read),
		tool("kilnworks", "glaze_search", "Search glazes by colour and temperature",
			`{"type":"object","properties":{"colour":{"type":"string"},"min_celsius":{"type":"integer"},"max_celsius":{"type":"integer"}}}`, "", read),
		tool("kilnworks", "glaze_stock", "How many kilograms of a glaze are left",
			`{"type":"object","properties":{"glaze_id":{"type":"string"}},"required":["glaze_id"]}`, "", read),
		tool("kilnworks", "start_firing", "Start a firing of a kiln",
			`{"type":"object","properties":{"kiln":{"type":"string"},"program":{"type":"object","properties":{"name":{"type":"string"},"peak_celsius":{"type":"integer"},"hold_minutes":{"type":"integer"}},"required":["name","peak_celsius"]}},"required":["kiln","program"]}`, "", nil),
		tool("kilnworks", "list_kilns", "All kilns of the pottery", none, "", read),
		tool("lepid", "sightings", "Sightings of moths in a square of the grid",
			`{"type":"object","properties":{"square":{"type":"string"},"species":{"type":"string"},"since":{"type":"string"}},"required":["square"]}`,
			`{"type":"object","properties":{"total":{"type":"integer"},"sightings":{"type":"array","items":{"type":"object","properties":{"species":{"type":"string"},"count":{"type":"integer"},"observer":{"type":"object","properties":{"name":{"type":"string"},"club":{"type":"string"}},"required":["name"]}},"required":["species","count","observer"]}}},"required":["total","sightings"]}`, read),
		tool("lepid", "species_info", "What is known of a species: family, wingspan, flight months",
			`{"type":"object","properties":{"species":{"type":"string"}},"required":["species"]}`,
			`{"type":"object","properties":{"family":{"type":"string"},"wingspan_mm":{"type":"number"},"months":{"type":"array","items":{"type":"integer"}}},"required":["family","wingspan_mm","months"]}`, read),
		tool("lepid", "trap_counts", "Nightly counts of a light trap",
			`{"type":"object","properties":{"trap_id":{"type":"string"},"nights":{"type":"integer"}},"required":["trap_id"]}`,
			"", read),
		tool("time", "now", "What the clock of the tower says", none, "", read),
		tool("atlas", "every", "Every station of the atlas", none, `{"type":"object","properties":{"stations":{"type":"array","items":`+
			wide("f", 200, `"deep":`+wide("leaf", 60, `"end":{"type":"string"}`))+`}}}`, read),
	)
	reg.Normalize()
	return reg
}

// lesson is a script as models write it that know nothing but the names of the
// servers, or not even these, and what the answer to it must hold, so that the
// right script can be written then.
type lesson struct {
	name, script string
	status       outcome.Status
	want         []string
	most         int // tokens; 0: 900
}

func lessons() []lesson {
	const then = "\nif err != nil { panic(err) }\nfmt.Println(r)"
	var (
		berthsFree = []string{"func harbour.BerthsFree(p harbour.BerthsFreeParams)", "Port string /*required",
			"Day string /*required", "Berths []{ID string, Length float64, Depth float64}"}
		tides = []string{"func harbour.Tides(p harbour.TidesParams)", "Port string /*required*/", "Day int",
			`"LAT", "MSL", "CD"`, "Tides []{At string, Kind string, Cm int}"}
		book = []string{"func harbour.BookBerths(", "Ship string /*required*/", "Stays []harbour.Stay /*required*/",
			"type harbour.Stay struct { Berth string /*required*/; From string /*required*/; To string /*required*/; " +
				"ShorePower bool }", "Booked int"}
		findShip = []string{"func harbour.FindShip(", "Query string /*required*/", "Limit int",
			"text or JSON, shape unknown"}
		pilots = []string{"func harbour.PilotsOnDuty() (harbour.PilotsOnDutyResult, error)", "Pilots []string"}
		glazes = []string{"func kilnworks.GlazeSearch(", "Colour string", "MinCelsius int", "MaxCelsius int",
			"text or JSON"}
		stock  = []string{"func kilnworks.GlazeStock(", "GlazeID string /*required*/"}
		firing = []string{"func kilnworks.StartFiring(", "Program kilnworks.Program /*required*/",
			"PeakCelsius int /*required*/"}
		sightings = []string{"func lepid.Sightings(", "Square string /*required*/",
			"Sightings []{Species string, Count int, Observer {Name string, Club string}}"}
		species = []string{"func lepid.SpeciesInfo(", "WingspanMm float64", "Months []int"}
	)
	facts := slices.Concat[[]string]
	return []lesson{
		// Servers that there are not, by meaning.
		{"a server by another word", `r, err := quays.FreeBerths(quays.FreeBerthsParams{Port: "NLRTM"})` + then, outcome.CompileError,
			facts([]string{"quays", "did you mean harbour.BerthsFree?"}, berthsFree), 400},
		{"with a phrase", `UseTools("free berths of a port")` + "\n" +
			`r, err := port.List(port.ListParams{Port: "NLRTM", Day: "2026-01-01"})` + then, outcome.CompileError,
			facts([]string{"harbour.BerthsFree"}, berthsFree), 0},
		{"two functions of it", `a, err := shipping.Tides(shipping.TidesParams{Port: "X"})
if err != nil { panic(err) }
r, err := shipping.FindShip(shipping.FindShipParams{Name: "Ada"})` + then + "\nfmt.Println(a)", outcome.CompileError,
			facts([]string{"harbour.Tides", "harbour.FindShip"}, tides, findShip), 0},
		{"a server's word for another", `r, err := pottery.SearchGlazes(pottery.SearchGlazesParams{Color: "blue"})` + then,
			outcome.CompileError, facts([]string{"kilnworks.GlazeSearch"}, glazes), 400},
		{"moths", `r, err := moths.GetSightings(moths.GetSightingsParams{GridSquare: "TQ38"})` + then, outcome.CompileError,
			facts([]string{"lepid.Sightings"}, sightings), 400},
		{"nothing like it", `r, err := spaceship.LaunchRocket(spaceship.LaunchRocketParams{Fuel: 3})` + then, outcome.CompileError,
			[]string{"unknown server spaceship", "filesystem, gitcyanheads", "harbour", "kilnworks", "lepid", "redis"}, 300},
		{"imported", "package main\nimport (\"fmt\"; \"servers/quays\")\nfunc main() {\nr, err := " +
			"_, _ = quays.Tides(quays.TidesParams{Port: \"X\"})" + then + "\n}", outcome.CompileError, facts([]string{"harbour.Tides"}, tides),
			400},
		{"misspelt", `r, err := harbor.Tides(harbor.TidesParams{Port: "X"})` + then, outcome.CompileError,
			facts([]string{"did you mean harbour.Tides"}, tides), 400},
		{"two servers", `a, err := quays.Tides(quays.TidesParams{Port: "X"})
if err != nil { panic(err) }
r, err := ceramics.GlazeStock(ceramics.GlazeStockParams{ID: "g1"})` + then + "\nfmt.Println(a)", outcome.CompileError,
			facts([]string{"harbour.Tides", "kilnworks.GlazeStock"}, tides, stock), 0},
		// Functions that a server does not have.
		{"a verb in front", `r, err := harbour.ListFreeBerths(harbour.ListFreeBerthsParams{Port: "X"})` + then, outcome.CompileError,
			facts([]string{"harbour.BerthsFree"}, berthsFree), 400},
		{"another word", `r, err := harbour.GetTideTable(harbour.GetTideTableParams{Port: "X"})` + then, outcome.CompileError,
			facts([]string{"harbour.Tides"}, tides), 400},
		{"another noun", `r, err := harbour.Vessels(harbour.VesselsParams{Name: "Ada"})` + then, outcome.CompileError,
			facts([]string{"harbour.FindShip"}, findShip), 0},
		{"reserve for book", `r, err := harbour.Reserve(harbour.ReserveParams{Ship: "Ada"})` + then, outcome.CompileError,
			facts([]string{"harbour.BookBerths"}, book), 0},
		{"nothing like it on the server", `r, err := harbour.Frobnicate(harbour.FrobnicateParams{X: 1})` + then, outcome.CompileError,
			[]string{"harbour has no Frobnicate; all its tools are below", "func harbour.", "harbour.Tides(", "harbour.BerthPlan("}, 0},
		{"three functions", `a, err := harbour.GetBerths(harbour.GetBerthsParams{Port: "X", Day: "d"})
if err != nil { panic(err) }
b, err := harbour.GetTides(harbour.GetTidesParams{Port: "X"})
if err != nil { panic(err) }
r, err := harbour.GetPilots()` + then + "\nfmt.Println(a, b)", outcome.CompileError,
			facts([]string{"harbour.GetBerths", "harbour.GetTides", "harbour.GetPilots"}, berthsFree[:1], tides[:1], pilots[:1]),
			0},
		{"a function of another server", `r, err := lepid.GlazeStock(lepid.GlazeStockParams{GlazeID: "g"})` + then,
			outcome.CompileError, []string{"lepid.GlazeStock", "func lepid."}, 0},
		{"a client's name", `r, err := mcp__harbour__tides("X")` + then, outcome.CompileError,
			facts([]string{"did you mean harbour.Tides"}, tides), 400},
		{"a tool without its server", `r, err := BerthsFree(BerthsFreeParams{Port: "X", Day: "d"})` + then, outcome.CompileError,
			facts([]string{"harbour.BerthsFree"}, berthsFree), 400},
		{"a client", `c := harbour.NewClient()
r, err := c.Tides("X")` + then, outcome.CompileError, []string{"harbour.NewClient", "func harbour."}, 0},
		// Fields and their types.
		{"fields that one field wraps",
			`r, err := kilnworks.StartFiring(kilnworks.StartFiringParams{Kiln: "k", Name: "bisque", PeakCelsius: 900})` + then,
			outcome.CompileError,
			facts([]string{"PeakCelsius is a field of Program, which has Name, PeakCelsius, HoldMinutes"}, firing), 0},
		{"a field that there is not", `r, err := harbour.Tides(harbour.TidesParams{Harbor: "X"})` + then, outcome.CompileError,
			facts([]string{"unknown field Harbor"}, tides), 400},
		{"two of them, and one missing", `r, err := harbour.BerthsFree(harbour.BerthsFreeParams{Harbor: "X", Date: "d"})` +
			then, outcome.CompileError, facts([]string{"Harbor", "Date"}, berthsFree), 400},
		{"a required one is missing", `r, err := harbour.BerthsFree(harbour.BerthsFreeParams{Port: "X"})` + then,
			outcome.CompileError, facts([]string{"required field Day"}, berthsFree), 400},
		{"a nested one is wrong", `r, err := harbour.BookBerths(harbour.BookBerthsParams{Ship: "Ada", Stays: []harbour.Stay{{Quay: "B1", From: "a", To: "b"}}})` + then, outcome.CompileError, facts([]string{"Quay"}, book), 400},
		{"a nested type is wrong and its fields too",
			`r, err := harbour.BookBerths(harbour.BookBerthsParams{Ship: "Ada", Stays: []harbour.BookBerthsItem{{Quay: "B1", Start: "a"}}})` + then, outcome.CompileError, facts([]string{"BookBerthsItem", "Quay", "Start"}, book), 0},
		{"maps for structs", `r, err := harbour.BookBerths(harbour.BookBerthsParams{Ship: "Ada", Stays: []map[string]any{{"berth": "B1"}}})` + then, outcome.CompileError, facts([]string{"[]harbour.Stay{"}, book), 400},
		{"a text for a number", `r, err := harbour.Tides(harbour.TidesParams{Port: "X", Day: "tomorrow"})` + then,
			outcome.CompileError, facts([]string{"Day"}, tides), 400},
		{"a value that is not allowed", `r, err := harbour.Tides(harbour.TidesParams{Port: "X", Datum: "WGS84"})` + then,
			outcome.CompileError, facts([]string{`"LAT", "MSL", "CD"`}, tides), 400},
		{"arguments one by one", `r, err := harbour.Tides("X", 1)` + then, outcome.CompileError,
			facts([]string{"its arguments are the fields of one struct"}, tides), 400},
		{"no arguments", `r, err := harbour.Tides()` + then, outcome.CompileError, facts([]string{"not enough arguments"}, tides),
			400},
		{"a context", `r, err := harbour.Tides(context.Background(), harbour.TidesParams{Port: "X"})` + then, outcome.CompileError,
			facts([]string{"leave out the context"}, tides), 400},
		{"an int for a float", "n := 5\n" +
			`r, err := harbour.BerthsFree(harbour.BerthsFreeParams{Port: "X", Day: "d", MinLength: n})` + then, outcome.CompileError,
			facts([]string{"float64(…)"}, berthsFree), 400},
		{"a list for one", `r, err := lepid.SpeciesInfo(lepid.SpeciesInfoParams{Species: []string{"a"}})` + then,
			outcome.CompileError, facts([]string{"Species"}, species), 400},
		{"an object for a struct", `r, err := kilnworks.StartFiring(kilnworks.StartFiringParams{Kiln: "k", Program: map[string]any{"name": "bisque"}})` + then, outcome.CompileError, facts([]string{"kilnworks.Program{"}, firing), 400},
		{"a missing nested one", `r, err := kilnworks.StartFiring(kilnworks.StartFiringParams{Kiln: "k", Program: kilnworks.Program{Name: "bisque"}})` + then, outcome.CompileError, facts([]string{"required field PeakCelsius"}, firing), 400},
		// Results.
		{"a field that the result lacks", `r, err := harbour.Tides(harbour.TidesParams{Port: "X"})
if err != nil { panic(err) }
for _, t := range r.Tides { fmt.Println(t.Height, t.Time) }`, outcome.CompileError, facts([]string{"Height", "Time"}, tides),
			400},
		{"another field of the whole", `r, err := lepid.Sightings(lepid.SightingsParams{Square: "TQ38"})
if err != nil { panic(err) }
for _, s := range r.Results { fmt.Println(s.Species) }`, outcome.CompileError, facts([]string{"Results"}, sightings), 400},
		{"a nested field", `r, err := lepid.Sightings(lepid.SightingsParams{Square: "TQ38"})
if err != nil { panic(err) }
fmt.Println(r.Sightings[0].Observer.Email)`, outcome.CompileError, facts([]string{"Email"}, sightings), 400},
		{"fields of an untyped result", `r, err := harbour.FindShip(harbour.FindShipParams{Query: "Ada"})
if err != nil { panic(err) }
fmt.Println(r.Ships[0].Name)`, outcome.CompileError, facts([]string{"Ships", "JSON(&v)"}, findShip), 400},
		{"a result as text", `r, err := harbour.FindShip(harbour.FindShipParams{Query: "Ada"})
if err != nil { panic(err) }
fmt.Println(strings.ToUpper(r))`, outcome.CompileError, facts([]string{"Text()"}, findShip), 400},
		{"a result as a list", `r, err := lepid.Sightings(lepid.SightingsParams{Square: "TQ38"})
if err != nil { panic(err) }
for _, s := range r { fmt.Println(s) }`, outcome.CompileError, facts([]string{"range over r"}, sightings), 400},
		{"one variable", `r := harbour.Tides(harbour.TidesParams{Port: "X"}); fmt.Println(r)`, outcome.CompileError,
			facts([]string{"take the error too"}, tides), 400},
		{"the content of MCP", `r, err := harbour.FindShip(harbour.FindShipParams{Query: "Ada"})
if err != nil { panic(err) }
fmt.Println(r.Content[0].Text)`, outcome.CompileError, facts([]string{"Content"}, findShip), 400},
		// Several mistakes at once.
		{"a server, a field and a function", `a, err := quays.FreeBerths(quays.FreeBerthsParams{Port: "X", Day: "d"})
if err != nil { panic(err) }
b, err := harbour.Tides(harbour.TidesParams{Harbor: "X"})
if err != nil { panic(err) }
r, err := lepid.GetSpecies(lepid.GetSpeciesParams{Name: "x"})` + then + "\nfmt.Println(a, b)", outcome.CompileError,
			facts([]string{"quays", "Harbor", "GetSpecies"}, berthsFree, tides, species), 0},
		{"a field and Go", `r, err := harbour.Tides(harbour.TidesParams{Harbor: "X"})
if err != nil { panic(err) }
var n int = "five"
fmt.Println(r, n)`, outcome.CompileError, facts([]string{"Harbor", "int"}, tides), 0},
		{"an import and a field", "import \"os\"\nr, err := harbour.Tides(harbour.TidesParams{Harbor: \"X\"})" + then +
			"\nos.WriteFile(\"x\", nil, 0)", outcome.CompileError, facts([]string{"os.WriteFile", "Harbor"}, tides), 0},
		{"a refused import and a function",
			"import \"net/http\"\nr, err := harbour.TideTable(harbour.TideTableParams{Port: \"X\"})" + then +
				"\nhttp.Get(\"x\")", outcome.CompileError, facts([]string{"network", "harbour.Tides"}, tides), 0},
		{"a syntax error and tools", `r, err := harbour.Tides(harbour.TidesParams{Port: "X"}
if err != nil { panic(err) }
fmt.Println(r)`, outcome.CompileError, facts([]string{"syntax error"}, tides), 400},
		{"named arguments", `r, err := harbour.FindShip(Query: "Ada")` + then, outcome.CompileError,
			facts([]string{"syntax error"}, findShip), 400},
		{"named arguments of a server that is not there", `r, err := ships.FindShip(Captain: "Ada")` + then, outcome.CompileError,
			facts([]string{"syntax error"}, findShip), 0},
		{"a ternary and tools", `UseTools("high and low water")
r, err := harbour.Tides(harbour.TidesParams{Port: "X"})
if err != nil { panic(err) }
x := len(r.Tides) > 3 ? 1 : 2
fmt.Println(x)`, outcome.CompileError, facts([]string{"if … { … } else { … }"}, tides), 0},
		{"a missing field and a wrong result", `r, err := harbour.BerthsFree(harbour.BerthsFreeParams{Port: "X"})
if err != nil { panic(err) }
fmt.Println(r.Free)`, outcome.CompileError, facts([]string{"required field Day", "Free"}, berthsFree), 400},
		{"more wrong names than there is room for", wrongNames(16), outcome.CompileError,
			[]string{"harbour.Wrong0", "harbour.Wrong14", "lepid.Wrong15", "func harbour.", "func lepid."}, 0},
		{"long phrases and a syntax error", `UseTools("high and low water", "order a pizza with extra cheese")
r, err := harbour.Tides(harbour.TidesParams{Port: "X"}`, outcome.CompileError,
			facts([]string{"syntax error", `"high and low water" → harbour.Tides`, `"order a pizza with extra cheese"`}, tides),
			0},
		{"all right but one phrase and one field", `UseTools("zzz frobnicate the quux")
r, err := harbour.Tides(harbour.TidesParams{Haven: "X"})` + then, outcome.CompileError, facts([]string{"Haven"}, tides), 0},
		// Phrases.
		{"a phrase that nothing fits", `UseTools("order a pizza with extra cheese")
Return(1)`, outcome.ToolNotFound, []string{"no tool found for \"order a pizza with extra cheese\""}, 0},
		{"a phrase and a wrong name", `UseTools("order a pizza with extra cheese")
r, err := harbour.TideTable(harbour.TideTableParams{Port: "X"})` + then, outcome.ToolNotFound,
			facts([]string{"pizza", "harbour.Tides"}, tides), 0},
		{"a phrase that settles nothing, and all names are found", `UseTools("zzz frobnicate the quux")
r, err := harbour.Tides(harbour.TidesParams{Port: "X"})` + then, outcome.OK, []string{"zzz frobnicate the quux"}, 0},
		{"no phrase at all", `r, err := harbour.PilotsOnDuty()` + then, outcome.OK, nil, 0},
		// What is mended.
		{"params of a tool without", `r, err := harbour.PilotsOnDuty(harbour.PilotsOnDutyParams{})` + then, outcome.OK,
			[]string{"warning: ", "harbour.PilotsOnDuty()"}, 0},
		{"an empty map", `r, err := harbour.PilotsOnDuty(map[string]any{})` + then, outcome.OK, []string{"warning: "}, 0},
		{"Println alone", `Println("x", 3)`, outcome.OK, []string{"x 3", "fmt.Println"}, 0},
		{"Printf alone", `Printf("%d\n", 3)`, outcome.OK, []string{"3\n", "fmt.Printf"}, 0},
		{"a wrong name of a nested type",
			`r, err := harbour.BookBerths(harbour.BookBerthsParams{Ship: "Ada", Stays: []harbour.BookBerthsItem{{Berth: "B1", From: "a", To: "b"}}})` + then, outcome.OK, []string{"harbour.BookBerthsItem", "harbour.Stay"}, 0},
		{"a wrong name of an object's type",
			`r, err := kilnworks.StartFiring(kilnworks.StartFiringParams{Kiln: "k", Program: kilnworks.FiringProgram{Name: "b", PeakCelsius: 1000}})` + then, outcome.OK, []string{"kilnworks.FiringProgram", "kilnworks.Program"}, 0},
		{"a number in quotes", `r, err := harbour.Tides(harbour.TidesParams{Port: "X", Day: "2"})` + then, outcome.OK,
			[]string{`"2"`, "warning: "}, 0},
		{"a bool in quotes", `r, err := harbour.BookBerths(harbour.BookBerthsParams{Ship: "Ada", Stays: []harbour.Stay{{Berth: "B1", From: "a", To: "b", ShorePower: "true"}}})` + then, outcome.OK, []string{`"true"`, "warning: "}, 0},
		{"an enum value in small letters", `r, err := harbour.Tides(harbour.TidesParams{Port: "X", Datum: "lat"})` + then, outcome.OK,
			[]string{`"lat"`, `"LAT"`}, 0},
		{"fields in snake case", `r, err := kilnworks.GlazeStock(kilnworks.GlazeStockParams{glaze_id: "g1"})` + then, outcome.OK,
			[]string{"glaze_id", "GlazeID"}, 0},
		{"the tool's own name", `r, err := harbour.berths_free(harbour.BerthsFreeParams{Port: "X", Day: "d"})` + then, outcome.OK,
			[]string{"→ harbour.BerthsFree"}, 0},
		// Look-ups.
		{"one phrase", `UseTools("free berths of a port on a day")`, outcome.OK,
			[]string{`"free berths of a port on a day" → harbour.BerthsFree`,
				"func harbour.BerthsFree(p harbour.BerthsFreeParams) (harbour.BerthsFreeResult, error)",
				"Port string // required; UN/LOCODE of the port", "Day string // required; ISO date", "Length float64",
				"harbour.BerthPlan(Port string, Berth? string) → text or JSON"}, 600},
		{"four phrases", `UseTools("high and low water of a port", "look up a ship", "search glazes by colour", "sightings of moths")`, outcome.OK, []string{"func harbour.Tides(", "Cm int", "func harbour.FindShip(", "func kilnworks.GlazeSearch(", "func lepid.Sightings(", "Club string"}, 1200},
		{"nothing fits", `UseTools("order a pizza with extra cheese")`, outcome.OK,
			[]string{`"order a pizza with extra cheese": no tool fits`}, 0},
		{"a server's name", `UseTools("harbour")`, outcome.OK,
			[]string{"the server harbour has 6 tools", "func harbour.BerthsFree(", "Length float64",
				"func harbour.PilotsOnDuty()", "func harbour.Tides(", `one of "LAT", "MSL", "CD"`, "func harbour.FindShip(",
				"func harbour.BookBerths(", "func harbour.BerthPlan("}, 600},
		{"a server's tools", `UseTools("tools of kilnworks")`, outcome.OK,
			[]string{"the server kilnworks has 5 tools", "func kilnworks.ListKilns()", "func kilnworks.GlazeStock(",
				"GlazeID string // required"}, 600},
		{"a server's name in a script that uses it", `UseTools("harbour")
r, err := harbour.PilotsOnDuty()` + then, outcome.OK, []string{`{"ok":true}`}, 60},
		{"a server's name in a script that does not", `UseTools("lepid")
r, err := harbour.PilotsOnDuty()` + then, outcome.OK, []string{"not used by the script", "func lepid.SpeciesInfo("}, 500},
		{"two servers' names", `UseTools("harbour", "lepid")`, outcome.OK,
			[]string{"func harbour.BerthsFree(", "func lepid.Sightings("}, 1200},
		{"a tool whose all parameters are optional", `r, err := kilnworks.GlazeSearch()` + then, outcome.OK,
			[]string{"→ kilnworks.GlazeSearch(kilnworks.GlazeSearchParams{})"}, 200},
		{"a phrase whose tool is not used", `UseTools("search glazes by colour")
r, err := harbour.PilotsOnDuty()` + then, outcome.OK, facts([]string{"not used by the script"}, glazes[:2]), 400},
		{"a big server", `UseTools("github")`, outcome.OK, []string{"the server github has ", "CreateIssue", "ListPullRequests"},
			1200},
		{"a look-up with an unused import",
			"package main\nimport \"fmt\"\nfunc main() { UseTools(\"high and low water of a port\") }", outcome.OK,
			[]string{"func harbour.Tides("}, 0},
		{"a look-up in an if", `if err := UseTools("high and low water of a port"); err != nil { panic(err) }`, outcome.OK,
			[]string{"func harbour.Tides("}, 0},
		{"ten phrases", `UseTools("free berths", "tides", "book a berth", "find a ship", "pilots", "glaze stock", "start a firing", "moth species", "light trap counts", "commit history of a repository")`, outcome.OK, []string{"harbour.BerthsFree(", "lepid.TrapCounts(", "kilnworks.StartFiring("}, 1200},
	}
}

// asking returns what runs a script over invented servers, and what the answer
// costs in tokens of cl100k.
func asking(t *testing.T) func(t *testing.T, script string) (res *outcome.Result, tokens int) {
	t.Helper()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := harnessOver(inventedServers(t), func(context.Context, string, string, json.RawMessage) (string, error) {
		return textResult(`{"ok":true}`), nil
	})
	return func(t *testing.T, script string) (*outcome.Result, int) {
		t.Helper()
		res, err := h.Run(t.Context(), &harness.Script{Source: script})
		if err != nil {
			t.Fatal(err)
		}
		n, err := enc.Count(res.Text())
		if err != nil {
			t.Fatal(err)
		}
		return res, n
	}
}

func TestOneAnswerTeachesTheNextScript(t *testing.T) {
	t.Parallel()
	ask := asking(t)
	var sizes []int
	for _, c := range lessons() {
		t.Run(c.name, func(t *testing.T) {
			res, n := ask(t, c.script)
			got := res.Text()
			if res.Status != c.status {
				t.Errorf("status %s, want %s", res.Status, c.status)
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("no %q", w)
				}
			}
			if strings.Contains(got, "unknown type") || strings.Contains(got, "invalid type") {
				t.Error("it tells what follows from an earlier mistake")
			}
			if c.most == 0 {
				c.most = harness.RefusedTokens
			}
			if n > c.most {
				t.Errorf("%d tokens, want at most %d", n, c.most)
			}
			if c.status != outcome.OK {
				sizes = append(sizes, n)
			}
			if t.Failed() {
				t.Logf("%d tokens:\n%s", n, got)
			}
		})
	}
	if len(sizes) > 0 {
		slices.Sort(sizes)
		t.Logf("answers to %d refused scripts: median %d tokens, at most %d", len(sizes), sizes[len(sizes)/2],
			sizes[len(sizes)-1])
		if median := sizes[len(sizes)/2]; median > 400 {
			t.Errorf("median %d tokens, want at most 400", median)
		}
	}
}

// TestAnswersShowAllOfASmallServer asks about servers of at most eight tools, and
// about a result that is too wide for the answer.
func TestAnswersShowAllOfASmallServer(t *testing.T) {
	ask := asking(t)
	all := []string{"harbour.BerthsFree(", "harbour.BerthPlan(", "harbour.Tides(", "harbour.BookBerths(",
		"harbour.FindShip(", "harbour.PilotsOnDuty("}
	const then = "\nif err != nil { panic(err) }\nfmt.Println(r)"
	for _, c := range []struct {
		script string
		want   []string
		not    string
	}{
		{`UseTools("high and low water in the harbour")`, all, ""},
		{`r, err := harbour.ListStock(harbour.ListStockParams{})` + then, all, "did you mean"},
		{`r, err := harbour.Tides(harbour.TidesParams{Port: "X", PortType: "y"})` + then, all, "did you mean"},
		{`r, err := harbour.Tide(harbour.TideParams{Port: "X"})` + then, append(all, "did you mean harbour.Tides"), ""},
		{`UseTools("time")`, []string{"Go's package time", `both have Now: for that, import servertime "servers/time"`}, ""},
		{`for _, a := range atlas.Every() { fmt.Println(a.F170, a.Deep.Leaf40) }`, []string{"F0 ", "F170 ", "Leaf40 "}, "F100 "},
	} {
		res, n := ask(t, c.script)
		got := res.Text()
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("no %q", w)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("it says %q", c.not)
		}
		if n > harness.RefusedTokens {
			t.Errorf("%d tokens", n)
		}
		if t.Failed() {
			t.Fatalf("%s\n%d tokens:\n%s", c.script, n, got)
		}
	}
}

// wide is the schema of an object with n properties of a name, and others.
func wide(name string, n int, others string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%s%d":{"type":"string","description":"measured at the station"},`, name, i)
	}
	return `{"type":"object","properties":{` + b.String() + others + `}}`
}

// wrongNames is a script that calls n functions which two servers do not have.
func wrongNames(n int) string {
	var b strings.Builder
	for i := range n {
		server := "harbour"
		if i%2 == 1 {
			server = "lepid"
		}
		fmt.Fprintf(&b, "r%d, err := %s.Wrong%d(%s.Wrong%dParams{Port: \"x\"})\nif err != nil { panic(err) "+
			"}\nfmt.Println(r%d)\n", i, server, i, server, i, i)
	}
	return b.String()
}
