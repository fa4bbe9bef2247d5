/** Formats a metadata file with one line per field, so that a changed field is one line of a diff. */
export const formatMetadata = (tools: Readonly<Record<string, Readonly<Record<string, unknown>>>>): string => {
  const entries = Object.entries(tools).map(([name, tool]) => {
    const fields = Object.entries(tool).map(([field, value]) => `    ${JSON.stringify(field)}: ${inline(value)}`);
    return `  ${JSON.stringify(name)}: {\n${fields.join(',\n')}\n  }`;
  });
  return `{\n${entries.join(',\n')}\n}\n`;
};

const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([field, inner]) => `${JSON.stringify(field)}: ${inline(inner)}`);
  return `{${fields.join(', ')}}`;
};
