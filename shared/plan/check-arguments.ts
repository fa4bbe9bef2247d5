import { Fault } from '../kernel/errors.ts';
import { isObject, type JsonSchema } from '../kernel/json.ts';
import { describeIssues } from '../kernel/json-schema.ts';
import type { Validator } from '../kernel/validator.ts';
import type { PlanNodeInput } from '../model/plan.ts';
import type { Tool } from '../model/tool.ts';
import { joinPlace, type Reference, readReference } from './reference.ts';
import { misfit } from './schema-fit.ts';
import { inferSchema, resolve, type SchemaView, stepInto, toView, viewAt } from './schema-view.ts';

/** The schema of the output that a reference leads to; undefined when none is declared. */
export type OutputOf = (reference: Reference) => JsonSchema | undefined;

/** The schema of a tool's output, if known; a mock's response is known exactly. */
export function outputSchemaOf(tool: Tool): JsonSchema | undefined {
  if (tool.output_schema !== undefined) return tool.output_schema;
  return tool.implementation?.type === 'mock' ? inferSchema(tool.implementation.mock_response) : undefined;
}

/** The compiled schema of a tool's parameters. */
export type ValidatorOf = (tool: Tool) => Validator;

/** Refuses arguments that cannot fit the tool's parameters, and references to outputs that do not exist. */
export function checkArguments(node: PlanNodeInput, tool: Tool, outputOf: OutputOf, validatorOf: ValidatorOf): void {
  let references = 0;
  const visit = (value: unknown, target: SchemaView | undefined, place: string): void => {
    const reference = readReference(value, node.id, place);
    if (reference !== undefined) {
      references += 1;
      checkReference(node.id, reference, outputOf(reference), target);
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, inside(target, String(index)), `${place}[${index}]`);
      });
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, inside(target, key), joinPlace(place, key));
      if (target !== undefined) checkKeys(node.id, value, target, place);
    } else if (target !== undefined) {
      const reason = misfit(toView(inferSchema(value)), target);
      if (reason !== undefined) refuse(node.id, place, `${JSON.stringify(value)} ${reason}`);
    }
  };
  visit(node.arguments, toView(tool.parameters), '');
  if (references === 0) checkWhole(node, tool, validatorOf(tool));
}

function checkReference(node: string, reference: Reference, output: JsonSchema | undefined, target?: SchemaView): void {
  if (output === undefined) return;
  const found = viewAt(toView(output), reference.path);
  if (found === 'missing') {
    const known = Object.keys(isObject(output.properties) ? output.properties : {});
    const cure = known.length > 0 ? `; ${reference.source} has ${known.slice(0, 20).join(', ')}` : '';
    refuse(node, reference.place, `takes ${reference.text}, which the output schema does not have${cure}`);
  }
  if (found === 'any' || target === undefined) return;
  const reason = misfit(found, target);
  if (reason !== undefined) refuse(node, reference.place, `takes ${reference.text}, which ${reason}`);
}

function checkKeys(node: string, value: Readonly<Record<string, unknown>>, target: SchemaView, place: string): void {
  const { schema } = resolve(target);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  for (const key of required) {
    const found = stepInto(target, key);
    const hasDefault = typeof found === 'object' && Object.hasOwn(resolve(found).schema, 'default');
    if (!Object.hasOwn(value, key) && !hasDefault) refuse(node, joinPlace(place, key), 'is required');
  }
  if (schema.additionalProperties !== false) return;
  const known = Object.keys(isObject(schema.properties) ? schema.properties : {});
  const patterns = isObject(schema.patternProperties);
  const unknown = Object.keys(value).find((key) => !known.includes(key) && !patterns);
  if (unknown !== undefined) refuse(node, joinPlace(place, unknown), `is not one of ${known.join(', ')}`);
}

/** Without references the arguments are complete, so they are validated against the whole schema. */
function checkWhole(node: PlanNodeInput, tool: Tool, validate: Validator): void {
  const { issues } = validate(node.arguments);
  if (issues.length === 0) return;
  throw new Fault('InvalidInput', `arguments of node ${node.id} do not fit ${tool.name}: ${describeIssues(issues)}`, {
    node: node.id,
    tool: tool.name,
    issues,
  });
}

function inside(target: SchemaView | undefined, key: string): SchemaView | undefined {
  const found = target === undefined ? 'any' : stepInto(target, key);
  return typeof found === 'object' ? found : undefined;
}

function refuse(node: string, place: string, reason: string): never {
  throw new Fault('InvalidInput', `argument ${place} of node ${node} ${reason}`, { node, argument: place });
}
