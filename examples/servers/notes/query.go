package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// QueryParams are the arguments of query.
type QueryParams struct {
	SQL   string `json:"sql" jsonschema:"One SELECT statement of SQLite's SQL, with ? for each value"`
	Args  []any  `json:"args,omitempty" jsonschema:"Values for the ? of the statement, in order: texts, numbers, true, false, null"`
	Limit int    `json:"limit,omitempty" jsonschema:"Greatest number of rows to answer with"`
}

// QueryResult is the answer of query.
type QueryResult struct {
	Columns []string         `json:"columns" jsonschema:"Names of the columns, in order"`
	Rows    []map[string]any `json:"rows" jsonschema:"Rows as objects, column: value"`
	More    bool             `json:"more" jsonschema:"Whether rows were left out because of limit or size"`
}

func (s *store) query(ctx context.Context, p QueryParams) (QueryResult, error) {
	out := QueryResult{Columns: []string{}, Rows: []map[string]any{}}
	if len(p.SQL) > maxSQL || len(p.Args) > maxArgs {
		return out, fmt.Errorf("%d bytes of SQL and %d values: at most %d and %d", len(p.SQL), len(p.Args), maxSQL, maxArgs)
	}
	if err := onlySelect(p.SQL); err != nil {
		return out, err
	}
	args := make([]any, len(p.Args))
	for i, v := range p.Args {
		var err error
		if args[i], err = value(v); err != nil {
			return out, fmt.Errorf("args[%d]: %w", i, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	rows, err := s.reader.QueryContext(ctx, p.SQL, args...)
	if err != nil {
		return out, s.explain(ctx, err)
	}
	defer rows.Close()
	if out.Columns, err = rows.Columns(); err != nil {
		return out, err
	}
	seen := map[string]bool{}
	for _, c := range out.Columns {
		if seen[c] {
			return out, fmt.Errorf("two columns are called %q: name them apart with AS", c)
		}
		seen[c] = true
	}
	values, into := make([]any, len(out.Columns)), make([]any, len(out.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	for size := 0; rows.Next(); {
		if len(out.Rows) >= p.Limit || size > maxAnswer {
			out.More = true
			return out, nil
		}
		if err := rows.Scan(into...); err != nil {
			return out, inWords(ctx, err)
		}
		row := make(map[string]any, len(values))
		for i, v := range values {
			row[out.Columns[i]] = cell(v)
			size += len(out.Columns[i]) + 10
			if text, ok := row[out.Columns[i]].(string); ok {
				size += len(text)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, s.explain(ctx, rows.Err())
}

// cell is a value of SQLite as JSON can hold it: a blob as base64, a text cut
// where it is longer than one that could be inserted.
func cell(v any) any {
	switch v := v.(type) {
	case []byte:
		return base64.StdEncoding.EncodeToString(v[:min(len(v), maxText)])
	case string:
		if len(v) > maxText {
			v = v[:maxText] + "…"
		}
		if !utf8.ValidString(v) {
			v = strings.ToValidUTF8(v, "\uFFFD")
		}
		return v
	case float64:
		if math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	}
	return v
}

// explain says which tables there are where SQLite finds none of that name, and
// what a query may do where it tries to write.
func (s *store) explain(ctx context.Context, err error) error {
	if err = inWords(ctx, err); err == nil {
		return nil
	}
	text := err.Error()
	switch {
	case strings.Contains(text, "readonly database"):
		return errSelectOnly
	case strings.Contains(text, "no such table"), strings.Contains(text, "no such column"):
		all, listErr := s.listTables(context.WithoutCancel(ctx), struct{}{})
		if listErr != nil {
			return err
		}
		for _, t := range all.Tables {
			text += fmt.Sprintf("; %s(%s)", t.Name, describe(t.Columns))
		}
		return errors.New(text)
	}
	return err
}
