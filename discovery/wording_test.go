package discovery_test

import "testing"

func TestPhrasesAreReadInTheWordsOfTheRegistry(t *testing.T) {
	ix := index(t, nil,
		tool("forge", "create_pull_request", "Create a pull request."),
		tool("forge", "create_issue", "Create an issue."),
		tool("store", "delete-many", "Delete many documents."),
		tool("store", "drop-collection", "Drop a collection of documents."),
		tool("cloud", "vm_list", "List all virtual machines."))
	for phrase, want := range map[string]string{
		"open a PR":              "open a PR pull request",
		"list vms":               "list vms", // a tool's name has it
		"purge the documents":    "delete many the documents",
		"show the mr":            "show the mr", // nothing merges here
		"wipe a photo, file bug": "delete all a photo, file issue",
		"":                       "",
	} {
		if got := ix.Reword(phrase); got != want {
			t.Errorf("%q is read as %q, want %q", phrase, got, want)
		}
	}
	for phrase, want := range map[string]string{
		"open a pr":                   "forge.create_pull_request",
		"purge all documents":         "store.delete-many",
		"open a new issue":            "forge.create_issue",
		"what virtual machines exist": "cloud.vm_list",
	} {
		if r := resolve(t, ix, phrase, nil); r.Candidates[0].ID != want {
			t.Errorf("%q: %+v", phrase, r)
		}
	}
}
