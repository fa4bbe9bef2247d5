import { randomBytes } from 'node:crypto';
import { createApp } from '../../functions/api/app.ts';
import type { App } from '../../functions/api/env.ts';
import { fixedAdminKey } from '../../shared/access/admin-key.ts';
import { createKey } from '../../shared/access/api-keys.ts';
import { adminActor } from '../../shared/access/scopes.ts';
import { digestOfKey } from '../../shared/access/secret.ts';
import { memoryTable } from '../../shared/adapters/memory/table.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { systemTimers } from '../../shared/adapters/system-timers.ts';
import { type Assay, type AssayPorts, composeAssay } from '../../shared/assay.ts';
import type { Log } from '../../shared/kernel/ports.ts';
import type { NewKey } from '../../shared/model/key.ts';

export const ADMIN_KEY = 'admin-key-for-tests';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const memoryLog = (): Log & { readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const line =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, message, fields });
  return { lines, info: line('info'), warn: line('warn'), error: line('error') };
};

export interface TestAssay {
  readonly assay: Assay;
  readonly app: App;
  readonly log: ReturnType<typeof memoryLog>;
  /** Sends a request as admin, or with another key. */
  request(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** As `request`, and reads the JSON answer. */
  json<T = never>(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: T }>;
  /** Makes a key and returns its text. */
  key(options: NewKey): Promise<string>;
}

/** The whole product on a memory table, with its HTTP API. */
export const testAssay = async (ports: Partial<AssayPorts> = {}): Promise<TestAssay> => {
  const log = memoryLog();
  const assay = await composeAssay({
    table: memoryTable(),
    clock: systemClock(),
    timers: systemTimers,
    log,
    random: (bytes) => randomBytes(bytes),
    discover: async () => [],
    handlers: { builtin: new Map(), internal: new Map() },
    adminKey: fixedAdminKey(digestOfKey(ADMIN_KEY)),
    ...ports,
  });
  const app = createApp(assay);
  const request: TestAssay['request'] = async (method, path, body, key = ADMIN_KEY, headers = {}) =>
    app.request(path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    assay,
    app,
    log,
    request,
    async json<T>(method: string, path: string, body?: unknown, key?: string) {
      const response = await request(method, path, body, key);
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
    },
    key: async (options) => (await createKey(assay, adminActor(), options)).key,
  };
};
