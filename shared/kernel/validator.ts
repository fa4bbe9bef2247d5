export interface SchemaIssue {
  readonly path: string;
  readonly message: string;
}

/**
 * Validates a value and fills in defaults on a copy. A caller whose value took too long is refused at once the next
 * time.
 */
export type Validator = (
  value: unknown,
  caller?: string,
) => { readonly value: unknown; readonly issues: readonly SchemaIssue[] };
