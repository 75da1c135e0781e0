// Command cluster starts a cluster on this machine, sends it scripts that write notes,
// kills one program of each kind meanwhile, and shows what became of every script:
//
//	go run ./examples/cluster
//
// With -measure it measures instead what a run takes of each, and computes from that what
// larger numbers of them need (on Linux).
//
// It listens on loopback only. The NATS server is installed from its module, in the
// version below, into the user's cache folder; -nats FILE takes another one.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite" // reads what the scripts have written
)

// natsModule is the NATS server that is installed.
const natsModule = "github.com/nats-io/nats-server/v2@v2.15.2"

const (
	startTime  = time.Minute // that a program may take until it listens
	scriptTime = time.Minute // that a script may take, with all that goes wrong
	atOnce     = 8           // scripts
)

func main() {
	scripts := flag.Int("n", 200, "how many `scripts` are sent")
	sizes := flag.Bool("measure", false, "kill nothing, and measure what a script takes of each program; better with -n 2000")
	nats := flag.String("nats", "", "the NATS server's `program`; empty: it is installed")
	harness := flag.String("harness", "", "the harness's `program`; empty: it is built")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *scripts, *sizes, *nats, *harness); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, scripts int, sizes bool, nats, harness string) (err error) {
	folder, err := os.MkdirTemp("", "usetools-cluster-")
	if err != nil {
		return err
	}
	d := &demo{folder: folder, harness: harness, nats: nats}
	defer func() {
		d.end()
		if err == nil {
			err = os.RemoveAll(folder)
		} else {
			fmt.Fprintln(os.Stderr, "what the programs have said is in", folder)
		}
	}()
	if err := d.install(ctx); err != nil {
		return err
	}
	if sizes {
		return measure(ctx, d, scripts, os.Stdout)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": map[string]any{
		"command": d.notes, "args": []string{"-db", filepath.Join(d.folder, "notes.db")}}}})
	if err != nil {
		return err
	}
	if err := d.start(ctx, string(config), 2, 2); err != nil {
		return err
	}
	before := time.Now()
	d.send(ctx, scripts)
	return d.tell(os.Stdout, time.Since(before))
}

// demo is the cluster and what its scripts came to.
type demo struct {
	folder, harness, nats, notes string

	engines, fronts, runners []*program
	results                  []result
}

// program is one of the cluster.
type program struct {
	name, url string
	args      []string // the program first
	log       *os.File
	cmd       *exec.Cmd
}

// result is what a client is told of a script.
type result struct {
	status string // "" where nobody has told it
	tries  int    // at front ends
	err    error
}

// install builds the programs.
func (d *demo) install(ctx context.Context) error {
	build := func(to *string, name, pkg string) error {
		if *to != "" {
			return nil
		}
		*to = filepath.Join(d.folder, name+suffix())
		return command(ctx, nil, "go", "build", "-o", *to, pkg)
	}
	if err := errors.Join(build(&d.harness, "harness", "./cmd/harness"),
		build(&d.notes, "notes", "./examples/servers/notes")); err != nil {
		return err
	}
	if d.nats != "" {
		return nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	_, version, _ := strings.Cut(natsModule, "@")
	bin := filepath.Join(cache, "usetools", "nats-server-"+version)
	if d.nats = filepath.Join(bin, "nats-server"+suffix()); exists(d.nats) {
		return nil
	}
	fmt.Println("installing", natsModule)
	return command(ctx, []string{"GOBIN=" + bin}, "go", "install", natsModule)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func command(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// start starts three NATS servers, front ends and runners, whose servers are those of
// config; runners have further flags.
func (d *demo) start(ctx context.Context, config string, fronts, runners int, flags ...string) error {
	at := filepath.Join(d.folder, "mcp.json")
	if err := os.WriteFile(at, []byte(config), 0o600); err != nil {
		return err
	}
	ports, err := free(6 + fronts)
	if err != nil {
		return err
	}
	var urls, routes []string
	for i := range 3 {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", ports[3+i]))
	}
	for i := range 3 {
		name := fmt.Sprintf("nats-%d", i+1)
		d.engines = append(d.engines, &program{name: name, args: []string{d.nats, "-n", name, "-a", "127.0.0.1",
			"-p", fmt.Sprint(ports[i]), "-js", "-sd", filepath.Join(d.folder, name), "-cluster_name", "usetools",
			"-cluster", routes[i], "-routes", strings.Join(routes, ",")}})
	}
	cluster := strings.Join(urls, ",")
	for i := range fronts {
		name := fmt.Sprintf("front-%d", i+1)
		address := fmt.Sprintf("127.0.0.1:%d", ports[6+i])
		d.fronts = append(d.fronts, &program{name: name, url: "http://" + address, args: []string{d.harness, "-config", at,
			"-registry", filepath.Join(d.folder, name+".json"), "serve", "-http", address, "-no-console", "-cluster", cluster,
			"-replicas", "3"}})
	}
	for i := range runners {
		name := fmt.Sprintf("runner-%d", i+1)
		d.runners = append(d.runners, &program{name: name, args: append([]string{d.harness, "-config", at, "-registry",
			filepath.Join(d.folder, name+".json"), "runner", "-cluster", cluster, "-replicas", "3"}, flags...)})
	}
	for _, p := range d.engines {
		if err := p.start(ctx, d.folder); err != nil {
			return err
		}
	}
	for _, url := range urls {
		if err := listens(ctx, strings.TrimPrefix(url, "nats://")); err != nil {
			return err
		}
	}
	for _, p := range slices.Concat(d.fronts, d.runners) {
		if err := p.start(ctx, d.folder); err != nil {
			return err
		}
	}
	for _, p := range d.fronts {
		if err := listens(ctx, strings.TrimPrefix(p.url, "http://")); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// free are ports that nobody listens to.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after all are known: else one comes twice
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// listens waits until somebody listens at an address.
func listens(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		var dialer net.Dialer
		c, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return c.Close()
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

func (p *program) start(ctx context.Context, folder string) (err error) {
	if p.log == nil {
		if p.log, err = os.Create(filepath.Join(folder, p.name+".log")); err != nil {
			return err
		}
	}
	p.cmd = exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// kill ends a program at once, as a power failure of its machine does.
func (p *program) kill() {
	if p.cmd != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		p.cmd = nil
	}
}

func (d *demo) end() {
	for _, p := range slices.Concat(d.fronts, d.runners, d.engines) {
		p.kill()
		if p.log != nil {
			p.log.Close()
		}
	}
}

// title is that of the note of a script.
func title(script int) string { return fmt.Sprintf("note %d", script) }

// source reads, writes a note and reads again.
func source(script int) string {
	return fmt.Sprintf(`package main

import "servers/notes"

func main() {
	UseTools("search the notes", "add a note")
	if _, err := notes.SearchNotes(notes.SearchNotesParams{Words: %[1]q}); err != nil {
		panic(err)
	}
	note, err := notes.AddNote(notes.AddNoteParams{Title: %[1]q, Text: "written once"})
	if err != nil {
		panic(err)
	}
	Return(note.ID)
}
`, title(script))
}

// send sends scripts, some at a time, by turns to both front ends, and kills one program
// of each kind when a quarter, half and three quarters of them have ended.
func (d *demo) send(ctx context.Context, scripts int) {
	d.results = make([]result, scripts)
	var done atomic.Int64
	victims := []*program{d.runners[0], d.engines[0], d.fronts[0]}
	var killed sync.Mutex
	var sending sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		sending.Go(func() {
			for i := range next {
				d.results[i] = d.script(ctx, i)
				n := int(done.Add(1))
				for k, p := range victims {
					if n == max(scripts*(k+1)/4, 1) {
						killed.Lock()
						fmt.Printf("%3d scripts have ended: killing %s\n", n, p.name)
						p.kill()
						killed.Unlock()
					}
				}
			}
		})
	}
	for i := range scripts {
		next <- i
	}
	close(next)
	sending.Wait()
}

// script sends a script to a front end; where that is gone, to the other one.
func (d *demo) script(ctx context.Context, i int) (r result) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	for ; ctx.Err() == nil; r.tries++ {
		front := d.fronts[(i+r.tries)%len(d.fronts)]
		if r.status, r.err = execute(ctx, front.url+"/mcp", source(i)); r.err == nil {
			r.tries++
			return r
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return r
}

// execute runs a script at a front end, and returns its status.
func execute(ctx context.Context, url, script string) (status string, err error) {
	session, err := connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return executeIn(ctx, session, script)
}

func connect(ctx context.Context, url string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "cluster-example", Version: "1"}, nil)
	http := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: http,
		MaxRetries: -1, DisableStandaloneSSE: true}, nil)
}

func executeIn(ctx context.Context, session *mcp.ClientSession, script string) (status string, err error) {
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script}})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(res.StructuredContent)
	var answer struct {
		Status string `json:"status"`
	}
	if err == nil {
		err = json.Unmarshal(b, &answer)
	}
	if err != nil || answer.Status != "" {
		return answer.Status, err
	}
	return "", fmt.Errorf("an answer without a status: %.300s", b)
}

// tell prints what became of the scripts; the error says what was lost.
func (d *demo) tell(w io.Writer, took time.Duration) error {
	notes, err := d.written()
	if err != nil {
		return err
	}
	statuses, again := map[string]int{}, 0
	var twice, missing, silent, failed []string
	for i, r := range d.results {
		statuses[cmp.Or(r.status, "no answer")]++
		if r.tries > 1 {
			again++
		}
		switch n := notes[title(i)]; {
		case n > 1:
			twice = append(twice, title(i))
		case r.status == "ok" && n == 0:
			missing = append(missing, title(i))
		case r.status != "ok" && r.status != "lost" && r.status != "uncertain" && r.status != "":
			failed = append(failed, title(i)+" ("+r.status+")")
		case r.status == "":
			silent = append(silent, fmt.Sprintf("%s (%v)", title(i), r.err))
		}
	}
	row := func(what string, n int) { fmt.Fprintf(w, "%-44s %5d\n", what, n) }
	fmt.Fprintf(w, "\n%d scripts in %v\n", len(d.results), took.Round(time.Millisecond))
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		row("  ended: "+status, statuses[status])
	}
	row("  sent again, as a front end was gone", again)
	row("notes written", len(notes))
	row("  twice", len(twice))
	row("  missing although the script ended well", len(missing))
	row("scripts without an answer", len(silent))
	if bad := slices.Concat(twice, missing, silent, failed); len(bad) > 0 {
		return fmt.Errorf("not as promised: %s", strings.Join(bad[:min(len(bad), 10)], ", "))
	}
	return nil
}

// written are the titles of the notes, and how often each is there.
func (d *demo) written() (map[string]int, error) {
	db, err := sql.Open("sqlite", filepath.Join(d.folder, "notes.db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Query("SELECT title, count(*) FROM notes GROUP BY title")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	notes := map[string]int{}
	for rows.Next() {
		var title string
		var n int
		if err := rows.Scan(&title, &n); err != nil {
			return nil, err
		}
		notes[title] = n
	}
	return notes, rows.Err()
}
