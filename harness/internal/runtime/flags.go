package runtime

import (
	"flag"
	"os"
)

// flagParse is flag.Parse, and flagSetParse is (*flag.FlagSet).Parse. A set that would end
// the program ends the script.
func (m *Machine) flagParse() { _ = m.flagSetParse(flag.CommandLine, os.Args[1:]) }

func (m *Machine) flagSetParse(fs *flag.FlagSet, args []string) error {
	if fs.ErrorHandling() != flag.ExitOnError {
		return fs.Parse(args)
	}
	fs.Init(fs.Name(), flag.ContinueOnError)
	defer func() { fs.Init(fs.Name(), flag.ExitOnError) }()
	switch err := fs.Parse(args); err {
	case nil:
	case flag.ErrHelp:
		m.exit(0)
	default:
		m.exit(2)
	}
	return nil
}
