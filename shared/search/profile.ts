import type { Tool } from '../model/tool.ts';
import { fieldsOf } from './index-fields.ts';
import { intentOfTool } from './intents.ts';
import { type Shares, scenariosOf } from './scenarios.ts';
import { splitIdentifier, termOf } from './text.ts';
import { knownWords } from './word-vectors.ts';

/** What a tool's own text says about it, read once for each definition. */
export interface Profile {
  readonly tool: Tool;
  readonly name: readonly string[];
  /** The terms of name and description, what the tool is for, with how much each is worth and its number among the known words. */
  readonly purpose: readonly { readonly term: string; readonly worth: number; readonly number: number }[];
  /** The terms of everything, parameters and labels too. */
  readonly all: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
  readonly direction: Float32Array;
  readonly intent: string | undefined;
  readonly scenarios: Shares;
}

/** Definitions are frozen, so a profile never goes stale. */
export const profileOf = (tool: Tool): Profile => {
  const known = profiles.get(tool);
  if (known !== undefined) return known;
  const profile = readProfile(tool);
  profiles.set(tool, profile);
  return profile;
};
const profiles = new WeakMap<Tool, Profile>();

const readProfile = (tool: Tool): Profile => {
  const [, description = [], labels = [], parameters = []] = fieldsOf(tool);
  const name = splitIdentifier(tool.name)
    .map(termOf)
    .filter((term) => term !== '');
  return {
    tool,
    name: [...new Set(name)],
    purpose: Array.from(new Set([...name, ...description]), (term) => ({
      term,
      worth: knownWords().worth(term),
      number: knownWords().number(term) ?? -1,
    })),
    all: new Set([...name, ...description, ...labels, ...parameters]),
    pairs: new Set([...pairsOf(name), ...pairsOf(description)]),
    direction: knownWords().direction([...name, ...description, ...labels]),
    intent: intentOfTool(tool),
    scenarios: scenariosOf([...name, ...name, ...description, ...labels], tool.scenarios ?? []),
  };
};

const pairsOf = (terms: readonly string[]): readonly string[] =>
  terms.slice(1).map((term, at) => `${terms[at]} ${term}`);
