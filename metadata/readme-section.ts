/** Replaces the section of the README that a script writes. */
export const replaceSection = (readme: string, script: string, section: string): string => {
  const [opening, closing] = [`<!-- written by npm run ${script} -->`, `<!-- end of what npm run ${script} writes -->`];
  const [start, end] = [readme.indexOf(opening), readme.indexOf(closing)];
  if (start < 0 || end < start) throw new Error(`metadata/README.md has lost the lines ${opening} and ${closing}`);
  return `${readme.slice(0, start + opening.length)}\n\n${section}\n\n${readme.slice(end)}`;
};

export const markdownTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
