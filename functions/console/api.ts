import type { hc } from 'hono/client';
import type { AppType } from '../api/client-type.ts';

/** The server's calls, as Hono's client types them. */
export type Api = ReturnType<typeof hc<AppType>>;

export const readJson = async <T>(response: Promise<{ json(): Promise<T> }>): Promise<T> => (await response).json();
