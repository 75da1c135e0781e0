package main

import (
	"flag"
	"fmt"
	"os"
)

type mode string

func (m *mode) String() string { return string(*m) }
func (m *mode) Set(s string) error {
	if s != "fast" && s != "slow" {
		return fmt.Errorf("mode %q is neither fast nor slow", s)
	}
	*m = mode(s)
	return nil
}

// A set of flags that ends the program ends the script.
func main() {
	m := mode("slow")
	fs := flag.NewFlagSet("tool", flag.ExitOnError)
	fs.SetOutput(os.Stdout)
	fs.Var(&m, "mode", "how")
	fs.Int("n", 3, "count")
	fmt.Println(fs.Parse([]string{"-n", "4", "-mode", "fast"}), m, fs.ErrorHandling() == flag.ExitOnError)
	fs.Usage = func() {
		fmt.Println("Usage: tool [flags]")
		fs.PrintDefaults()
	}
	defer fmt.Println("unreached")
	_ = fs.Parse([]string{"-mode", "warp"})
	fmt.Println("unreached", m)
}
