import { MIMEType } from 'node:util';
import { Fault } from '../../shared/kernel/errors.ts';

/** More than any route has fields; a list may be sent as several of the same name. */
const MOST_PARTS = 100;
const MOST_HEAD_BYTES = 16_384;
const END_OF_HEAD = '\r\n\r\n';

/**
 * The fields of a multipart body; undefined where it is none. The parser reads all of it in one turn of the event loop,
 * which 40,000 small parts hold for half a second: they are counted first.
 */
export const parseForm = async (bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData | undefined> => {
  const boundary = boundaryOf(type);
  if (boundary === undefined) return undefined;
  checkParts(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), Buffer.from(`--${boundary}`, 'latin1'));
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined);
};

/** Read as the parser reads it, so that both see the same parts. */
const boundaryOf = (type: string): string | undefined => {
  try {
    const { essence, params } = new MIMEType(type);
    return essence === 'multipart/form-data' ? (params.get('boundary') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
};

const checkParts = (bytes: Buffer, delimiter: Buffer): void => {
  let parts = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    if (++parts > MOST_PARTS + 1)
      throw new Fault('InvalidInput', `the multipart body has more than ${MOST_PARTS} parts; send fewer`, {
        limit: MOST_PARTS,
      });
    const head = bytes.subarray(at, at + MOST_HEAD_BYTES);
    if (head.length === MOST_HEAD_BYTES && !head.includes(END_OF_HEAD))
      throw new Fault('InvalidInput', `part ${parts} of the multipart body has a head of more than 16 KB; shorten it`, {
        limit: MOST_HEAD_BYTES,
      });
  }
};
