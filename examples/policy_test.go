package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// execute runs a script through harness serve, with further flags, as a client
// that answers questions with action, or, when that is empty, cannot be asked.
func (c command) execute(t *testing.T, script, action string, flags ...string) *mcp.CallToolResult {
	t.Helper()
	opts := &mcp.ClientOptions{}
	if action != "" {
		opts.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: action, Content: map[string]any{}}, nil
		}
	}
	cmd := exec.Command(c.harness, append([]string{"-config", c.config, "-q", "serve"}, flags...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+c.home, "XDG_CONFIG_HOME="+c.home, "XDG_STATE_HOME="+t.TempDir())
	cmd.Dir = c.home
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	res, err := session.CallTool(t.Context(),
		&mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": script}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// texts are the texts of a result.
func texts(res *mcp.CallToolResult) string {
	var out strings.Builder
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			out.WriteString(text.Text + "\n")
		}
	}
	return out.String()
}

func TestPolicyRefusesWhatTheReadmeSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newCommand(t, "policy/.mcp.json",
		`"examples/policy/notes.db"`, jsonText(t, filepath.Join(dir, "notes.db")),
		`"examples/policy/archive.db"`, jsonText(t, filepath.Join(dir, "archive.db")))
	page, err := os.ReadFile("policy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("policy/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "echo '")
	piped, _, _ := strings.Cut(rest, "' |")

	// shown reports lines that either the README or the program does not have.
	shown := func(name, got string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(string(page), w) || !strings.Contains(got, w) {
				t.Errorf("%s: want %q here and in the README:\n%s", name, w, got)
			}
		}
	}
	run := func(stdin string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.Command(c.harness, append([]string{"-config", c.config, "run"}, args...)...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+c.home, "XDG_CONFIG_HOME="+c.home)
		cmd.Stdin = strings.NewReader(stdin)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal("the harness did not start")
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	const (
		addDenied    = "line 21: notes.AddNote (notes.add_note): it is not marked as read-only, and this run is read-only"
		deleteDenied = "line 25: notes.DeleteNote (notes.delete_note): it is not marked as read-only, and this run is " +
			"read-only"
		deleteStops  = "line 25: notes.DeleteNote (notes.delete_note): it is marked as destructive and needs approval"
		howToApprove = "hint: nothing has run; ask the user: harness run (or serve) waits for approval with -state DIR, and approves the " +
			"tool in advance with -approved notes.delete_note"
		addedBefore    = "waiting\neffect calls that were made:\n  line 21: notes.add_note({\"text\":"
		deleteWaits    = "  notes.delete_note  line 25  it is marked as destructive and needs approval"
		addedAndGone   = "{\n  \"added\": \"Archive\",\n  \"archived\": 0,\n  \"deleted\": \"Archive\"\n}"
		archiveIsRead  = "1:19: undefined: archive.AddNote"
		archiveIsSmall = "hint: archive has no AddNote; all its tools are below\n// Search the notes by words"
		archiveReads   = "archive.ListTables() → Tables []{Name string, Columns []{Name string, Type string}, Rows int} " +
			"// List the tables of the SQLite database, with their columns…\narchive.Query(SQL string, "
	)
	out, code := run("", "-read-only", script(t, "policy"))
	if shown("read-only", out, "harness: denied", addDenied, deleteDenied); code != 4 {
		t.Errorf("read-only: exit code %d", code)
	}
	out, code = run(piped, "-")
	if shown("the archive", out, "harness: compile_error", archiveIsRead, archiveIsSmall, archiveReads); code != 2 {
		t.Errorf("the archive: exit code %d", code)
	}
	out, code = run(`UseTools("drop a table"); _, _ = notes.DropTable(notes.DropTableParams{Table: "x"})`, "-")
	if code != 2 || strings.Contains(out, "func notes.DropTable") {
		t.Errorf("a denied tool: exit code %d\n%s", code, out)
	}

	out, code = run("", "-approve", "destructive", script(t, "policy"))
	if shown("a run without records", out, deleteStops, howToApprove); code != 4 {
		t.Errorf("a run without records: exit code %d", code)
	}
	shown("a client that cannot ask", texts(c.execute(t, string(source), "", "-approve", "destructive")),
		addedBefore, deleteWaits)
	if got := texts(c.execute(t, string(source), "decline", "-approve", "destructive")); !strings.Contains(got,
		"notes.delete_note: not sent: the user at stdio rejected it") {
		t.Errorf("a no: %s", got)
	}
	shown("a pattern", texts(c.execute(t, string(source), "accept", "-approve", "destructive", "-deny", "notes.delete_*")),
		"denied by -deny notes.delete_*")

	// What was before the call that waits has run, each time.
	next := value[int](t, c, `n, err := notes.AddNote(notes.AddNoteParams{Title: "x", Text: "y"}); if err != nil { panic(err) }; Return(n.ID)`, "-")
	if next != 3 {
		t.Errorf("the next note has number %d", next)
	}
	for name, res := range map[string]*mcp.CallToolResult{
		"a yes":        c.execute(t, string(source), "accept", "-approve", "destructive"),
		"for good":     c.execute(t, string(source), "", "-approve", "destructive", "-approved", "notes.delete_note"),
		"not asked of": c.execute(t, string(source), ""),
	} {
		if got := texts(res); res.IsError || !strings.Contains(got, `"deleted":"Archive"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
	out, code = run("", script(t, "policy"))
	if shown("all is allowed", out, addedAndGone); code != 0 {
		t.Errorf("all is allowed: exit code %d", code)
	}
}
