import { App, type AppProps } from 'aws-cdk-lib';
import { type StageSettings, stages } from '../../infra/config.ts';
import { AssayStage } from '../../infra/stage.ts';
import { isWhole } from './sampling.ts';

export interface Resource {
  readonly id: string;
  readonly stack: string;
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface Synthesised {
  readonly app: App;
  readonly resources: readonly Resource[];
  /** The warnings of synthesis; deploying refuses any. */
  readonly warnings: readonly string[];
  /** All resources of a type, in one stack or in all stacks. */
  ofType(type: string, stack?: string): readonly Resource[];
  outputs(stack: string): Readonly<Record<string, { readonly Value: unknown }>>;
}

interface Template {
  readonly Resources?: Readonly<Record<string, Omit<Resource, 'id' | 'stack'>>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/**
 * An app that neither bundles nor copies anything, and applies CDK's rules only in a whole run: they take most of the
 * time, and each deployment applies them.
 */
export const quickApp = (props: AppProps = {}): App =>
  new App({
    ...props,
    treeMetadata: false,
    builtinCloudFormationValidation: isWhole,
    context: {
      'aws:cdk:bundling-stacks': [],
      'aws:cdk:disable-asset-staging': true,
      'aws:cdk:disable-stack-trace': true,
    },
  });

const synthesised = new Map<string, Synthesised>();

/** The templates of a stage, memoised by settings. */
export const synthesise = (settings: Partial<StageSettings> = {}): Synthesised => {
  const asked = JSON.stringify(settings, (_, value: unknown) => (value === undefined ? null : value));
  const before = synthesised.get(asked);
  if (before) return before;
  const made = synthesiseAnew(settings);
  synthesised.set(asked, made);
  return made;
};

const synthesiseAnew = (settings: Partial<StageSettings>): Synthesised => {
  const app = quickApp();
  const stage = new AssayStage(app, 'prod', { ...stages.prod, ...settings });
  const { stacks } = stage.synth();
  const templates = new Map(
    stacks.map(({ stackName, template }) => [stackName.split('-').at(-1) ?? '', template as Template]),
  );
  const resources = [...templates].flatMap(([stack, { Resources = {} }]) =>
    Object.entries(Resources).map(([id, resource]) => ({
      ...resource,
      id,
      stack,
      Properties: resource.Properties ?? {},
    })),
  );
  return {
    app,
    resources,
    warnings: stacks.flatMap(({ messages }) => messages.map(({ id, entry }) => `${id}: ${String(entry.data)}`)),
    ofType: (type, stack) =>
      resources.filter((each) => each.Type === type && (stack === undefined || each.stack === stack)),
    outputs: (stack) => templates.get(stack)?.Outputs ?? {},
  };
};

/** The literal text of a template expression, without its references. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const join = (value as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'];
  if (join) return join[1].map(textOf).join(join[0]);
  return `<${JSON.stringify(value)}>`;
};
