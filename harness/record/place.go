package record

import (
	"fmt"
	"strconv"
	"strings"
)

// Where is a place in the scripts of a run, for display.
type Where struct {
	Script string `json:"script,omitempty"` // name of the saved script; empty for the script of the request
	File   string `json:"file,omitempty"`   // only for a script of several files
	Line   int    `json:"line,omitempty"`   // of File, or of the script; if zero, it is unknown
}

// At returns the place in words: "line 12 of main.go of the saved script digest".
func (w Where) At() string {
	at := "an unknown line"
	if w.Line > 0 {
		at = fmt.Sprintf("line %d", w.Line)
	}
	if w.File != "" {
		at += " of " + w.File
	}
	if w.Script != "" {
		at += " of the saved script " + w.Script
	}
	return at
}

// Prefix returns the place of a message in the form that compilers use: "main.go:12:5: " or "line
// 12: ". It is empty without a line and a file.
func Prefix(file string, line, column int) string {
	switch {
	case file != "" && column > 0:
		return fmt.Sprintf("%s:%d:%d: ", file, line, column)
	case file != "":
		return fmt.Sprintf("%s:%d: ", file, line)
	case line > 0 && column > 0:
		return fmt.Sprintf("%d:%d: ", line, column)
	case line > 0:
		return fmt.Sprintf("line %d: ", line)
	}
	return ""
}

// Position returns the line and column of a Call's Place, "LINE:COLUMN" in the source as sent. A
// missing number is zero.
func Position(place string) (line, column int) {
	number := func(s string) int {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return 0
		}
		return int(n)
	}
	first, second, _ := strings.Cut(place, ":")
	return number(first), number(second)
}

// PlaceLine returns the line of a Call's Place, as Position does.
func PlaceLine(place string) int {
	line, _ := Position(place)
	return line
}
