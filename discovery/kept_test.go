package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
)

// answers is all that an index says about some phrases, as lines of JSON.
func answers(t testing.TB, ix *Index, phrases []string) string {
	t.Helper()
	var b strings.Builder
	say := func(v any, err error) {
		line, jsonErr := json.Marshal(v)
		fmt.Fprintf(&b, "%s %v %v\n", line, err, jsonErr)
	}
	for i, phrase := range phrases {
		r, err := ix.Resolve(phrase, &ResolveOptions{Candidates: 50})
		say(r, err)
		if i%20 > 0 {
			continue
		}
		say(ix.Search(Query{Text: phrase, Limit: 50}))
		say(ix.Explain(context.Background(), phrase, nil))
		say(ix.Offer(&r), nil)
		for _, c := range r.Candidates[:min(1, len(r.Candidates))] {
			say(ix.Similar(c.ID, 5))
			say(ix.Describe([]string{c.ID}, NameDescription))
		}
	}
	return b.String()
}

// invented is a registry of tools with names and texts made by chance of few words,
// which repeat themselves and each other.
func invented(seed uint64, n int) *registry.Registry {
	rng := rand.New(rand.NewPCG(seed, 1))
	words := strings.Fields("list get delete branch issue repository 北京 é vectorSearch syncgroup git GitHub to from pdf " +
		"text all a the of Deprecated: use user_get k8s pod ☃ file. files. Read only! x")
	text := func(n int) string {
		var w []string
		for range rng.IntN(n + 1) {
			w = append(w, words[rng.IntN(len(words))])
		}
		return strings.Join(w, " ")
	}
	reg := &registry.Registry{}
	for range n {
		t := registry.Tool{Server: "s" + text(1), Name: text(3) + "_get", Title: text(3), Input: json.RawMessage(`{}`)}
		t.Description = strings.Repeat("Always the same. ", rng.IntN(2)) + text(40)
		if rng.IntN(2) == 0 {
			properties := map[string]any{text(2): map[string]string{"title": text(9)}}
			t.Input, _ = json.Marshal(map[string]any{"properties": properties})
		}
		if rng.IntN(3) == 0 {
			t.Annotations = &registry.Annotations{Title: text(2)}
		}
		reg.Tools = append(reg.Tools, t)
	}
	reg.Normalize()
	for i := range reg.Servers {
		reg.Servers[i].Title = text(3)
	}
	return reg
}

// modified is when a file was written.
func modified(t testing.TB, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

func TestIndexFromAFileAnswersAsOneThatIsMade(t *testing.T) {
	registries := map[string]*registry.Registry{
		"development": registryOf(t, sets...), "many": mutated(t, 1500), "none": {}, "repetitive": {Tools: repetitive},
	}
	for seed := range uint64(8) {
		registries[fmt.Sprint("invented", seed)] = invented(seed, 1<<seed)
	}
	some := []string{"the forge: list issues", "user_get", "s.get", "北京 list", ""}
	for i, phrase := range phrases(t) {
		if i%15 == 0 {
			some = append(some, phrase)
		}
	}
	for name, reg := range registries {
		aliases := map[string][]string{"mongodb": {"the forge"}, "s": {"forge"}}
		for _, o := range []Options{{}, {Aliases: aliases, Prefer: []string{"s"}}} {
			t.Run(fmt.Sprint(name, len(o.Aliases)), func(t *testing.T) {
				made, err := New(reg, &o)
				if err != nil {
					t.Fatal(err)
				}
				want := answers(t, made, some)
				o.File = filepath.Join(t.TempDir(), "folder", "a.index")
				first, err := New(reg, &o)
				if err != nil {
					t.Fatal(err)
				}
				written := modified(t, o.File)
				second, err := New(reg, &o)
				if err != nil {
					t.Fatal(err)
				}
				if modified(t, o.File) != written {
					t.Error("the file was made anew")
				}
				for _, ix := range []*Index{first, second} {
					if diff := cmp.Diff(want, answers(t, ix, some)); diff != "" {
						t.Errorf("(-made +from a file):\n%s", diff)
					}
				}
			})
		}
	}
}

func TestFileThatDoesNotFitIsMadeAnew(t *testing.T) {
	reg := registryOf(t, "mongodb_mcp")
	some := []string{"list collections", "drop a database", "the forge: find documents", "mongodb.find"}
	path := filepath.Join(t.TempDir(), "a.index")
	open := func(reg *registry.Registry, o Options) *Index {
		t.Helper()
		o.File = path
		ix, err := New(reg, &o)
		if err != nil {
			t.Fatal(err)
		}
		return ix
	}
	made, err := New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := answers(t, made, some)
	open(reg, Options{})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 0x10
		return b
	}
	damaged := map[string][]byte{
		"empty": nil, "cut": good[:len(good)-8], "cut in the header": good[:headerSize+1],
		"longer": append(slices.Clone(good), make([]byte, 8)...), "no index": []byte("{}"),
	}
	for k := range 40 {
		at := k * (len(good) - 1) / 39
		damaged[fmt.Sprint("another byte at ", at)] = flipped(at)
	}
	for name, data := range damaged {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, answers(t, open(reg, Options{}), some)); diff != "" {
				t.Error(diff)
			}
			if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, good) {
				t.Errorf("the file was not made anew: %v", err)
			}
		})
	}
	for name, change := range map[string]func(*registry.Registry, *Options){
		"another letter": func(r *registry.Registry, _ *Options) { r.Tools[3].Description += "x" },
		"another order":  func(r *registry.Registry, _ *Options) { r.Tools[0], r.Tools[1] = r.Tools[1], r.Tools[0] },
		"a tool less":    func(r *registry.Registry, _ *Options) { r.Tools = r.Tools[1:] },
		"another schema": func(r *registry.Registry, _ *Options) {
			r.Tools[3].Input = json.RawMessage(`{"properties":{"forge":{}}}`)
		},
		"another title": func(r *registry.Registry, _ *Options) {
			r.Tools[3].Annotations = &registry.Annotations{Title: "forge"}
		},
		"a server's name": func(r *registry.Registry, _ *Options) {
			r.Servers = []registry.Server{{Name: r.Tools[0].Server, Title: "forge"}}
		},
		"an alias": func(r *registry.Registry, o *Options) {
			o.Aliases = map[string][]string{r.Tools[0].Server: {"the forge"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			open(reg, Options{})
			other, o := &registry.Registry{Tools: slices.Clone(reg.Tools), Servers: slices.Clone(reg.Servers)}, Options{}
			change(other, &o)
			fresh, err := New(other, &o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(answers(t, fresh, some), answers(t, open(other, o), some)); diff != "" {
				t.Error(diff)
			}
			if now, err := os.ReadFile(path); err != nil || slices.Equal(now, good) {
				t.Errorf("the file fits both: %v", err)
			}
		})
	}
}

func TestIndexThatCannotBeKeptIsMadeEachTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reg := registryOf(t, "mongodb_mcp")
	for _, path := range []string{filepath.Join(file, "a.index"), filepath.Dir(file)} { // in a file, a folder
		ix, err := New(reg, &Options{File: path})
		if err != nil {
			t.Fatal(err)
		}
		if r := resolve(t, ix, "mongodb.find", nil); r.Verdict != Resolved {
			t.Errorf("%+v", r)
		}
	}
}

// Several processes may have registries of one path, and not always the same.
func TestFileIsSharedByMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.index")
	tools := registryOf(t, "mongodb_mcp").Tools
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			reg := &registry.Registry{Tools: tools[g%2:]}
			for range 5 {
				ix, err := New(reg, &Options{File: path})
				if err != nil {
					t.Error(err)
					return
				}
				last := tools[len(tools)-1].ID
				if r, err := ix.Resolve(last, nil); err != nil || r.Tool != last {
					t.Errorf("%+v, %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(files) != 1 {
		t.Errorf("left behind: %q", files)
	}
}

// forged is an index and files for its tools that somebody has made up.
type forged struct {
	made  *Index
	good  []byte // the file as it should be
	path  string
	asked []string
}

func newForged(t testing.TB) *forged {
	reg := &registry.Registry{Tools: slices.Concat(repetitive, registryOf(t, "mongodb_mcp").Tools[:3],
		[]registry.Tool{tool("old", "old_get", "Deprecated: use `new_get`."), tool("old", "new_get", "Get a syncgroup.")})}
	made, err := New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &forged{made, made.encode(made.madeFrom(nil)), filepath.Join(t.TempDir(), "a.index"),
		[]string{"retrieve a page", "old_get", "get the sync group", "drop the collection from notes", "北"}}
}

// try reads a file with a right digest and checksum and anything else behind its
// header: it may rank tools wrongly, and nothing else. It reports whether it was read.
func (f *forged) try(t testing.TB, body []byte) bool {
	data := slices.Concat(f.good[:headerSize], body)
	binary.LittleEndian.PutUint32(data[8:], crc32.Checksum(data[12:], castagnoli()))
	probe := &Index{t: f.made.t, model: f.made.model, reg: f.made.reg}
	probe.exact.tools = f.made.reg.Tools
	if !probe.decode(data, [sha256.Size]byte(f.good[16:headerSize])) || !probe.isConsistent() {
		return false // it would be made anew
	}
	if err := os.WriteFile(f.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ix, err := New(f.made.reg, &Options{File: f.path})
	if err != nil {
		t.Fatal(err)
	}
	answers(t, ix, f.asked)
	d, err := ix.Describe([]string{"old.old_get"}, FullSchema)
	if want, _ := f.made.Describe([]string{"old.old_get"}, FullSchema); err != nil || !cmp.Equal(want, d) {
		t.Errorf("a tool is described as %+v, %v", d, err)
	}
	return true
}

func TestEveryNumberInAFileMayBeWrong(t *testing.T) {
	f := newForged(t)
	body := f.good[headerSize:]
	if !f.try(t, body) {
		t.Fatal("the good file is not read")
	}
	f.asked = f.asked[:2]
	read := 0
	for at := 0; at+4 <= len(body); at += 4 {
		wrong := slices.Clone(body)
		value := [...]uint32{math.MaxUint32, math.MaxInt32, 0, binary.LittleEndian.Uint32(wrong[at:]) + 1}[at/4*7%4]
		binary.LittleEndian.PutUint32(wrong[at:], value)
		if f.try(t, wrong) {
			read++
		}
	}
	t.Logf("%d of %d files are read", read, len(body)/4)
}

func FuzzKeptIndex(f *testing.F) {
	forged := newForged(f)
	good := forged.good
	f.Add(good[headerSize:])
	for _, at := range []int{0, 8, 100, 400, 1000, 2000, len(good) - headerSize - 8} {
		bad := slices.Clone(good[headerSize:])
		for i := range bad[at : at+8] {
			bad[at+i] ^= 0xFF
		}
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, body []byte) { forged.try(t, body) })
}

// TestChangedIndexHasAnotherVersion is for who changes what is computed of tools: an
// index that was kept before must not be taken for it.
func TestChangedIndexHasAnotherVersion(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round other bits")
	}
	h := sha256.New()
	for _, reg := range []*registry.Registry{registryOf(t, sets...), {Tools: repetitive}, invented(1, 200)} {
		ix, err := New(reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(ix.encode([sha256.Size]byte{}))
	}
	const version, want = 1, "28a0bf13b67f4c1c"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); keptVersion != version || got != want {
		t.Errorf("version %d has %s, known is %s of version %d: raise keptVersion unless only the tools of this test have "+
			"changed", keptVersion, got, want, version)
	}
}
