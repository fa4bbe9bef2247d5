import * as z from 'zod';
import { ImageSource, readImageSource } from '../../shared/iqa/image-source.ts';
import type { Iqa } from '../../shared/iqa/iqa.ts';
import type { ImageFile } from '../../shared/iqa/open-images.ts';
import { Fault } from '../../shared/kernel/errors.ts';
import { parseBy, readForm, readJson } from './body.ts';
import type { ApiContext } from './env.ts';
import type { Body } from './route.ts';
import { SpendLimits } from './spend-schemas.ts';

const Names = z.array(z.string().min(1).max(64)).max(64);
const ScoreBody = z
  .strictObject({
    image: ImageSource,
    reference: ImageSource.optional(),
    tools: Names.optional(),
    distortions: Names.optional(),
    ...SpendLimits,
  })
  .meta({ id: 'ScoreRequest' });

const FormLimits = z.object({
  max_micros: z.coerce.number().pipe(SpendLimits.max_micros.unwrap()).optional(),
  dry_run: z.unknown().transform((text) => text === 'true'),
});

/** Pictures as form files, or in JSON by their bytes or keys. */
export type PicturesSent = {
  form?: { image: File; reference?: File | undefined; tools?: string | undefined };
  json?: Omit<z.input<typeof ScoreBody>, 'tools' | 'distortions'> & {
    tools?: readonly string[] | undefined;
    distortions?: readonly string[] | undefined;
  };
};

/** A picture as sent: a form file, or a source that is opened later. */
type Sent = ImageFile | ImageSource;

export interface PicturesAsked {
  readonly image: Sent;
  readonly reference?: Sent;
  readonly tools?: readonly string[];
  readonly distortions?: readonly string[];
  readonly max_micros?: number | undefined;
  readonly dry_run?: boolean | undefined;
}

export const pictures: Body<PicturesSent, PicturesAsked> = {
  schema: ScoreBody,
  type: 'application/json',
  read: async (c) =>
    /^multipart\/form-data/i.test(c.req.header('content-type') ?? '')
      ? picturesOfForm(c)
      : parseBy(ScoreBody, await readJson(c), 'the body'),
};

/** The bytes of the pictures; those given by key are read from the tenant's store. */
export const openPictures = async ({ readImage }: Iqa, tenant: string, asked: PicturesAsked) => {
  const open = (sent: Sent, field: string): Promise<ImageFile> | ImageFile =>
    'bytes' in sent ? sent : readImageSource(sent, field, tenant, readImage);
  return {
    image: await open(asked.image, 'image'),
    reference: asked.reference && (await open(asked.reference, 'reference')),
    tools: asked.tools,
    distortions: asked.distortions,
  };
};

const picturesOfForm = async (c: ApiContext): Promise<PicturesAsked> => {
  const form = await readForm(c, 'image, reference, tools, distortions, max_micros, dry_run');
  const image = await fileOf(form, 'image');
  if (!image) throw new Fault('InvalidInput', 'the form has no file in its field image', { field: 'image' });
  return {
    image,
    reference: await fileOf(form, 'reference'),
    tools: wordsOf(form, 'tools'),
    distortions: wordsOf(form, 'distortions'),
    ...parseBy(
      FormLimits,
      { max_micros: form.get('max_micros') ?? undefined, dry_run: form.get('dry_run') },
      'the form',
    ),
  };
};

const fileOf = async (form: FormData, field: string): Promise<ImageFile | undefined> => {
  const value = form.get(field);
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') throw new Fault('InvalidInput', `the field ${field} must be a file`, { field });
  return { bytes: new Uint8Array(await value.arrayBuffer()), name: value.name || field };
};

const wordsOf = (form: FormData, field: string): readonly string[] | undefined => {
  const given = form.getAll(field).flatMap((value) => (typeof value === 'string' ? value.split(',') : []));
  const words = given.map((word) => word.trim()).filter((word) => word !== '');
  return words.length === 0 ? undefined : parseBy(Names, words, `the field ${field}`);
};
