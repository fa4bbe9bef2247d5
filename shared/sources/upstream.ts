import type { JsonSchema } from '../kernel/json.ts';
import type { CallContext } from '../kernel/ports.ts';

/** A tool as its upstream describes it: untrusted, unchecked data. */
export interface UpstreamTool {
  /** The upstream's own name for it. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly parameters: JsonSchema;
  readonly output_schema?: JsonSchema | undefined;
  /** Hints such as `readOnlyHint`: displayed, and trusted only where whoever added the source said so. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
}

/** An upstream's list: its tools, and why others cannot be used. */
export interface UpstreamTools {
  readonly tools: readonly UpstreamTool[];
  readonly problems: readonly UpstreamProblem[];
}

export interface UpstreamProblem {
  readonly tool: string;
  readonly reason: string;
}

/** A remote server with tools. It throws a `Fault`, or an error whose message may be shown. */
export interface Upstream {
  list(signal: AbortSignal): Promise<UpstreamTools>;
  /** Runs a tool by the upstream's own name; returns the tool's output. */
  call(tool: string, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<unknown>;
}
