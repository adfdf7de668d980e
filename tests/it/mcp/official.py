"""The official Python client against `memsync mcp`. Prints what it saw, one JSON document."""
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        tools = await session.list_tools()
        found = await session.call_tool("memory_search", {"query": "which port does the staging database listen on?"})
        resources = await session.list_resources()
        print(
            json.dumps(
                {
                    "server": (getattr(hello, "server_info", None) or hello.serverInfo).name,
                    "tools": len(tools.tools),
                    "found": found.content[0].text,
                    "resources": [str(one.uri) for one in resources.resources],
                }
            )
        )


asyncio.run(main())
