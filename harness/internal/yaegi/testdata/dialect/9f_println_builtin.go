package main

func main() { println("to where?") }
