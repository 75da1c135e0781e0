package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type" jsonschema:"text, integer or real"`
}

var types = []string{"text", "integer", "real"}

// Table is a table as list_tables shows it.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Rows    int      `json:"rows" jsonschema:"How many rows it has"`
}

// ListTablesResult is the answer of list_tables.
type ListTablesResult struct {
	Tables []Table `json:"tables"`
}

func (s *store) listTables(ctx context.Context, _ struct{}) (ListTablesResult, error) {
	out := ListTablesResult{Tables: []Table{}}
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	all, err := tables(ctx, s.reader)
	if err != nil {
		return out, inWords(ctx, err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := Table{Name: name, Columns: all[name]}
		if err := s.reader.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %q", name)).Scan(&t.Rows); err != nil {
			return out, inWords(ctx, err)
		}
		out.Tables = append(out.Tables, t)
	}
	return out, nil
}

// tables returns the columns of every table.
func tables(ctx context.Context, q interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}) (map[string][]Column, error) {
	rows, err := q.QueryContext(ctx,
		`SELECT t.name, c.name, lower(c.type) FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string][]Column{}
	for rows.Next() {
		var table string
		var c Column
		if err := rows.Scan(&table, &c.Name, &c.Type); err != nil {
			return nil, err
		}
		out[table] = append(out[table], c)
	}
	return out, rows.Err()
}

// columns returns the columns of one table, or an error that names those that
// there are.
func columns(ctx context.Context, tx *sql.Tx, table string) ([]Column, error) {
	all, err := tables(ctx, tx)
	if err != nil {
		return nil, err
	}
	if c, ok := all[table]; ok {
		return c, nil
	}
	delete(all, "notes")
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no table %q, nor any other: create_table makes one", table)
	}
	return nil, fmt.Errorf("there is no table %q; there are %s", table, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
}

// CreateTableParams are the arguments of create_table.
type CreateTableParams struct {
	Table   string   `json:"table" jsonschema:"Name of the table: letters, digits and _"`
	Columns []Column `json:"columns" jsonschema:"Its columns, in order"`
}

// CreateTableResult is the answer of create_table.
type CreateTableResult struct {
	Created bool `json:"created" jsonschema:"false: the table was there already, with these columns"`
}

func (s *store) createTable(ctx context.Context, p CreateTableParams) (CreateTableResult, error) {
	var out CreateTableResult
	if err := ownTable(p.Table); err != nil {
		return out, err
	}
	if n := len(p.Columns); n == 0 || n > maxColumns {
		return out, fmt.Errorf("%d columns: want 1 to %d", n, maxColumns)
	}
	var defs []string
	for _, c := range p.Columns {
		if err := checkName("column", c.Name); err != nil {
			return out, err
		}
		if !slices.Contains(types, c.Type) {
			return out, fmt.Errorf("column %q has type %.40q: want one of %s", c.Name, c.Type, strings.Join(types, ", "))
		}
		defs = append(defs, fmt.Sprintf("%q %s", c.Name, c.Type))
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		all, err := tables(ctx, tx)
		if err != nil {
			return err
		}
		if has, ok := all[p.Table]; ok {
			if !slices.Equal(has, p.Columns) {
				return fmt.Errorf("there is a table %q with other columns: %s", p.Table, describe(has))
			}
			return nil
		}
		if len(all) >= maxTables {
			return fmt.Errorf("there are %d tables, and no more are allowed", len(all))
		}
		out.Created = true
		_, err = tx.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %q (%s) STRICT", p.Table, strings.Join(defs, ", ")))
		return err
	})
	return out, err
}

func describe(columns []Column) string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name+" "+c.Type)
	}
	return strings.Join(out, ", ")
}

// InsertRowsParams are the arguments of insert_rows.
type InsertRowsParams struct {
	Table string           `json:"table" jsonschema:"Name of the table"`
	Rows  []map[string]any `json:"rows" jsonschema:"Rows as objects, column: value, up to 1000 of them; a column that is left out is null"`
}

// InsertRowsResult is the answer of insert_rows.
type InsertRowsResult struct {
	Inserted int `json:"inserted" jsonschema:"How many rows were added"`
}

func (s *store) insertRows(ctx context.Context, p InsertRowsParams) (InsertRowsResult, error) {
	if err := ownTable(p.Table); err != nil {
		return InsertRowsResult{}, err
	}
	if n := len(p.Rows); n == 0 || n > maxRows {
		return InsertRowsResult{}, fmt.Errorf("%d rows: want 1 to %d", n, maxRows)
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		has, err := columns(ctx, tx, p.Table)
		if err != nil {
			return err
		}
		var names, marks []string
		for _, c := range has {
			names, marks = append(names, fmt.Sprintf("%q", c.Name)), append(marks, "?")
		}
		insert, err := tx.PrepareContext(ctx,
			fmt.Sprintf("INSERT INTO %q (%s) VALUES (%s)", p.Table, strings.Join(names, ", "), strings.Join(marks, ", ")))
		if err != nil {
			return err
		}
		defer insert.Close()
		for i, row := range p.Rows {
			values, err := valuesOf(has, row)
			if err == nil {
				_, err = insert.ExecContext(ctx, values...)
			}
			if err != nil {
				return fmt.Errorf("row %d: %w; nothing was inserted", i+1, inWords(ctx, err))
			}
		}
		return nil
	})
	if err != nil {
		return InsertRowsResult{}, err
	}
	return InsertRowsResult{len(p.Rows)}, nil
}

// valuesOf puts the values of a row into the order of a table's columns.
func valuesOf(has []Column, row map[string]any) ([]any, error) {
	values := make([]any, len(has))
	for name, v := range row {
		i := slices.IndexFunc(has, func(c Column) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no column %.80q; there are %s", name, describe(has))
		}
		var err error
		if values[i], err = value(v); err != nil {
			return nil, fmt.Errorf("column %q: %w", name, err)
		}
	}
	return values, nil
}

// value is a JSON value as SQLite keeps it.
func value(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return v, checkText("the text", v)
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case float64:
		if n := int64(v); float64(n) == v && n > -1<<53 && n < 1<<53 {
			return n, nil
		}
		return v, nil
	}
	return nil, errors.New("want a text, a number, true, false or null, not a list or an object")
}

// DeleteRowsParams are the arguments of delete_rows.
type DeleteRowsParams struct {
	Table string         `json:"table" jsonschema:"Name of the table"`
	Where map[string]any `json:"where,omitempty" jsonschema:"Which rows, column: value; all of them must be equal"`
	All   bool           `json:"all,omitempty" jsonschema:"true deletes every row; then where must be left out"`
}

// DeleteRowsResult is the answer of delete_rows.
type DeleteRowsResult struct {
	Deleted int64 `json:"deleted" jsonschema:"How many rows were deleted"`
}

func (s *store) deleteRows(ctx context.Context, p DeleteRowsParams) (DeleteRowsResult, error) {
	var out DeleteRowsResult
	if err := ownTable(p.Table); err != nil {
		return out, err
	}
	if p.All == (len(p.Where) > 0) {
		return out, errors.New("say which rows, with either where or all: true")
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		has, err := columns(ctx, tx, p.Table)
		if err != nil {
			return err
		}
		values, err := valuesOf(has, p.Where)
		if err != nil {
			return err
		}
		where, args := "1", []any{}
		for i, c := range has {
			if _, ok := p.Where[c.Name]; ok {
				where += fmt.Sprintf(" AND %q IS ?", c.Name)
				args = append(args, values[i])
			}
		}
		res, err := tx.ExecContext(ctx, fmt.Sprintf("DELETE FROM %q WHERE %s", p.Table, where), args...)
		if err != nil {
			return err
		}
		out.Deleted, err = res.RowsAffected()
		return err
	})
	return out, err
}

// DropTableParams are the arguments of drop_table.
type DropTableParams struct {
	Table string `json:"table" jsonschema:"Name of the table"`
}

// DropTableResult is the answer of drop_table.
type DropTableResult struct {
	Rows int `json:"rows" jsonschema:"How many rows were in it"`
}

func (s *store) dropTable(ctx context.Context, p DropTableParams) (DropTableResult, error) {
	var out DropTableResult
	if err := ownTable(p.Table); err != nil {
		return out, err
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := columns(ctx, tx, p.Table); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %q", p.Table)).Scan(&out.Rows); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("DROP TABLE %q", p.Table))
		return err
	})
	return out, err
}
