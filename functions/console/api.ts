import type { hc } from 'hono/client';
import type { AppType } from '../api/client-type.ts';

/** The API's routes, typed by Hono's client. */
export type Api = ReturnType<typeof hc<AppType>>;

export const readJson = async <T>(response: Promise<{ json(): Promise<T> }>): Promise<T> => (await response).json();
