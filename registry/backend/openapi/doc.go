// Package openapi makes tools of the operations of an HTTP API that an OpenAPI
// 3 or Swagger 2.0 document describes, JSON or YAML.
//
// It reads the document from a file or a URL, and makes one tool per operation. Its
// name is the operationId, or method and path. Its arguments are the parameters and
// the properties of a JSON body (or the argument "body", if the body has no properties
// or two names clash). Its result is that of the first successful response: an object
// as it is, anything else as {"result": …}. GET is a tool that only reads, DELETE
// one that destroys. Bodies may be JSON, forms, multipart (files as base64), text or
// other bytes (base64). The definition's tags and paths select operations.
//
// The document that an MCPO server has at /{server}/openapi.json needs no changes: the
// tools have the names that they have in MCP.
//
// Parameters and the fields of forms are written in the style that the document
// specifies. Objects in a form without an encoding are JSON, as OpenAPI requires.
//
// References are followed, also in a circle, and into other files: below the
// document's folder (without symbolic links out of it), or at the document's origin.
// At most [MaxFiles] are read. Together with the document, they have at most as many
// bytes as the definition's MaxMessage ([DefaultMaxBytes] if it has none, at most
// [MaxBytes]). An operation that has an unresolvable reference, or that a tool cannot
// express, is omitted, and the reason is among the listing's problems.
//
// Schemas that are too large for a tool are cut at a depth. Deeper values may be
// anything, and a $comment describes them. HTML and Markdown's alerts are removed from
// descriptions.
//
// The tools of a document are cached in the user's cache folder, by the digest of the
// document, its files and the definition's selection. They are made anew if the cache
// is unreadable.
//
// Headers and query values of the server's definition are sent with every call, and
// only to the origin in the definition. If a document from a URL names another origin
// for its API, the definition must set that as baseUrl. Redirects to another origin
// are not followed.
//
// A document from a URL cannot send calls to loopback, private, link-local and other
// addresses that are not public. Each connection checks the address of its host.
// Exempt are baseUrl, the host of the definition's url unless it had a public address
// before, and this machine if the document is from it (localhost or a loopback
// address). A document in a file belongs to the operator and may name any address.
// Only calls to baseUrl and to the url's host use a proxy (HTTP_PROXY, HTTPS_PROXY),
// because the proxy resolves names and must decide what it permits. Listings have the
// problem "the document sends its calls to …" if the API has another origin than the
// document.
//
// The parser is our own, because the usual library includes a validator that takes
// 4 ms to initialise at every start of a process, and so of each script's worker.
package openapi
