package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Note is a note as it is kept.
type Note struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Text    string `json:"text"`
	Created string `json:"created" jsonschema:"When it was added, RFC 3339 in UTC"`
}

// AddNoteParams are the arguments of add_note.
type AddNoteParams struct {
	Title string `json:"title" jsonschema:"Title of the note"`
	Text  string `json:"text" jsonschema:"Text of the note, up to 64 KiB"`
}

func (s *store) addNote(ctx context.Context, p AddNoteParams) (Note, error) {
	n := Note{Title: p.Title, Text: p.Text, Created: time.Now().UTC().Format(time.RFC3339)}
	if strings.TrimSpace(p.Title) == "" {
		return n, errors.New("the title is empty")
	}
	for what, text := range map[string]string{"title": p.Title, "text": p.Text} {
		if err := checkText(what, text); err != nil {
			return n, err
		}
	}
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `INSERT INTO notes (title, text, created) VALUES (?, ?, ?) RETURNING id`, n.Title,
			n.Text, n.Created).Scan(&n.ID)
	})
	return n, err
}

// SearchNotesParams are the arguments of search_notes.
type SearchNotesParams struct {
	Words string `json:"words,omitempty" jsonschema:"Words that the title or the text must all hold, in any case; none: all notes"`
	Limit int    `json:"limit,omitempty" jsonschema:"Greatest number of notes to answer with"`
}

// SearchNotesResult is the answer of search_notes.
type SearchNotesResult struct {
	Notes []Note `json:"notes" jsonschema:"Notes that hold the words, the newest first"`
	Total int    `json:"total" jsonschema:"How many notes hold the words"`
}

func (s *store) searchNotes(ctx context.Context, p SearchNotesParams) (SearchNotesResult, error) {
	out := SearchNotesResult{Notes: []Note{}}
	words := strings.Fields(p.Words)
	if len(words) > 20 {
		return out, fmt.Errorf("%d words are too many: at most 20", len(words))
	}
	where, args := "1", []any{}
	for _, w := range words {
		where += ` AND (title LIKE ? ESCAPE '\' OR text LIKE ? ESCAPE '\')`
		like := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(w) + "%"
		args = append(args, like, like)
	}
	ctx, cancel := context.WithTimeout(ctx, perCall)
	defer cancel()
	if err := s.reader.QueryRowContext(ctx, "SELECT count(*) FROM notes WHERE "+where,
		args...).Scan(&out.Total); err != nil {
		return out, inWords(ctx, err)
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT id, title, text, created FROM notes WHERE "+where+
		" ORDER BY id DESC LIMIT ?", append(args, p.Limit)...)
	if err != nil {
		return out, inWords(ctx, err)
	}
	defer rows.Close()
	for size := 0; rows.Next() && size < maxAnswer; {
		var n Note
		if err := rows.Scan(&n.ID, &n.Title, &n.Text, &n.Created); err != nil {
			return out, inWords(ctx, err)
		}
		size += len(n.Title) + len(n.Text)
		out.Notes = append(out.Notes, n)
	}
	return out, inWords(ctx, rows.Err())
}

// DeleteNoteParams are the arguments of delete_note.
type DeleteNoteParams struct {
	ID int64 `json:"id" jsonschema:"id of the note, as search_notes gives it"`
}

func (s *store) deleteNote(ctx context.Context, p DeleteNoteParams) (Note, error) {
	var n Note
	err := s.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `DELETE FROM notes WHERE id = ? RETURNING id, title, text, created`, p.ID).Scan(&n.ID,
			&n.Title, &n.Text, &n.Created)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("there is no note %d; search_notes lists those that there are", p.ID)
	}
	return n, err
}

func checkText(what, text string) error {
	if len(text) > maxText {
		return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(text), maxText)
	}
	return nil
}
