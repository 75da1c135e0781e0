package worker

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/internal/bridge"
)

// shop is a Host with a server of two tools, and keeps the calls.
type shop struct {
	lenient
	mu    sync.Mutex
	calls []*Call
}

const shopUnit = `package shop

import "usetools/host"

func Buy(p BuyParams) (BuyResult, error) {
	var r BuyResult
	err := host.Do("shop.buy", "\"what\"a", p, &r, "")
	return r, err
}

type BuyParams struct {
	What any ` + "`json:\"what\"`" + `
}

type BuyResult struct{ res_ *host.Result }

func (r BuyResult) Text() string { return host.Text(r.res_) }

func List() (ListResult, error) {
	var r ListResult
	err := host.Do("shop.list", "", nil, &r, ":{0}\n\"count\"i")
	return r, err
}

type ListResult struct {
	Count int ` + "`json:\"count\"`" + `
	res_  *host.Result
}

func (r ListResult) Text() string { return host.Text(r.res_) }
`

func (s *shop) Resolve(context.Context, *Needs) (*Tools, bool, error) {
	return &Tools{Units: []Unit{{Path: "servers/shop", Name: "shop", Source: shopUnit}, {Path: bridge.OwnDiscovery, Source: bridge.Discovery}}},
		true, nil
}
func (s *shop) Start(context.Context, *Plan) bool { return true }
func (s *shop) Call(_ context.Context, c *Call) (*Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	if c.Tool == bridge.RunScript {
		return &Answer{Result: json.RawMessage(`1`)}, nil
	}
	return &Answer{Result: json.RawMessage(`{"content":[{"type":"text","text":"x"}],"structuredContent":{}}`)}, nil
}

// run runs a script to its end.
func (s *shop) run(t *testing.T, script *Script) *Outcome {
	t.Helper()
	o, err := Run(t.Context(), script, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != OK {
		t.Fatalf("%s: %s%v\n%s", o.Status, o.Message, o.Errors, o.Stderr)
	}
	return o
}

// from are the calls, one a line, as "path place tool", sorted.
func (s *shop) from() string {
	var lines []string
	for _, c := range s.calls {
		path := c.Path
		if path == "" {
			path = "main"
		}
		lines = append(lines, path+" "+c.Place+" "+c.Tool)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestCallsSayWhereTheyComeFrom(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"two calls": {
			"shop.List()\nshop.Buy(shop.BuyParams{What: 1})",
			"main 1:1 shop.list\nmain 2:1 shop.buy",
		},
		"two calls on one line": {
			"shop.List(); shop.List()",
			"main 1:1 shop.list\nmain 1:14 shop.list",
		},
		"an argument that calls": {
			"func what() any { r, _ := shop.List(); return r.Text() }\nshop.Buy(shop.BuyParams{What: what()})",
			"main 1:27 shop.list\nmain 2:1 shop.buy",
		},
		"an argument whose JSON calls": {
			"type w struct{}\nfunc (w) MarshalJSON() ([]byte, error) { shop.List(); return []byte(`1`), nil }\nshop.Buy(shop.BuyParams{What: w{}})",
			"main 2:42 shop.list\nmain 3:1 shop.buy",
		},
		"a loop": {
			"for range 2 {\n\tshop.List()\n}",
			"main 2:2 shop.list\nmain 2:2 shop.list",
		},
		"a function value": {
			"list := shop.List\nlist()\nlist()\nbuy := []func(shop.BuyParams) (shop.BuyResult, error){shop.Buy}\nbuy[0](shop.BuyParams{})",
			"main 1:9 shop.list\nmain 1:9 shop.list\nmain 4:55 shop.buy",
		},
		"in parentheses": {
			"(shop.List)()",
			"main 1:2 shop.list",
		},
		"a parameter": {
			"func twice(f func() (shop.ListResult, error)) { f(); f() }\ntwice(shop.List)\ntwice(shop.List)",
			"main 2:7 shop.list\nmain 2:7 shop.list\nmain 3:7 shop.list\nmain 3:7 shop.list",
		},
		"a generic function": {
			"func each[T any](xs []T, f func(T) (shop.BuyResult, error)) {\n\tfor _, x := range xs {\n\t\tf(x)\n\t}\n\tshop.List()\n}\neach([]shop.BuyParams{{}, {}}, shop.Buy)\neach([]int{1}, func(n int) (shop.BuyResult, error) { return shop.Buy(shop.BuyParams{What: n}) })",
			"main 5:2 shop.list\nmain 5:2 shop.list\nmain 7:32 shop.buy\nmain 7:32 shop.buy\nmain 8:61 shop.buy",
		},
		"a map of functions": {
			"m := map[string]func() (shop.ListResult, error){\"a\": shop.List}\nm[\"a\"]()",
			"main 1:54 shop.list",
		},
		"a template": {
			"t := template.Must(template.New(\"\").Funcs(template.FuncMap{\"list\": shop.List}).Parse(`{{list}}{{list}}`))\nt.Execute(io.Discard, nil)",
			"main 1:68 shop.list\nmain 1:68 shop.list",
		},
		"reflect": {
			"reflect.ValueOf(shop.List).Call(nil)",
			"main 1:17 shop.list",
		},
		"defer": {
			"defer shop.List()\nfunc() {\n\tdefer shop.List()\n\tdefer func() { shop.List() }()\n}()\nfor range 2 {\n\tdefer shop.Buy(shop.BuyParams{})\n}",
			"main 1:7 shop.list\nmain 3:8 shop.list\nmain 4:17 shop.list\nmain 7:8 shop.buy\nmain 7:8 shop.buy",
		},
		"a panic": {
			"defer func() { recover(); shop.List() }()\nfunc() {\n\tdefer shop.List()\n\tpanic(1)\n}()",
			"main 1:27 shop.list\nmain 3:8 shop.list",
		},
		"go": {
			"done := make(chan bool)\nfor range 2 {\n\tgo func() { shop.List(); shop.List(); done <- true }()\n\t<-done\n}\ngo shop.List()\ngo shop.Buy(shop.BuyParams{What: 1})\nlist := shop.List\ngo list()\nfor runtime.NumGoroutine() > 1 {\n\truntime.Gosched()\n}",
			"3:2#1 3:14 shop.list\n3:2#1 3:27 shop.list\n3:2#2 3:14 shop.list\n3:2#2 3:27 shop.list\n6:1#1 6:4 shop.list\n7:1#1 7:4 shop.buy\n9:1#1 8:9 shop.list",
		},
		"go in go": {
			"var wg sync.WaitGroup\nfor range 2 {\n\twg.Go(func() {\n\t\tfor range 2 {\n\t\t\twg.Go(func() { shop.List() })\n\t\t}\n\t\tshop.List()\n\t})\n}\nwg.Wait()",
			"3:2#1 7:3 shop.list\n3:2#1/5:4#1 5:19 shop.list\n3:2#1/5:4#2 5:19 shop.list\n3:2#2 7:3 shop.list\n3:2#2/5:4#1 5:19 shop.list\n3:2#2/5:4#2 5:19 shop.list",
		},
		"a wait group's method as a value": {
			"var wg sync.WaitGroup\nstart := wg.Go\nstart(func() { shop.List() })\nwg.Wait()\nstart = func(f func()) { (*sync.WaitGroup).Go(&wg, f) }\nstart(func() { shop.List() })\nwg.Wait()\nfunc() {\n\tdefer wg.Wait()\n\tdefer wg.Go(func() { shop.List() })\n}()",
			"10:8#1 10:23 shop.list\n2:10#1 3:16 shop.list\n5:26#1 6:16 shop.list",
		},
		"an interface of a wait group": {
			"type starter interface{ Go(func()) }\nvar wg sync.WaitGroup\nvar s starter = &wg\ns.Go(func() { shop.List() })\nwg.Wait()",
			"?#1 4:15 shop.list",
		},
		"a wait group by reflection": {
			"var wg sync.WaitGroup\nreflect.ValueOf(&wg).MethodByName(\"Go\").Call([]reflect.Value{reflect.ValueOf(func() { shop.List() })})\nwg.Wait()",
			"unknown#1 2:87 shop.list",
		},
		"what was left out": {
			"var list func() (shop.ListResult, error)\nif list == nil {\n\tlist = shop.List\n}\nif list == nil || fmt.Sprintf(\"%T\", list) != \"func() (shop.ListResult, error)\" {\n\tpanic(\"no function\")\n}\nlist()",
			"main 3:9 shop.list",
		},
		"after goexit": {
			"done := make(chan bool)\nfor range 2 {\n\tgo func() {\n\t\tdefer func() { shop.List(); done <- true }()\n\t\truntime.Goexit()\n\t}()\n\t<-done\n}",
			"3:2#1 4:18 shop.list\n3:2#2 4:18 shop.list",
		},
		"a select": {
			"c := make(chan int, 1)\nc <- 1\nselect {\ncase n := <-c:\n\tshop.Buy(shop.BuyParams{What: n})\n}\nswitch r, _ := shop.List(); r.Text() {\ncase \"x\":\n\tshop.List()\n}",
			"main 5:2 shop.buy\nmain 7:16 shop.list\nmain 9:2 shop.list",
		},
		"a method of a struct with a tool": {
			"type client struct {\n\tlist func() (shop.ListResult, error)\n}\nfunc (c client) all() { c.list() }\nc := client{list: shop.List}\nc.all()\nf := c.all\nf()\nclient.all(c)",
			"main 5:19 shop.list\nmain 5:19 shop.list\nmain 5:19 shop.list",
		},
		"a long function": {
			"n := 0\nfor i := range 3 {\n\tswitch {\n\tcase i == 0:\n\t\tif r, err := shop.List(); err == nil && r.Text() == \"x\" {\n\t\t\tn++\n\t\t\tcontinue\n\t\t}\n\tcase i == 1:\n\t\tfor range 1 {\n\t\t\tif _, err := shop.Buy(shop.BuyParams{What: i}); err != nil {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\tdefault:\n\t\tfunc() { shop.List() }()\n\t}\n}",
			"main 11:17 shop.buy\nmain 16:12 shop.list\nmain 5:16 shop.list",
		},
		"an embedded wait group": {
			"type group struct{ sync.WaitGroup }\nvar g group\ng.Go(func() { shop.List() })\ng.Wait()\nvar s interface{ Go(func()) } = &g\ns.Go(func() { shop.List() })\ng.Wait()",
			"3:1#1 3:15 shop.list\n?#1 6:15 shop.list",
		},
		"timers": {
			"done := make(chan bool)\nt := time.AfterFunc(0, func() { shop.List(); done <- true })\n<-done\nt.Reset(0)\n<-done\nafter := time.AfterFunc\nafter(0, func() { shop.List(); done <- true })\n<-done",
			"2:6#1 2:33 shop.list\n2:6#1.2 2:33 shop.list\n6:10#1 7:19 shop.list",
		},
		"a context": {
			"done := make(chan bool)\nctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() { shop.List(); done <- true })\ncancel()\n<-done",
			"3:1#1 3:33 shop.list",
		},
		"a pull": {
			"next, stop := iter.Pull(func(yield func(int) bool) {\n\tshop.List()\n\tyield(1)\n\tshop.List()\n})\nnext()\nnext()\nstop()",
			"?#1 2:2 shop.list\n?#1 4:2 shop.list",
		},
		"callbacks": {
			"xs := []int{2, 1}\nsort.Slice(xs, func(i, j int) bool { shop.List(); return xs[i] < xs[j] })\nsync.OnceFunc(func() { shop.List() })()",
			"main 2:38 shop.list\nmain 3:24 shop.list",
		},
		"a method": {
			"type s struct{}\nfunc (s) String() string { shop.List(); return \"\" }\nfunc (s) Close() error { _, err := shop.List(); return err }\nvar c io.Closer = s{}\nc.Close()\n_ = fmt.Sprint(s{})",
			"main 2:28 shop.list\nmain 3:36 shop.list",
		},
		"variables and init": {
			"package main\n\nimport \"servers/shop\"\n\nvar r, err = shop.List()\n\nfunc init() { shop.List() }\n\nfunc main() { _, _ = r, err }",
			"main 5:14 shop.list\nmain 7:15 shop.list",
		},
		"the harness's own": {
			"RunScript(\"a\", nil)\nrun := RunScript\nrun(\"a\", map[string]any{\"b\": 1})\ngo RunScript(\"a\", nil)\nfor runtime.NumGoroutine() > 1 {\n\truntime.Gosched()\n}\ndiscovery.Search(\"a\")\nnames := discovery.Names\nnames()\ndefer discovery.Stats()",
			"4:1#1 4:4 RunScript\nmain 11:7 discovery\nmain 1:1 RunScript\nmain 2:8 RunScript\nmain 8:1 discovery\nmain 9:10 discovery",
		},
		"another name": {
			"package main\n\nimport x \"servers/shop\"\n\nfunc main() {\n\tx.List()\n}",
			"main 6:2 shop.list",
		},
		"a name that is mended": {
			"r, _ := shop.list()\nReturn(r.Text())",
			"main 1:9 shop.list",
		},
		"a fence around": {
			"```go\nshop.List()\n```\n",
			"main 2:1 shop.list",
		},
		"several files": {
			"-- main.go --\npackage main\n\nfunc main() {\n\tf()\n}\n-- f.go --\npackage main\n\nimport \"servers/shop\"\n\nfunc f() { shop.List() }\n",
			"main 12:12 shop.list",
		},
		"a deep chain": {"var wg sync.WaitGroup\nvar deep func(n int)\ndeep = func(n int) {\n\tif n == 0 {\n\t\tshop.List()\n\t\treturn\n\t}\n\twg.Go(func() { deep(n - 1) })\n}\ndeep(200)\nwg.Wait()", "~8c13d715c57e6633c2d1dc6e9c4aef7d" + strings.Repeat("/8:2#1", 34) + " 5:3 shop.list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shop{}
			s.run(t, &Script{Source: c.script})
			if diff := cmp.Diff(c.want, s.from()); diff != "" {
				t.Errorf("the calls of\n%s\nare (-want +got):\n%s", c.script, s.from())
			}
		})
	}
}

// BenchmarkCalls is a script with 1,000 calls, and its worker.
func BenchmarkCalls(b *testing.B) {
	for b.Loop() {
		o, err := Run(b.Context(), &Script{Source: "for range 1000 {\n\tshop.List()\n}"}, &shop{}, nil)
		if err != nil || o.Status != OK || o.Calls != 1000 {
			b.Fatal(o, err)
		}
	}
}
