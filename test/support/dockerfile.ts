/** An instruction of a Dockerfile, with continued lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  readonly args: Readonly<Record<string, string>>;
  readonly stages: ReadonlyMap<string, Stage>;
  /** A stage and all stages it is built from, the outermost last. */
  chain(stage: string): readonly Stage[];
}

/** Parses the stages of a Dockerfile; an unknown line is an error. */
export const parseDockerfile = (source: string): Dockerfile => {
  const args: Record<string, string> = {};
  const stages = new Map<string, Stage & { readonly instructions: Instruction[] }>();
  let current: Instruction[] | undefined;
  const lines = source.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n/g, ' ');
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not an instruction: ${line}`);
    if (name === 'FROM') {
      const [from = '', , stage = from] = text.split(/\s+/);
      current = [];
      stages.set(stage, { name: stage, from: fill(from, args), instructions: current });
    } else if (current) current.push({ name, text: text.replaceAll(/\s+/g, ' ') });
    else if (name === 'ARG') Object.assign(args, Object.fromEntries([text.split('=')]));
    else throw new Error(`before the first FROM: ${line}`);
  }
  const chain = (name: string): readonly Stage[] => {
    const stage = stages.get(name);
    return stage ? [...chain(stage.from), stage] : [];
  };
  return { args, stages, chain };
};

const fill = (text: string, args: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => args[name] ?? '');
