import { defineBuiltin, objectSchema } from '../../execute/builtins/builtin.ts';
import type { ReadImage } from '../../iqa/image-source.ts';
import { Fault } from '../../kernel/errors.ts';
import type { JsonSchema } from '../../kernel/json.ts';
import type { ToolDefinition } from '../../model/tool.ts';
import { comparePictures, comparisonSchema } from './compare-pictures.ts';
import type { PictureLimits } from './picture-formats.ts';
import { decoding, readPicture } from './read-picture.ts';
import { bytesToWrite } from './working-memory.ts';
import { formatOf, OUTPUT_FORMATS, writePicture, writtenSchema } from './write-picture.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A tool on pictures: decoding runs on libvips' own threads, so none of them holds the server up. */
export interface ImageTool {
  readonly definition: ToolDefinition;
  readonly run: (args: Arguments, tenant: string, readImage: ReadImage, limits: PictureLimits) => Promise<unknown>;
}

const picture = (description: string): JsonSchema => ({
  description,
  oneOf: [
    objectSchema({ key: { type: 'string', minLength: 1, maxLength: 512, description: 'Of an uploaded picture.' } }),
    objectSchema({ base64: { type: 'string', minLength: 1, description: 'Its bytes.' } }),
  ].map((schema) => ({ ...schema, additionalProperties: false })),
});

const media = { category: 'image', scenarios: ['media_processing'], timeoutSeconds: 60 };
const side = { type: 'integer', minimum: 1, maximum: 16_384 };
const format = { type: 'string', enum: [...OUTPUT_FORMATS] };
const quality = { type: 'integer', minimum: 1, maximum: 100, description: 'For formats that lose detail.' };

export const imageInfo: ImageTool = {
  definition: defineBuiltin({
    ...media,
    name: 'image_info',
    description:
      'Tells how big a picture is, its dimensions in pixels and size in bytes, and its format, colour space, transparency, orientation and how many frames it has.',
    tags: ['image', 'metadata', 'size', 'format'],
    intents: ['read', 'analyze'],
    parameters: { image: picture('The picture.') },
    required: ['image'],
    output: objectSchema({
      format: { type: 'string' },
      width: { type: 'integer', description: 'As shown, with its orientation.' },
      height: { type: 'integer' },
      bytes: { type: 'integer' },
      channels: { type: 'integer' },
      depth: { type: 'string' },
      colour_space: { type: 'string' },
      has_alpha: { type: 'boolean' },
      has_profile: { type: 'boolean' },
      frames: { type: 'integer' },
      orientation: { type: 'integer' },
    }),
  }),
  run: async ({ image }, tenant, readImage, limits) => {
    const { bytes, metadata } = await readPicture(image, 'image', tenant, readImage, limits);
    const { width, height, orientation = 1 } = metadata;
    const isTurned = orientation >= 5;
    return {
      format: metadata.format,
      width: isTurned ? height : width,
      height: isTurned ? width : height,
      bytes: bytes.length,
      channels: metadata.channels,
      depth: metadata.depth,
      colour_space: metadata.space,
      has_alpha: metadata.hasAlpha,
      has_profile: metadata.hasProfile,
      frames: metadata.pages ?? 1,
      orientation,
    };
  },
};

export const imageResize: ImageTool = {
  definition: defineBuiltin({
    ...media,
    name: 'image_resize',
    description:
      'Resizes a picture: scales or shrinks it to a width, a height or both in pixels, keeping its proportions unless told otherwise.',
    tags: ['image', 'resize', 'scale', 'shrink', 'thumbnail'],
    intents: ['convert', 'create'],
    parameters: {
      image: picture('The picture.'),
      width: side,
      height: side,
      fit: {
        type: 'string',
        enum: ['inside', 'outside', 'cover', 'contain', 'fill'],
        default: 'inside',
        description: 'inside keeps all of the picture within the size; cover fills it and crops; fill distorts.',
      },
      enlarge: { type: 'boolean', default: false, description: 'Whether a smaller picture is made larger.' },
      format,
      quality,
    },
    required: ['image'],
    output: objectSchema(writtenSchema),
  }),
  run: async (args, tenant, readImage, limits) => {
    if (args.width === undefined && args.height === undefined)
      throw new Fault('InvalidInput', 'give width, height or both', { field: 'width' });
    const { metadata, open } = await readPicture(args.image, 'image', tenant, readImage, limits);
    bytesToWrite(args, metadata, limits);
    const resized = open().resize({
      width: args.width === undefined ? undefined : Number(args.width),
      height: args.height === undefined ? undefined : Number(args.height),
      fit: args.fit as 'inside',
      withoutEnlargement: args.enlarge !== true,
    });
    return decoding('image', writePicture(resized, formatOf(args.format, metadata.format), qualityOf(args)));
  },
};

export const imageConvert: ImageTool = {
  definition: defineBuiltin({
    ...media,
    name: 'image_convert',
    description: 'Converts a picture to JPEG, PNG, WebP, AVIF, TIFF or GIF, optionally in grey.',
    tags: ['image', 'convert', 'format', 'compress'],
    intents: ['convert'],
    parameters: { image: picture('The picture.'), format, quality, grey: { type: 'boolean', default: false } },
    required: ['image', 'format'],
    output: objectSchema(writtenSchema),
  }),
  run: async (args, tenant, readImage, limits) => {
    const { metadata, open } = await readPicture(args.image, 'image', tenant, readImage, limits);
    bytesToWrite(args, metadata, limits);
    const pipeline = args.grey === true ? open().greyscale().toColourspace('b-w') : open();
    return decoding('image', writePicture(pipeline, formatOf(args.format, undefined), qualityOf(args)));
  },
};

export const imageCompare: ImageTool = {
  definition: defineBuiltin({
    ...media,
    name: 'image_compare',
    description:
      'Compares two pictures pixel by pixel: how many differ, by how much, and where; for quality as people see it use ssim or another image-quality tool.',
    tags: ['image', 'compare', 'difference', 'pixel'],
    intents: ['compare', 'analyze'],
    parameters: {
      image: picture('The picture.'),
      reference: picture('The picture to compare it with.'),
      tolerance: {
        type: 'integer',
        minimum: 0,
        maximum: 255,
        default: 0,
        description: 'How far a colour channel may be off without counting as different.',
      },
    },
    required: ['image', 'reference'],
    output: comparisonSchema,
  }),
  run: async ({ image, reference, tolerance }, tenant, readImage, limits) => {
    const [one, other] = await Promise.all([
      readPicture(image, 'image', tenant, readImage, limits),
      readPicture(reference, 'reference', tenant, readImage, limits),
    ]);
    return comparePictures(one, other, Number(tolerance ?? 0));
  },
};

const qualityOf = ({ quality: given }: Arguments): number | undefined =>
  given === undefined ? undefined : Number(given);
