package discovery_test

import (
	"slices"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// directed are invented tools of which most have one that does the opposite.
var directed = []registry.Tool{
	tool("press", "convert_to_pdf", "Convert a Word document to PDF."),
	tool("press", "pdf_to_text", "Extract the plain text of a PDF file."),
	tool("press", "html_to_markdown", "Turn an HTML page into Markdown."),
	tool("press", "markdown_to_html", "Render Markdown as an HTML page."),
	tool("press", "csv2json", "Rewrite CSV rows as a JSON array."),
	tool("press", "json2csv", "Rewrite a JSON array as CSV rows."),
	tool("press", "speak", "Create an audio file from text."),
	tool("press", "transcribe", "Create text from an audio file."),
	tool("atlas", "list_namespaces", "List all namespaces of the cluster."),
	tool("atlas", "list_workloads_for_all_namespaces", "List the workloads of all namespaces."),
	tool("atlas", "list_namespaced_workload", "List the workloads of a namespace."),
	tool("atlas", "read_namespaced_workload", "Read one workload of a namespace."),
	tool("atlas", "list_databases", "List all databases."),
	tool("atlas", "list_tables", "List the tables of a database."),
	tool("atlas", "export_table", "Export a table to a CSV file."),
	tool("atlas", "import_table", "Import a CSV file into a table."),
	tool("depot", "upload_object", "Upload a local file to a bucket."),
	tool("depot", "download_object", "Download an object of a bucket to a local file."),
	tool("depot", "lock_object", "Lock an object, so that nobody can change it."),
	tool("depot", "unlock_object", "Unlock a locked object."),
	tool("depot", "get_object_tags", "Get the tags of an object."),
	tool("depot", "set_object_tags", "Set the tags of an object."),
	tool("codec", "base64_encode", "Encode bytes in Base64."),
	tool("codec", "base64_decode", "Decode a Base64 text to bytes."),
	tool("codec", "gzip_compress", "Compress data with gzip."),
	tool("codec", "gzip_decompress", "Decompress gzip data."),
	tool("pager", "send_message", "Send a message to a channel."),
	tool("pager", "receive_messages", "Receive the waiting messages of a channel."),
	tool("pager", "subscribe_channel", "Subscribe a user to a channel."),
	tool("pager", "unsubscribe_channel", "Unsubscribe a user from a channel."),
	tool("pager", "add_user_to_team", "Add a user to a team."),
	tool("pager", "remove_user_from_team", "Remove a user from a team."),
	tool("pager", "get_incident", "Get one incident by its number."),
	tool("pager", "list_incidents", "List incidents, the latest first."),
	tool("pager", "mute_alert", "Mute an alert."),
	tool("pager", "unmute_alert", "Unmute an alert."),
	tool("pager", "open_gate", "Open a gate of the car park."),
	tool("pager", "close_gate", "Close a gate of the car park."),
}

// directions are phrases, the tool that each means, and the one that does the
// opposite, or does it to all things where the phrase names one.
var directions = []struct{ phrase, want, against string }{
	{"convert a pdf to text", "press.pdf_to_text", "press.convert_to_pdf"},
	{"make a pdf from a word document", "press.convert_to_pdf", "press.pdf_to_text"},
	{"convert html into markdown", "press.html_to_markdown", "press.markdown_to_html"},
	{"convert markdown to html", "press.markdown_to_html", "press.html_to_markdown"},
	{"turn an html page into markdown", "press.html_to_markdown", "press.markdown_to_html"},
	{"get json from a csv file", "press.csv2json", "press.json2csv"},
	{"save json as csv", "press.json2csv", "press.csv2json"},
	{"make text from an audio recording", "press.transcribe", "press.speak"},
	{"turn text into audio", "press.speak", "press.transcribe"},
	{"list all workloads of a namespace", "atlas.list_namespaced_workload", "atlas.list_workloads_for_all_namespaces"},
	{"list the workloads in all namespaces", "atlas.list_workloads_for_all_namespaces", "atlas.list_namespaced_workload"},
	{"export a table as csv", "atlas.export_table", "atlas.import_table"},
	{"import a csv into a table", "atlas.import_table", "atlas.export_table"},
	{"upload a file to the bucket", "depot.upload_object", "depot.download_object"},
	{"download a file from the bucket", "depot.download_object", "depot.upload_object"},
	{"lock an object", "depot.lock_object", "depot.unlock_object"},
	{"unlock the object again", "depot.unlock_object", "depot.lock_object"},
	{"encode bytes as base64", "codec.base64_encode", "codec.base64_decode"},
	{"decode base64 into bytes", "codec.base64_decode", "codec.base64_encode"},
	{"decompress gzip data", "codec.gzip_decompress", "codec.gzip_compress"},
	{"send a message to a channel", "pager.send_message", "pager.receive_messages"},
	{"receive messages from a channel", "pager.receive_messages", "pager.send_message"},
	{"unsubscribe from the channel", "pager.unsubscribe_channel", "pager.subscribe_channel"},
	{"add a user to a team", "pager.add_user_to_team", "pager.remove_user_from_team"},
	{"remove somebody from the team", "pager.remove_user_from_team", "pager.add_user_to_team"},
}

// siblings are phrases, the tool that each means, and one that does something else to
// the same things.
var siblings = []struct{ phrase, want, against string }{
	{"list all namespaces", "atlas.list_namespaces", "atlas.list_workloads_for_all_namespaces"},
	{"read a workload in a namespace", "atlas.read_namespaced_workload", "atlas.list_namespaced_workload"},
	{"list all tables in a database", "atlas.list_tables", "atlas.list_databases"},
	{"get an incident", "pager.get_incident", "pager.list_incidents"},
	{"get all incidents", "pager.list_incidents", "pager.get_incident"},
}

func TestDirectionOfThePhraseDecides(t *testing.T) {
	ix := index(t, nil, directed...)
	right, resolved := 0, 0
	all := slices.Concat(directions, siblings)
	for _, c := range all {
		r := resolve(t, ix, c.phrase, nil)
		var offered []string
		for _, d := range ix.Offer(&r) {
			offered = append(offered, d.ID)
		}
		switch {
		case r.Tool == c.want:
			right, resolved = right+1, resolved+1
		case r.Verdict == discovery.Ambiguous && slices.Contains(offered, c.want) && slices.Contains(offered, c.against):
			right++
		default:
			t.Logf("%q: %s %.2f %v, want %s", c.phrase, r.Verdict, r.Confidence, offered, c.want)
		}
		if r.Tool == c.against {
			t.Errorf("%q is resolved to %s with %.2f", c.phrase, r.Tool, r.Confidence)
		}
	}
	t.Logf("right: %d of %d, %d of them resolved", right, len(all), resolved)
	if right < 27 {
		t.Errorf("%d of %d are right, want 27", right, len(all))
	}
}

// What does the opposite is not taken where the right tool is missing.
func TestOppositeAloneIsNotResolved(t *testing.T) {
	taken := 0
	for _, c := range directions {
		isWanted := func(x registry.Tool) bool { return x.Server+"."+x.Name == c.want }
		ix := index(t, nil, slices.DeleteFunc(slices.Clone(directed), isWanted)...)
		if r := resolve(t, ix, c.phrase, nil); r.Tool != "" {
			taken++
			t.Errorf("%q is resolved to %s with %.2f", c.phrase, r.Tool, r.Confidence)
		}
	}
	t.Logf("%d of %d are resolved without the right tool", taken, len(directions))
}

func TestRefusalSaysWhatContradictsThePhrase(t *testing.T) {
	ix := index(t, nil, tool("press", "convert_to_pdf", "Convert a Word document to PDF."),
		tool("press", "lock", "Lock a door."))
	for phrase, note := range map[string]string{
		"convert a pdf to text": "press.convert_to_pdf works in the opposite direction: its input is the phrase's output, or the reverse",
		"unlock a door":         "press.lock does the opposite of what the phrase asks for",
	} {
		e, err := ix.Explain(t.Context(), phrase, nil)
		if err != nil || e.Verdict != discovery.Ambiguous || e.Note != note || e.Confidence >= e.Enough {
			t.Errorf("%q: %+v, %v", phrase, e.Resolution, err)
		}
	}
}
