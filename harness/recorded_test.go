package harness_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
)

// What a record says of a run that has ended is what its Result said.
func TestTheResultOfARunIsInItsRecord(t *testing.T) {
	_, cat := newShop(t)
	cat.Scripts = library.Open(t.TempDir())
	if err := cat.Scripts.Save(&library.Script{Name: "buys",
		Source: `if _, err := shop.Buy(shop.BuyParams{Item: "n"}); err != nil { panic(err) }`}); err != nil {
		t.Fatal(err)
	}
	store := store.Memory(10, nil)
	h := harness.New(&harness.Options{Records: store})
	for name, s := range map[string]harness.Script{
		"ok":       {Source: shopScript},
		"printed":  {Source: `fmt.Println("a"); log.Print("b"); Return("c")`},
		"panic":    {Source: "\nvar m map[string]int; m[\"a\"] = 1"},
		"exit":     {Source: `fmt.Print("x"); os.Exit(3)`},
		"no Go":    {Source: `Return(x)`},
		"a limit":  {Source: `for { fmt.Println("x") }`, Limits: harness.Limits{Stdout: 1000}},
		"denied":   {Source: `_, _ = shop.Buy(shop.BuyParams{Item: "n"})`, Policy: &policy.Policy{Deny: []string{"shop.buy"}}},
		"a ledger": {Source: "_, _ = shop.Buy(shop.BuyParams{Item: \"n\"})\nRunScript(\"buys\", nil)\nReturn(1)", Dry: true},
	} {
		t.Run(name, func(t *testing.T) {
			s.Catalog = cat
			want, err := h.Run(t.Context(), &s)
			if err != nil {
				t.Fatal(err)
			}
			run, err := store.Load(want.Run)
			if err != nil {
				t.Fatal(err)
			}
			got, err := outcome.FromRecord(run)
			if err != nil {
				t.Fatal(err)
			}
			got.Sandbox, got.Lowered, got.Types = want.Sandbox, want.Lowered, want.Types
			if want.Status.ExitCode() == outcome.CompileError.ExitCode() || want.Status == outcome.Denied {
				got.Tools = want.Tools
			}
			asMap := func(r *outcome.Result) (m map[string]any) {
				b, err := json.Marshal(r)
				if err == nil {
					err = json.Unmarshal(b, &m)
				}
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			if d := cmp.Diff(asMap(want), asMap(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(want.Text()+want.LedgerText(), got.Text()+got.LedgerText()); d != "" {
				t.Error(d)
			}
		})
	}
}
