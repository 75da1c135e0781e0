// A script that reads, adds and destroys. What of it may run is not the script's
// to say: see README.md for the three places where a policy stands.
//
//	go run ./cmd/harness run -config examples/policy/.mcp.json examples/policy/main.go
package main

import (
	"fmt"

	"servers/archive"
	"servers/notes"
)

func main() {
	UseTools("search the notes", "add a note", "delete a note")

	old, err := archive.SearchNotes(archive.SearchNotesParams{})
	if err != nil {
		panic(err)
	}
	note, err := notes.AddNote(notes.AddNoteParams{Title: "Archive", Text: fmt.Sprint(old.Total, " notes in the archive")})
	if err != nil {
		panic(err)
	}
	gone, err := notes.DeleteNote(notes.DeleteNoteParams{ID: note.ID})
	if err != nil {
		panic(err)
	}
	Return(map[string]any{"archived": old.Total, "added": note.Title, "deleted": gone.Title})
}
