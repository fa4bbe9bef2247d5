export type Arguments = Readonly<Record<string, unknown>>;

export interface Called {
  readonly text: string;
  readonly hasPicture: boolean;
  readonly isError: boolean;
}

/** A client as far as the table tries it. */
export interface Tried {
  list(): Promise<readonly string[]>;
  call(name: string, args: Arguments): Promise<Called>;
  close(): Promise<void>;
}

export interface Target {
  readonly url: string;
  readonly key: string;
}

export type Connect = (target: Target) => Promise<Tried>;

/** One call that is answered when a person has answered. */
export type Follow = (target: Target, name: string, args: Arguments) => Promise<Called>;

export interface Client {
  readonly connect: Connect;
  /** Follows a task; absent where the client has none. */
  readonly follow?: Follow;
  /** Whether it is not here to be tried. */
  readonly isMissing?: () => boolean;
}

interface Block {
  readonly type: string;
  readonly text?: string;
}

export const readResult = (result: Readonly<Record<string, unknown>>): Called => {
  const blocks = (result.content ?? []) as readonly Block[];
  return {
    text: blocks.map(({ text = '' }) => text).join('\n'),
    hasPicture: blocks.some(({ type }) => type === 'image'),
    isError: result.isError === true,
  };
};

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
