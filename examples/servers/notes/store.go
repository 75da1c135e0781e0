package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits. What goes over one is refused with the limit in the error; an answer
// is cut, and says so.
const (
	maxTables    = 100
	maxColumns   = 100
	maxRows      = 1000      // of one insert or one answer
	maxText      = 64 << 10  // bytes of one value
	maxSQL       = 16 << 10  // bytes of one query
	maxArgs      = 100       // of one query
	maxAnswer    = 256 << 10 // bytes of one answer's rows, about
	maxPages     = 65536     // of the file, 4 KiB each
	maxValue     = 1 << 20   // bytes of one value that a query computes
	perCall      = 10 * time.Second
	waitForOther = 5000 // ms for another process that holds the file
)

// store is a SQLite file: a connection that writes, and one that cannot.
type store struct {
	writer, readers *sql.DB
	reader          *sql.Conn // the only one of readers
}

func open(ctx context.Context, path string) (*store, error) {
	s := &store{}
	err := s.connect(ctx, path)
	if err != nil {
		s.close()
		return nil, fmt.Errorf("opening %s: %s", path, plain(err))
	}
	return s, nil
}

func (s *store) connect(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	file := filepath.ToSlash(abs)
	if !strings.HasPrefix(file, "/") { // C:/…
		file = "/" + file
	}
	database := func(parameters string) (*sql.DB, error) {
		u := url.URL{Scheme: "file", Path: file,
			RawQuery: fmt.Sprintf("_busy_timeout=%d&_pragma=trusted_schema(0)&_defensive=1&_dqs=0&_error_rc=1&%s", waitForOther,
				parameters)}
		db, err := sql.Open("sqlite", u.String())
		if err == nil {
			db.SetMaxOpenConns(1)
		}
		return db, err
	}
	if s.writer, err = database(fmt.Sprintf("_txlock=immediate&_pragma=max_page_count(%d)", maxPages)); err != nil {
		return err
	}
	if _, err = s.writer.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS notes
		(id INTEGER PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, created TEXT NOT NULL) STRICT`); err != nil {
		return err
	}
	if s.readers, err = database("mode=ro&_query_only=1"); err != nil {
		return err
	}
	if s.reader, err = s.readers.Conn(ctx); err != nil {
		return err
	}
	for limit, most := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED: 0, // no other file
		sqlite3.SQLITE_LIMIT_LENGTH:   maxValue,
	} {
		if _, err := sqlite.Limit(s.reader, limit, most); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) close() {
	if s.reader != nil {
		s.reader.Close()
	}
	for _, db := range []*sql.DB{s.writer, s.readers} {
		if db != nil {
			db.Close()
		}
	}
}

// change runs f in a transaction: all of it happens, or nothing.
func (s *store) change(ctx context.Context, f func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return inWords(ctx, err)
	}
	defer tx.Rollback()
	if err := f(ctx, tx); err != nil {
		return inWords(ctx, err)
	}
	return inWords(ctx, tx.Commit())
}

// inWords is an error of SQLite without its numbers; other errors stay.
func inWords(ctx context.Context, err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("it took longer than %v and was stopped", perCall)
	case errors.As(err, &e):
		return errors.New(plain(err))
	}
	return err
}

var code = regexp.MustCompile(` \(\d+\)$`)

func plain(err error) string {
	s := code.ReplaceAllString(err.Error(), "")
	return strings.TrimPrefix(s, "SQL logic error: ")
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// checkName says what is wrong with the name of a table or column. Names that
// pass may stand in SQL between double quotes.
func checkName(what, name string) error {
	if !identifier.MatchString(name) {
		return fmt.Errorf("%.80q is no name for a %s: want a letter, then letters, digits and _, at most 63", name, what)
	}
	if strings.HasPrefix(strings.ToLower(name), "sqlite_") {
		return fmt.Errorf("%q is no name for a %s: those that begin with sqlite_ are SQLite's own", name, what)
	}
	return nil
}

// ownTable checks the name of a table that tools for rows may change.
func ownTable(name string) error {
	if strings.EqualFold(name, "notes") {
		return errors.New(`the table "notes" is changed by add_note and delete_note only`)
	}
	return checkName("table", name)
}
