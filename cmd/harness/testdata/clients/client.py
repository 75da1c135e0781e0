"""Runs a script through an MCP server with the Python SDK: the server is a URL,
or a command with its arguments. Prints the answer's text."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def transport(server, args):
    if server.startswith("http"):
        try:
            from mcp.client.streamable_http import streamable_http_client as client
        except ImportError:  # its name in the SDK's first version
            from mcp.client.streamable_http import streamablehttp_client as client
        return client(server)
    return stdio_client(StdioServerParameters(command=server, args=args))


async def main(script, server, *args):
    async with transport(server, list(args)) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            assert any(t.name == "execute" for t in tools), tools
            result = await session.call_tool("execute", {"script": script})
            for block in result.content:  # the words of the harness, then the result
                print(block.text)
            failed = result.isError if hasattr(result, "isError") else result.is_error
            return 1 if failed else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
