import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** An MCP server over stdio whose only tool adds another tool, and that sends a notification of it. */
const server = new McpServer({ name: 'growing', version: '1' });
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

server.registerTool('grow', { description: 'Adds a tool' }, async () => {
  server.registerTool('grown', { description: 'Was added' }, async () => say('here'));
  return say('grown');
});

await server.connect(new StdioServerTransport());
