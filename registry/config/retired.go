package config

import (
	"encoding/json"
	"fmt"
)

// retired maps names that were removed in this release to their replacements. A name is a command
// ("harness tree"), a flag ("harness serve -task-after"), a flag with a value ("harness run
// -connect auto") or a config key ("usetools.node"). The text is a clause such as "use harness
// tools". Using a retired name is an error. Remove a row with the next release.
var retired = map[string]string{
	"harness bench -compare":                     "use go run ./examples/compare in a clone",
	"harness categories":                         "use harness tools -stats -by category",
	"harness console -link":                      "use harness console, which opens a page on the same records",
	"harness doctor -permissions":                "the section Users of examples/cluster/README.md has the permissions of each role",
	"harness doctor -pool":                       "leave it out: doctor looks at the queues of all pools",
	"harness explain":                            "use harness resolve -explain PHRASE",
	"harness names":                              "use harness tools -names, or harness search -detail name_only",
	"harness phrases forget":                     "use harness memory phrases rm",
	"harness run -connect auto":                  "use -connect URL, with the URL that harness serve -http prints",
	"harness serve -describe-tokens":             "use -list-tokens, 300 to 4000",
	"harness serve -max-connections-per-address": "put a proxy in front that bounds the connections of an address",
	"harness serve -task-after":                  "drop the flag; a client that gave up on a script sends the same script again",
	"harness serve -usage-order":                 "drop the flag; the tools that a client used most come first, except with -stateless",
	"harness shapes":                             "use harness memory shapes",
	"harness stats":                              "use harness tools -stats",
	"harness tree":                               "use harness tools, or harness tools -by category",
	"harness usage":                              "use harness memory usage",
	"usetools.node":                              "serve a server that only one machine can run over HTTP there, and give every process an entry with its url",
}

// Retired returns an error that names the replacement of a retired name, or nil if the name is
// not retired.
func Retired(name string) error {
	use, is := retired[name]
	if !is {
		return nil
	}
	return fmt.Errorf("%s is retired: %s", name, use)
}

// RetiredNames returns the sorted retired names.
func RetiredNames() []string { return names(retired) }

// set stores the value of the key "usetools" at the top of the file.
func (f *file) set(usetools []byte) error {
	if err := json.Unmarshal(usetools, &f.defaults); err != nil {
		return err
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(usetools, &keys); err != nil {
		return err
	}
	for _, key := range names(keys) {
		if err := Retired("usetools." + key); err != nil {
			return err
		}
	}
	f.usetools = usetools
	return nil
}
