// Package openapi makes tools of the operations of an HTTP API that an OpenAPI
// 3 or Swagger 2.0 document describes, JSON or YAML.
//
// In goes the document, from a file or a URL; out comes one tool per
// operation. Its name is the operationId, or method and path; it takes the
// parameters and the properties of a JSON body side by side (the body as
// "body" where that cannot be, or two names clash), and returns what the first
// successful response promises: as it is where that is an object, else as
// {"result": …}. GET is a tool that only reads, DELETE one that destroys. Bodies
// may be JSON, forms, multipart (files as base64), text or other bytes (base64).
// The definition's tags and paths choose among the operations.
//
// What an MCPO server offers under /{server}/openapi.json works as it is: the
// tools have the names that they had before.
//
// Parameters and the fields of forms are written in the style that the document
// says. Of a form's objects those without an encoding are JSON, as OpenAPI has it.
//
// References are followed, also in a circle, and into other files: below the
// document's folder, no symbolic links out of it, or at the document's origin.
// At most [MaxFiles] are read, and with the document at most as many bytes as
// the definition's MaxMessage ([DefaultMaxBytes] where it has none, [MaxBytes]
// at most). An operation with a reference that cannot be followed, or that
// cannot be expressed, is left out, with the reason among the listing's problems.
//
// Schemas that are too large for a tool are cut at a depth: what is deeper may be
// anything, and its $comment says what it is. Descriptions lose their HTML and
// Markdown's alerts.
//
// What is made of a document is kept in the user's cache folder, by the digest of
// the document, of its files and of what the definition chooses, and is made anew
// where that cannot be read.
//
// Headers and query values of the server's definition are sent with every
// call, and only to the origin that the definition names: where a document from
// a URL sends its callers to another one, the definition must name that as
// baseUrl. Redirects to another origin are not followed.
//
// A document from a URL sends no calls to loopback, private, link-local and
// other addresses that are not public. What a name means is looked at with each
// connection. Exempt are baseUrl, the host of the definition's url as long as
// it was at no public address before, and for a document from this machine
// (localhost or a loopback address) this machine. A document in a file is the
// operator's own and may name anything. Through a proxy (HTTP_PROXY, HTTPS_PROXY)
// go only calls to baseUrl and to the url's host: there the proxy resolves the
// name and has to know what it lets through. Listings have the problem "the
// document sends its calls to …" where that is another origin than its own.
//
// The reader is our own because the usual library brings a validator whose
// initialisation alone takes 4 ms at every start of a process, which each
// script's worker would pay.
package openapi
