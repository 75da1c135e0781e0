// Runs a script through an MCP server with the TypeScript SDK: the server is a
// URL, or a command with its arguments. Prints the answer's text.
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

async function main([script, server, ...args]) {
	const transport = server.startsWith("http")
		? new StreamableHTTPClientTransport(new URL(server))
		: new StdioClientTransport({ command: server, args });
	const client = new Client({ name: "typescript", version: "1" });
	await client.connect(transport);
	const { tools } = await client.listTools();
	if (!tools.some((t) => t.name === "execute")) throw new Error("no tool execute");
	const result = await client.callTool({ name: "execute", arguments: { script } });
	for (const block of result.content) console.log(block.text); // the words of the harness, then the result
	await client.close();
	process.exit(result.isError ? 1 : 0);
}

main(process.argv.slice(2)).catch((e) => {
	console.error(e);
	process.exit(1);
});
