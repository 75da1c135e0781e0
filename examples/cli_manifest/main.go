package main

import (
	"fmt"
	"strings"

	"servers/cli"
)

// A program of the command line is a tool like any other: tools.json says what
// it does. No shell reads its arguments.
func main() {
	UseTools("print information about the Go installation")

	out, err := cli.Go(cli.GoParams{Args: []string{"env", "GOVERSION"}})
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.TrimSpace(out.Stdout))
	Return(map[string]any{"exit": out.ExitCode, "go": strings.HasPrefix(out.Stdout, "go1.")})
}
