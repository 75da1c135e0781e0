package lifetime

import (
	"errors"
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
	if err := out.Err(); err != nil || !out.Closed() {
		t.Errorf("a reader who had enough is a loss: %v", err)
	}
}

func TestLostOutputIsRemembered(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	ctx, out, stop := Until(w)
	defer stop()
	if err := out.Err(); err != nil {
		t.Error(err)
	}
	out.Write([]byte("x"))
	if !errors.Is(out.Err(), os.ErrClosed) || out.Closed() || ctx.Err() != nil {
		t.Errorf("got %v, closed %v, %v", out.Err(), out.Closed(), ctx.Err())
	}
}
