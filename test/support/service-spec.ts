import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { Resource } from './templates.ts';

type SpecDatabase = ReturnType<typeof loadAwsServiceSpecSync>;

/** The parts of a specification's type that are checked. */
type Type =
  | { readonly type: 'string'; readonly allowedValues?: readonly string[] }
  | { readonly type: 'number' | 'integer' | 'boolean' | 'json' | 'date-time' | 'null' | 'tag' }
  | { readonly type: 'array' | 'map'; readonly element: Type }
  | { readonly type: 'union'; readonly types: readonly Type[] }
  | { readonly type: 'ref'; readonly reference: { readonly $ref: string } };

type Properties = Readonly<Record<string, { readonly type: Type; readonly required?: boolean }>>;

/** Reports a resource's violations of the CloudFormation specification: unknown, missing or disallowed values. */
export const createSpecCheck = (): ((resource: Resource) => readonly string[]) => {
  const db = loadAwsServiceSpecSync();
  return ({ Type, Properties, stack, id }) => {
    const at = `${stack}/${id} (${Type})`;
    // Custom resources have no specification beyond their service token.
    if (Type.startsWith('Custom::') || Type === 'AWS::CloudFormation::CustomResource') return [];
    const [found] = db.lookup('resource', 'cloudFormationType', 'equals', Type);
    if (!found) return [`${at} is not a type of resource`];
    return checkProperties(db, Properties, found.properties as unknown as Properties, at);
  };
};

const checkProperties = (db: SpecDatabase, given: unknown, known: Properties, at: string): readonly string[] => {
  if (isExpression(given)) return [];
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [`${at} must be an object`];
  const missing = Object.entries(known)
    .filter(([name, { required }]) => required === true && !(name in given))
    .map(([name]) => `${at}.${name} is required`);
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const property = known[name];
    return property ? checkValue(db, value, property.type, `${at}.${name}`) : [`${at}.${name} is not a property`];
  });
  return [...missing, ...wrong];
};

const checkValue = (db: SpecDatabase, value: unknown, type: Type, at: string): readonly string[] => {
  if (isExpression(value)) return [];
  switch (type.type) {
    case 'array':
      if (!Array.isArray(value)) return [`${at} must be a list`];
      return value.flatMap((each, index) => checkValue(db, each, type.element, `${at}[${index}]`));
    case 'map':
      return Object.entries(value as object).flatMap(([name, each]) =>
        checkValue(db, each, type.element, `${at}.${name}`),
      );
    case 'union': {
      const tries = type.types.map((each) => checkValue(db, value, each, at));
      return tries.some((problems) => problems.length === 0) ? [] : (tries[0] ?? []);
    }
    case 'ref':
      return checkProperties(db, value, propertiesOf(db, type.reference.$ref), at);
    case 'string':
      if (typeof value === 'object') return [`${at} must be a text`];
      return type.allowedValues && !type.allowedValues.includes(String(value)) ? [`${at} may not be ${value}`] : [];
    case 'number':
    case 'integer':
      return Number.isNaN(Number(value)) ? [`${at} must be a number`] : [];
    case 'boolean':
      return ['true', 'false'].includes(String(value)) ? [] : [`${at} must be true or false`];
    default:
      return [];
  }
};

const propertiesOf = (db: SpecDatabase, id: string): Properties =>
  db.get('typeDefinition', id).properties as unknown as Properties;

/** Intrinsic functions may have any value, as CloudFormation resolves them later. */
const isExpression = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && (name === 'Ref' || name?.startsWith('Fn::') === true);
};
