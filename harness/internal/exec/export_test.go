package exec

// SetCheckTypes sets what reports whether types can be made at run time, and returns
// a function that takes it back.
func SetCheckTypes(f func() error) (restore func()) {
	before := checkTypes
	checkTypes = f
	return func() { checkTypes = before }
}
