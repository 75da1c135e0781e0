package main

import "fmt"

func t(s string, b bool) bool { fmt.Print(s); return b }
func main()                   { r := t("a", false) && t("b", true) || t("c", true); fmt.Print(r) }
