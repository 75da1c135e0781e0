package main

import "fmt"

func f(x any) string {
	switch v := x.(type) {
	case int, int64:
		return fmt.Sprintf("int-ish %v", v)
	case []string:
		return fmt.Sprint("ss", len(v))
	case map[string]any:
		for k, e := range v {
			return k + f(e)
		}
		return "empty"
	case bool:
		if v {
			return "T"
		}
		return "F"
	}
	return "?"
}
func main() { fmt.Println(f(int64(1)), f([]string{"a"}), f(map[string]any{"k": true}), f(2.0)) }
