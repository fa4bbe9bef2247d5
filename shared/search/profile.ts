import type { Tool } from '../model/tool.ts';
import { fieldsOf } from './index-fields.ts';
import { intentOfTool } from './intents.ts';
import { type Shares, scenariosOf } from './scenarios.ts';
import { splitIdentifier, termOf } from './text.ts';
import { knownWords } from './word-vectors.ts';

/** Search data derived from a tool's own text, computed once per definition. */
export interface Profile {
  readonly tool: Tool;
  readonly name: readonly string[];
  /** The spellings of the name that a request may use, and what such a mention is worth. */
  readonly called: { readonly forms: readonly string[]; readonly worth: number };
  /** The terms of name and description, each with its weight and its vocabulary number. */
  readonly purpose: readonly { readonly term: string; readonly worth: number; readonly number: number }[];
  /** The terms of all fields, including parameters and labels. */
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
    called: calledOf(tool.name),
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

const calledOf = (name: string): Profile['called'] => {
  const lower = name.toLowerCase();
  const ordinary = /^[a-z]+$/u.test(lower) && knownWords().number(termOf(lower)) !== undefined;
  return { forms: [...new Set([lower, lower.replaceAll(/[_.-]+/gu, ' ')])], worth: ordinary ? ORDINARY_NAME : 1 };
};
const ORDINARY_NAME = 0.3;

const pairsOf = (terms: readonly string[]): readonly string[] =>
  terms.slice(1).map((term, at) => `${terms[at]} ${term}`);
