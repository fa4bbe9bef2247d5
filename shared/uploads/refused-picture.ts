import { Fault, type FaultCode, statusOf } from '../kernel/errors.ts';
import { uploadKey } from '../kernel/item-keys.ts';
import type { Table } from '../kernel/ports.ts';
import { readUpload, type Upload } from './upload.ts';

/** The refusal of an uploaded picture, as the reason why it is missing; undefined if it was not refused. */
export const refusedPicture =
  (table: Table) =>
  async (tenant: string, key: string): Promise<Fault | undefined> => {
    const item = await table.get(uploadKey(tenant, key));
    const upload = item && readUpload(item);
    return upload?.status === 'failed' && upload.error ? failedBefore({ key }, upload.error) : undefined;
  };

export const failedBefore = (
  { key }: { readonly key: string },
  { code, message }: NonNullable<Upload['error']>,
): Fault => new Fault(Object.hasOwn(statusOf, code) ? (code as FaultCode) : 'Internal', message, { image: key });
