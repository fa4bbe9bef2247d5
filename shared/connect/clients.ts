/** The clients for which the registry has instructions. */
export const CONNECT_CLIENTS = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  'claude-web': 'Claude on the web',
  chatgpt: 'ChatGPT',
  cursor: 'Cursor',
  vscode: 'VS Code',
  'mcp-sdk': 'MCP TypeScript SDK',
  inspector: 'MCP Inspector',
  'ai-sdk': 'AI SDK',
  langchain: 'LangChain',
  openai: 'OpenAI SDK',
  anthropic: 'Anthropic SDK',
  python: 'MCP Python SDK',
} as const;
export type ConnectClient = keyof typeof CONNECT_CLIENTS;

export const isConnectClient = (name: string): name is ConnectClient => Object.hasOwn(CONNECT_CLIENTS, name);
