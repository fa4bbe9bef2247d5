import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Item, Key } from '../../kernel/ports.ts';
import { itemOfText, type PreparedWrite } from '../table-rules.ts';

/** The statements of the table, prepared once. */
export interface Rows {
  get(key: Key): Item | undefined;
  /** Items from one sort key up to but without another that have not expired; cut where they take too many bytes. */
  list(pk: string, range: Range, nowMs: number): { readonly items: readonly Item[]; readonly isCut: boolean };
  /** Items of partitions from one key up to but without another, after an item. */
  scan(
    range: { readonly from: string; readonly to: string; readonly after: Key; readonly limit: number },
    nowMs: number,
  ): Item[];
  store(write: PreparedWrite, revision: number): void;
  /** Removes some expired items and says how many. */
  sweep(nowMs: number, limit: number): number;
}

export interface Range {
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly bytes: number | undefined;
  readonly reverse: boolean;
}

export function prepareRows(database: DatabaseSync): Rows {
  const page = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT pk, sk, revision, expires, body FROM items
       WHERE pk = ? AND sk >= ? AND sk < ? AND (expires IS NULL OR expires > ?) ORDER BY sk ${order} LIMIT ?`,
    );
  const get = database.prepare('SELECT pk, sk, revision, expires, body FROM items WHERE pk = ? AND sk = ?');
  const forward = page('ASC');
  const backward = page('DESC');
  const scan = database.prepare(
    `SELECT pk, sk, revision, expires, body FROM items
     WHERE pk >= ? AND pk < ? AND (pk, sk) > (?, ?) AND (expires IS NULL OR expires > ?) ORDER BY pk, sk LIMIT ?`,
  );
  const put = database.prepare(
    `INSERT INTO items (pk, sk, revision, expires, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (pk, sk)
     DO UPDATE SET revision = excluded.revision, expires = excluded.expires, body = excluded.body`,
  );
  const remove = database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?');
  const sweep = database.prepare(
    'DELETE FROM items WHERE (pk, sk) IN (SELECT pk, sk FROM items WHERE expires <= ? LIMIT ?)',
  );

  return {
    get: ({ pk, sk }) => {
      const row = get.get(pk, sk);
      return row && itemOfRow(row);
    },
    list: (pk, { from, to, limit, bytes, reverse }, nowMs) => {
      const statement = reverse ? backward : forward;
      const given = [pk, from, to, nowMs / 1000, limit] as const;
      if (bytes === undefined) return { items: statement.all(...given).map(itemOfRow), isCut: false };
      const items: Item[] = [];
      let left = bytes;
      for (const row of statement.iterate(...given)) {
        if (left <= 0) return { items, isCut: true };
        items.push(itemOfRow(row));
        left -= String(row.body).length;
      }
      return { items, isCut: false };
    },
    scan: ({ from, to, after, limit }, nowMs) =>
      scan.all(from, to, after.pk, after.sk, nowMs / 1000, limit).map(itemOfRow),
    store: ({ key, text, expires }, revision) => {
      if (text === undefined) remove.run(key.pk, key.sk);
      else put.run(key.pk, key.sk, revision, expires ?? null, text);
    },
    sweep: (nowMs, limit) => Number(sweep.run(nowMs / 1000, limit).changes),
  };
}

function itemOfRow({ pk, sk, revision, expires, body }: Readonly<Record<string, SQLOutputValue>>): Item {
  const key = { pk: String(pk), sk: String(sk) };
  const until = expires === null ? undefined : Number(expires);
  return itemOfText(key, Number(revision), until, String(body));
}
