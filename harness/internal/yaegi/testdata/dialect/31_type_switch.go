package main

import "fmt"

func f(x any) string {
	switch v := x.(type) {
	case int:
		return fmt.Sprint("int", v)
	case string:
		return "s" + v
	case []any:
		return fmt.Sprint("list", len(v))
	case map[string]any:
		return "map"
	case nil:
		return "nil"
	case error:
		return "err"
	default:
		return fmt.Sprintf("%T", v)
	}
}
func main() {
	fmt.Println(f(1), f("x"), f([]any{1}), f(map[string]any{}), f(nil), f(fmt.Errorf("e")), f(1.5))
}
