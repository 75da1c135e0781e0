package lifetime

import (
	"os"
	"runtime"
	"testing"
)

func TestOnlyClosedOutputEndsTheCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGPIPE")
	}
	broken := func() *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		t.Cleanup(func() { w.Close() })
		return w
	}
	ctx, out, stop := Until(broken())
	defer stop()
	if _, err := broken().Write([]byte("to a server that is gone")); err == nil {
		t.Fatal("wrote to nobody")
	}
	if err := ctx.Err(); err != nil {
		t.Fatalf("a broken pipe of something else ended the command: %v", err)
	}
	out.Write([]byte("x"))
	<-ctx.Done()
}
