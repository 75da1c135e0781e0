package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/serve/shorten"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/jsontree"
)

// valueFlags returns the flags for the display of a value.
func valueFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "images", Usage: "write the images of the value into `DIR` and print their names"},
		&cli.BoolFlag{Name: "table", Usage: "print a list as a table"},
		&cli.BoolFlag{Name: "csv", Usage: "print a list as CSV"},
	}
}

// shower prints values as valueFlags ask for.
type shower struct {
	e          *env
	images     string
	table, csv bool
	quiet      bool
}

func (e *env) shower(c *cli.Command) (*shower, error) {
	s := &shower{e, c.String("images"), c.Bool("table"), c.Bool("csv"), c.Bool("q")}
	if s.table && s.csv {
		return nil, usageError{"-table and -csv exclude each other: use one"}
	}
	return s, pointless(c, c.Bool("json"), "with -json: omit one of them", "table", "csv")
}

// value prints a value.
func (s *shower) value(v json.RawMessage) error {
	v, err := s.withoutImages(v)
	switch {
	case err != nil:
		return err
	case s.table || s.csv:
		return s.list(v)
	}
	return s.e.print(v)
}

// result prints a tool's result: its structured value, else its texts. It writes images to
// files if a flag asks for that.
func (s *shower) result(res *backend.Result) error {
	for _, b := range res.Content {
		switch {
		case (b.Type == "image" || b.Type == "audio" || strings.HasPrefix(b.MIMEType, "image/")) && len(b.Data) > 0:
			file := s.image(b.MIMEType, b.Data)
			if file.err != nil {
				return file.err
			}
			if file.name == "" && !s.quiet {
				fmt.Fprintf(s.e.stderr, "harness: %s; -images DIR writes it\n", file.note)
			}
		case b.Text == "" && len(b.Data) > 0 && !s.quiet:
			kind := registry.Printable(b.Type, 40) + ", " + registry.Printable(b.MIMEType, 80)
			fmt.Fprintf(s.e.stderr, "harness: (%s, %d bytes)\n", kind, len(b.Data))
		}
	}
	if len(res.Structured) > 0 {
		return s.value(res.Structured)
	}
	text := res.Text()
	var noList error
	if s.table || s.csv {
		if json.Valid([]byte(text)) {
			return s.value(json.RawMessage(text))
		}
		noList = usageError{"the tool was called; its answer is text, not a list"} // print the answer all the same
	}
	if text == "" {
		return noList
	}
	_, err := io.WriteString(s.e.stdout, registry.PrintableText(strings.TrimSuffix(text, "\n"), len(text))+"\n")
	return errors.Join(noList, err)
}

// withoutImages returns a value without its images. They are written to files, or omitted on
// a terminal.
func (s *shower) withoutImages(v json.RawMessage) (json.RawMessage, error) {
	if s.images == "" && !lifetime.Terminal(s.e.stdout) {
		return v, nil
	}
	var failed error
	out := shorten.ReplaceImages(v, func(mimeType string, data []byte) string {
		i := s.image(mimeType, data)
		failed = errors.Join(failed, i.err)
		if i.name != "" {
			return i.name
		}
		return "(" + i.note + "; -images DIR writes it)"
	})
	return out, failed
}

type imageFile struct {
	name, note string
	err        error
}

// maxImageNumber is how many names are tried for an image.
const maxImageNumber = 10_000

// image writes an image into the folder, under an unused name.
func (s *shower) image(mimeType string, data []byte) imageFile {
	out := imageFile{note: fmt.Sprintf("%s, %d bytes", registry.Printable(mimeType, 80), len(data))}
	if s.images == "" {
		return out
	}
	if out.err = os.MkdirAll(s.images, 0o755); out.err != nil {
		return out
	}
	for n := 1; n <= maxImageNumber; n++ {
		name := filepath.Join(s.images, fmt.Sprintf("image-%d%s", n, extension(mimeType)))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.Write(data)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return imageFile{err: err}
		}
		out.name = name
		if !s.quiet {
			fmt.Fprintf(s.e.stderr, "harness: wrote %s (%s)\n", name, out.note)
		}
		return out
	}
	out.err = fmt.Errorf("%s has no free name for an image", s.images)
	return out
}

// extension returns the file extension for a MIME type.
func extension(mimeType string) string {
	kind, _, err := mime.ParseMediaType(mimeType)
	if err != nil {
		return ".bin"
	}
	known := map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
		"image/bmp": ".bmp", "image/tiff": ".tiff", "audio/wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg",
	}
	if ext := known[kind]; ext != "" {
		return ext
	}
	return ".bin"
}

// list prints a list: a row for each element, and a column for each key in the order of the
// elements. An object with exactly one list is treated as that list.
func (s *shower) list(v json.RawMessage) error {
	items, err := listOf(v)
	if err != nil { // print the value all the same
		return errors.Join(usageError{err.Error()}, s.e.print(v))
	}
	var columns []string
	rows := make([]map[string]string, len(items))
	for i, item := range items {
		names, cells := cellsOf(item)
		rows[i] = cells
		for _, n := range names {
			if !slices.Contains(columns, n) {
				columns = append(columns, n)
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	table := [][]string{columns}
	shown := &present.Table{Header: true, Columns: present.Columns(columns...)}
	for _, cells := range rows {
		row := make([]string, len(columns))
		for i, n := range columns {
			row[i] = cells[n]
		}
		table, shown.Rows = append(table, row), append(shown.Rows, present.Cells(row...))
	}
	if s.csv {
		return csv.NewWriter(s.e.stdout).WriteAll(table)
	}
	return s.e.show(present.Document{shown})
}

// listOf returns the list that is the value, or the only list in it.
func listOf(v json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if json.Unmarshal(v, &items) == nil && items != nil {
		return items, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(v, &object) != nil || object == nil {
		return nil, errors.New("the value is not a list, so it has no table")
	}
	var lists []string
	for _, key := range slices.Sorted(maps.Keys(object)) {
		var list []json.RawMessage
		if json.Unmarshal(object[key], &list) == nil && list != nil {
			lists, items = append(lists, key), list
		}
	}
	switch len(lists) {
	case 1:
		return items, nil
	case 0:
		return nil, errors.New("the value is an object without a list, so it has no table")
	}
	return nil, fmt.Errorf("the value has several lists (%s): return one of them", strings.Join(lists, ", "))
}

// cellsOf returns the columns of an element and their contents.
func cellsOf(item json.RawMessage) (names []string, cells map[string]string) {
	v, _ := jsontree.Parse(item, jsontree.Limits{Depth: 1}) // the item is valid JSON
	if v.Kind != jsontree.Object && v.Kind != jsontree.List {
		return []string{"value"}, map[string]string{"value": cellOf(item)}
	}
	names, cells = v.Keys, map[string]string{}
	for i, cell := range v.Items {
		if v.Kind == jsontree.List {
			names = append(names, fmt.Sprint(i+1))
		}
		cells[names[i]] = cellOf(cell.Raw)
	}
	return names, cells
}

// cellOf formats a value for a cell: a string as its text, null as "", others as JSON.
func cellOf(v json.RawMessage) string {
	var text string
	switch {
	case string(v) == "null":
		return ""
	case json.Unmarshal(v, &text) == nil:
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return string(v)
	}
	return b.String()
}
