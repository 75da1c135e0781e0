// Package wrappers turns tools into the Go API that a script is written
// against: names, types, doc comments and the source of one package a server.
//
// [NewView] makes a [View] of a registry. It names every package and function at
// once, so that names never depend on what a script uses; types are read from
// the schemas when a server is first used. A [Server] maps the names in a script
// to tools, exactly or leniently, or to the nearest ones, and [Server.Source]
// returns the package with just the tools that a script needs. A [Tool] has its
// signature and its documentation at several levels of detail.
//
// The rules, each with its reason:
//
//   - A tool git_log of the server git is git.Log, with git.LogParams and
//     git.LogResult: the package already says git. The exceptions: nothing
//     would be left (git stays Git), the rest would begin with a digit, or
//     another tool has that name or would get it. What clashes then gets a
//     number, in the order of the tools' names.
//   - Fields have plain Go types; unions and free-form values are any or
//     map[string]any. A script never needs a pointer to give a value, but for
//     null where null means something. What the type cannot say (the
//     alternatives of a union, allowed values, defaults, limits) stands in the
//     field's comment.
//   - Allowed values are documented strings, not constants of a type of their
//     own: models write State: "open". A tag carries them to the checker of
//     scripts, which refuses a wrong constant before anything runs.
//   - Objects that a constant property tells apart are, in arguments, a struct
//     with a pointer for each of them, of which one is written; in results one
//     struct with the fields of all, as the JSON is. A property with only one
//     allowed value is sent by itself and may be written.
//   - A field that is written is sent, even when zero; one that is not is
//     left out, and so are defaults, which are the server's affair. Written
//     is what a literal names, an assignment or a range sets, whose address
//     is taken, or that JSON has which is decoded into the struct. A field
//     that was set in another way is sent when it is not zero.
//   - A nested object type is named by function and property
//     (CreateEntitiesEntity), and by the property alone (Entity) where all
//     nested types of the server with that name have one shape.
//   - Results are uniform: typed fields where the tool has an output schema
//     or one was observed, and Text, JSON, Raw and Images on all of them.
//   - A schema is untrusted: nesting, references, alternatives, the number of
//     types and their size are bounded, and what cannot be read counts as "any
//     value". A schema that says nothing at all takes its arguments by name
//     (the field Args).
//
// The parent process generates, the worker only reads the result: a package
// depends on the whole server's names, which the parent knows and caches.
package wrappers
