package main

import (
	"errors"
	"strings"
)

// onlySelect reports SQL that is anything but one SELECT (or WITH … SELECT, or
// VALUES). It reads tokens as SQLite does as far as it takes to see where the
// statement ends; the rest is SQLite's to say. A WITH that goes on to write is
// stopped by the connection, which cannot.
func onlySelect(sql string) error {
	first, ended := "", false
	for i := 0; i < len(sql); {
		n := token(sql[i:])
		switch t := sql[i : i+n]; {
		case isSpace(t):
		case ended:
			return errors.New("query runs one statement: something stands behind the ;")
		case t == ";":
			ended = true
		case t == "\x00":
			return errors.New("the SQL holds a NUL character")
		case first == "":
			first = strings.ToUpper(t)
		}
		i += n
	}
	switch first {
	case "SELECT", "WITH", "VALUES":
		return nil
	case "":
		return errors.New("the SQL holds no statement: want one SELECT")
	}
	return errSelectOnly
}

var errSelectOnly = errors.New("query runs SELECT only; insert_rows, delete_rows, create_table and drop_table " +
	"change what is there")

func isSpace(t string) bool {
	return strings.HasPrefix(t, "--") || strings.HasPrefix(t, "/*") || strings.Trim(t, " \t\n\f\r") == ""
}

// token returns the length of the token that sql begins with: a comment, a
// quoted text or name, a word, or one other character.
func token(sql string) int {
	upTo := func(from int, end string) int {
		if i := strings.Index(sql[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(sql)
	}
	switch c := sql[0]; {
	case strings.HasPrefix(sql, "--"):
		return upTo(2, "\n")
	case strings.HasPrefix(sql, "/*"):
		return upTo(2, "*/")
	case c == '\'', c == '"', c == '`': // 'it''s' is two of them, side by side
		return upTo(1, string(c))
	case c == '[':
		return upTo(1, "]")
	case wordByte(c):
		n := 1
		for n < len(sql) && wordByte(sql[n]) {
			n++
		}
		return n
	}
	return 1
}

func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
