// The official TypeScript client against `memsync mcp`. Prints what it saw, one JSON document.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const tools = await client.listTools();
const found = await client.callTool({
  name: "memory_search",
  arguments: { query: "which port does the staging database listen on?" },
});
const resources = await client.listResources();
console.log(
  JSON.stringify({
    server: client.getServerVersion().name,
    tools: tools.tools.length,
    found: found.content[0].text,
    resources: resources.resources.map((one) => one.uri),
  }),
);
await client.close();
