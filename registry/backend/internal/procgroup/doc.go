// Package procgroup ends a process together with the processes that it started: npx, uvx and sh
// -c are often only the parents of the server.
package procgroup
