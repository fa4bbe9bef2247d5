import { createContext, useContext } from 'hono/jsx/dom';
import type { Client } from './client.ts';

export const ClientContext = createContext<Client | undefined>(undefined);

export const useClient = (): Client => {
  const client = useContext(ClientContext);
  if (client) return client;
  throw new Error('a component is used outside of ClientContext');
};
