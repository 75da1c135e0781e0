// Command library is an HTTP service with an OpenAPI 3 document, and no word of
// MCP: books in memory, which can be listed, added, lent and returned.
//
//	go run ./examples/servers/library [-addr 127.0.0.1:8180] [COMMAND ARGUMENT…]
//
// With a command it serves while that runs, and ends with its exit code.
//
// Its document is at /openapi.json. Every other request needs the header
// X-Library-Key with the value of LIBRARY_KEY (default: demo).
package main

import (
	"cmp"
	"context"
	"crypto/subtle"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	maxBooks = 1000
	maxBody  = 64 << 10
)

//go:embed openapi.json
var document []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], cmp.Or(os.Getenv("LIBRARY_KEY"), "demo"), os.Stdout, os.Stderr))
}

// run serves until ctx, or the command, ends and returns the exit code. Without a
// command the first line on stdout is the document's URL.
func run(ctx context.Context, args []string, key string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("library", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8180", "`address` to serve at")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintln(stderr, "library:", err)
		return 1
	}
	server := &http.Server{Handler: newLibrary(key), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 30 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if command := flags.Args(); len(command) > 0 {
		go server.Serve(listener)
		defer server.Close()
		return while(ctx, command, stdout, stderr)
	}
	fmt.Fprintf(stdout, "http://%s/openapi.json\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(stderr, "library:", err)
		return 1
	}
	return 0
}

// while runs a command and returns its exit code.
func while(ctx context.Context, command []string, stdout, stderr io.Writer) int {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1)
	case err != nil:
		fmt.Fprintln(stderr, "library:", err)
		return 1
	}
	return 0
}

// Book is a book of the library.
type Book struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Author string `json:"author"`
	Year   int    `json:"year,omitempty"`
	Reader string `json:"reader,omitempty"`
}

type library struct {
	mu    sync.Mutex
	books []Book // the book with number n is at n-1
}

func newLibrary(key string) http.Handler {
	l := &library{books: []Book{
		{1, "The Left Hand of Darkness", "Ursula K. Le Guin", 1969, ""},
		{2, "Solaris", "Stanisław Lem", 1961, "Ada"},
		{3, "The Dispossessed", "Ursula K. Le Guin", 1974, ""},
		{4, "The Cyberiad", "Stanisław Lem", 1965, ""},
		{5, "Kindred", "Octavia E. Butler", 1979, "Bo"},
	}}
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/books", l.list)
	api.HandleFunc("POST /v1/books", l.add)
	api.HandleFunc("PUT /v1/books/{number}/loan", l.lend)
	api.HandleFunc("DELETE /v1/books/{number}/loan", l.takeBack)
	top := http.NewServeMux()
	top.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(document)
	})
	top.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Library-Key")), []byte(key)) != 1 {
			fail(w, http.StatusUnauthorized, "want the library's key in the header X-Library-Key")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		l.mu.Lock()
		defer l.mu.Unlock()
		api.ServeHTTP(w, r)
	})
	return top
}

func (l *library) list(w http.ResponseWriter, r *http.Request) {
	author, lent := strings.ToLower(r.FormValue("author")), r.FormValue("lent")
	out := []Book{}
	for _, b := range l.books {
		if strings.Contains(strings.ToLower(b.Author), author) && (lent == "" || lent == strconv.FormatBool(b.Reader != "")) {
			out = append(out, b)
		}
	}
	send(w, http.StatusOK, map[string]any{"books": out})
}

func (l *library) add(w http.ResponseWriter, r *http.Request) {
	var b Book
	switch err := json.NewDecoder(r.Body).Decode(&b); {
	case err != nil || b.Title == "" || b.Author == "":
		fail(w, http.StatusBadRequest, "want a JSON object with title and author")
	case len(l.books) >= maxBooks:
		fail(w, http.StatusInsufficientStorage, "the library is full")
	default:
		b.Number, b.Reader = len(l.books)+1, ""
		l.books = append(l.books, b)
		send(w, http.StatusCreated, b)
	}
}

func (l *library) lend(w http.ResponseWriter, r *http.Request) {
	var loan struct{ Reader string }
	if err := json.NewDecoder(r.Body).Decode(&loan); err != nil || loan.Reader == "" {
		fail(w, http.StatusBadRequest, "want a JSON object with reader")
		return
	}
	switch b := l.book(w, r); {
	case b == nil:
	case b.Reader != "":
		fail(w, http.StatusConflict, fmt.Sprintf("%s has borrowed it", b.Reader))
	default:
		b.Reader = loan.Reader
		send(w, http.StatusOK, b)
	}
}

func (l *library) takeBack(w http.ResponseWriter, r *http.Request) {
	if b := l.book(w, r); b != nil {
		b.Reader = ""
		send(w, http.StatusOK, b)
	}
}

// book is the one that a request names; nil: there is none, and it was said.
func (l *library) book(w http.ResponseWriter, r *http.Request) *Book {
	n, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || n < 1 || n > len(l.books) {
		fail(w, http.StatusNotFound, fmt.Sprintf("there is no book %.20q; they have the numbers 1 to %d",
			r.PathValue("number"), len(l.books)))
		return nil
	}
	return &l.books[n-1]
}

func send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func fail(w http.ResponseWriter, status int, message string) {
	send(w, status, map[string]string{"error": message})
}
