package outcome_test

import (
	"fmt"

	"github.com/usetools/usetools/harness/outcome"
)

func ExampleResult_Text() {
	r := &outcome.Result{Status: outcome.CompileError,
		Errors: []outcome.Error{{Line: 2, Column: 5, Message: "undefined: git.Lg", Hint: "did you mean git.Log?"}}}
	fmt.Print(r.Text())
	// Output:
	// compile_error
	// 2:5: undefined: git.Lg; did you mean git.Log?
}
