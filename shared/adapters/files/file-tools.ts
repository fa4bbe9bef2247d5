import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decodeBase64 } from '../../execute/builtins/base64.ts';
import { defineBuiltin, objectSchema, textArgument } from '../../execute/builtins/builtin.ts';
import { Fault, messageOf } from '../../kernel/errors.ts';
import type { Handler } from '../../kernel/ports.ts';
import type { ToolDefinition } from '../../model/tool.ts';
import { confinedPath } from './confined-path.ts';

const MAX_READ = 1024 * 1024;
const MAX_WRITE = 3 * 1024 * 1024;

const path = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  description: 'Relative to the files directory, with / between its parts.',
};
const encoding = { type: 'string', enum: ['utf8', 'base64'], default: 'utf8' };
const files = { category: 'files', scenarios: ['file_operations'], isConstant: false };

const fileRead: ToolDefinition = defineBuiltin({
  ...files,
  name: 'file_read',
  description: 'Reads a file, or part of a large one, from the files directory: opens it and displays what is in it.',
  tags: ['file', 'read', 'text'],
  intents: ['read'],
  parameters: {
    path,
    encoding,
    offset: { type: 'integer', minimum: 0, default: 0, description: 'The byte to begin at.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_READ,
      default: MAX_READ,
      description: 'How many bytes at most: the first 200 bytes.',
    },
  },
  required: ['path'],
  output: objectSchema({
    content: { type: 'string' },
    bytes: { type: 'integer', description: 'How many were read.' },
    size: { type: 'integer', description: 'Of the whole file.' },
    more: { type: 'boolean', description: 'Whether the file goes on.' },
  }),
});

const fileWrite: ToolDefinition = {
  ...defineBuiltin({
    ...files,
    name: 'file_write',
    description: 'Writes a file in the files directory, making the folders it needs; asks for consent first.',
    tags: ['file', 'write', 'save'],
    intents: ['write', 'create'],
    parameters: {
      path,
      content: { type: 'string', maxLength: MAX_WRITE * 2 },
      encoding,
      mode: {
        type: 'string',
        enum: ['create', 'replace', 'append'],
        default: 'create',
        description: 'create refuses to touch a file that is there.',
      },
    },
    required: ['path', 'content'],
    output: objectSchema({
      path: { type: 'string' },
      bytes: { type: 'integer', description: 'How many were written.' },
    }),
  }),
  permission: 'confirm',
};

const fileDelete: ToolDefinition = {
  ...defineBuiltin({
    ...files,
    name: 'file_delete',
    description: 'Deletes one file from the files directory for good; only keys with a grant may.',
    tags: ['file', 'delete', 'remove'],
    intents: ['delete'],
    parameters: { path },
    required: ['path'],
    output: objectSchema({ path: { type: 'string' }, deleted: { type: 'boolean' } }),
  }),
  permission: 'dangerous',
};

export const fileDefinitions: readonly ToolDefinition[] = [fileRead, fileWrite, fileDelete];

type Run = (args: Readonly<Record<string, unknown>>, place: string) => Promise<unknown>;

/** The functions behind the file tools, each tenant in its own folder; a path that leads out is refused at once. */
export const fileHandlers = (folderOf: (tenant: string) => string): ReadonlyMap<string, Handler> => {
  const placeOf = (args: Readonly<Record<string, unknown>>, tenant: string) =>
    confinedPath(folderOf(tenant), textArgument(args, 'path'));
  const handler = (permission: Handler['permission'], run: Run): Handler => ({
    permission,
    check: async (args, tenant) => void (await placeOf(args, tenant)),
    run: async (args, { tenant }) => {
      const place = await placeOf(args, tenant);
      return run(args, place).catch((thrown: unknown) => {
        throw told(thrown, textArgument(args, 'path'));
      });
    },
  });
  const lackingFile: Handler['lacks'] = async (args, tenant) => {
    const reason = `there is no file ${String(args.path)} in the files directory`;
    try {
      await access(await placeOf(args, tenant));
      return undefined;
    } catch {
      return { parameter: 'path', reason };
    }
  };
  const handlers = new Map<string, Handler>([
    ['file_read', { ...handler('safe', readFile), lacks: lackingFile }],
    ['file_write', handler('confirm', writeFile)],
    ['file_delete', handler('dangerous', deleteFile)],
  ]);
  return new Map(
    fileDefinitions.flatMap(({ name, parameters }) => {
      const found = handlers.get(name);
      return found ? [[name, { ...found, parameters }]] : [];
    }),
  );
};

// A link put in place after the check is not followed either.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

const readFile: Run = async (args, place) => {
  // Without O_NONBLOCK a named pipe would wait for its writer for ever.
  return withFile(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, async (file) => {
    const { size } = await requireFile(file);
    const [offset, limit] = [Number(args.offset ?? 0), Number(args.limit ?? MAX_READ)];
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(limit, Math.max(0, size - offset))), {
      position: offset,
    });
    const read = buffer.subarray(0, bytesRead);
    const isCut = offset + bytesRead < size;
    const bytes = args.encoding === 'base64' || !isCut ? read : wholeCharacters(read);
    const content = args.encoding === 'base64' ? bytes.toString('base64') : readText(bytes);
    return { content, bytes: bytes.length, size, more: isCut };
  });
};

const writeFile: Run = async (args, place) => {
  const text = textArgument(args, 'content');
  const bytes = args.encoding === 'base64' ? decodeBase64(text, 'content') : Buffer.from(text);
  if (bytes.length > MAX_WRITE)
    throw new Fault('TooLarge', `content has ${bytes.length} bytes; the limit is ${MAX_WRITE}`, { field: 'content' });
  await mkdir(dirname(place), { recursive: true });
  const mode = args.mode === 'append' ? O_APPEND : args.mode === 'replace' ? O_TRUNC : O_EXCL;
  return withFile(place, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | mode, async (file) => {
    await requireFile(file);
    await file.writeFile(bytes);
    return { path: textArgument(args, 'path'), bytes: bytes.length };
  });
};

const deleteFile: Run = async (args, place) => {
  await withFile(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, requireFile);
  await unlink(place);
  return { path: textArgument(args, 'path'), deleted: true };
};

const withFile = async <T>(place: string, flags: number, work: (file: FileHandle) => Promise<T>): Promise<T> => {
  const file = await open(place, flags, 0o600);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
};

const requireFile = async (file: FileHandle): Promise<{ readonly size: number }> => {
  const found = await file.stat();
  if (found.isFile()) return found;
  throw new Fault('InvalidInput', 'path is not a file', { field: 'path' });
};

/** Without the first bytes of a character whose rest lies beyond the limit. */
const wholeCharacters = (bytes: Buffer): Buffer => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
};

const readText = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Fault(
      'InvalidInput',
      'the file is not UTF-8 text; read it with encoding base64',
      { field: 'encoding' },
      {
        cause,
      },
    );
  }
};

const told = (thrown: unknown, given: string): unknown => {
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  const what = JSON.stringify(given);
  if (code === 'ENOENT') return new Fault('NotFound', `there is no file ${what}`, { path: given });
  if (code === 'EEXIST')
    return new Fault('InvalidInput', `${what} is there already; give mode replace or append`, { path: given });
  if (['EISDIR', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(code))
    return new Fault('InvalidInput', `${what} is not a file: ${messageOf(thrown)}`, { path: given });
  return thrown;
};
